"""Where a set of data comes from: its official address, a local folder, or what is installed anyway."""

from pathlib import Path
from typing import Literal, Protocol, TypeVar

Source = Literal["official", "mirror", "embedded"]
Data = TypeVar("Data", covariant=True)


class Downloaded(Protocol[Data]):
    """What a module of a set that others made provides.

    TITLE: what people call it. FOLDER: the folder it has in the cache and may have in a mirror.
    """

    TITLE: str
    FOLDER: str

    def official(self, cache: Path) -> Data:
        """The official set, whose files are kept in the folder ``cache``."""

    def mirrored(self, folder: Path) -> Data:
        """The set whose files are in a folder."""


def downloaded(
    name: str, dataset: Downloaded[Data], source: Source, *, mirror: str | Path | None, cache: str | Path | None
) -> Data:
    """A set from its official address or from a mirror: the folder ``mirror`` or its subfolder for this set.

    cache: folder where official files are kept; by default the user's. Raises ValueError for source "mirror" without a
    folder, and whatever the set raises.
    """
    if source == "official":
        return dataset.official((Path(cache) if cache else _user_cache()) / dataset.FOLDER)
    if mirror is None:
        raise ValueError(f"{name}: source 'mirror' needs a folder")
    inner = Path(mirror) / dataset.FOLDER
    return dataset.mirrored(inner if inner.is_dir() else Path(mirror))


def _user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("attention-dynamics")
