"""Published data sets, from their official address or from a local folder."""

from pathlib import Path
from typing import Protocol, TypeVar

from attention_dynamics.types import DataSource

Data = TypeVar("Data", covariant=True)


class ExternalDataset(Protocol[Data]):
    """Interface of the modules of published data sets.

    TITLE: its usual name. FOLDER: its folder in the cache, and optionally in a mirror.
    """

    TITLE: str
    FOLDER: str

    def load_official(self, cache: Path) -> Data:
        """Return the official set, whose files are kept in the folder ``cache``."""

    def load_mirror(self, folder: Path) -> Data:
        """Return the set whose files are in a folder."""


def load_dataset(
    name: str,
    dataset: ExternalDataset[Data],
    source: DataSource,
    *,
    mirror: str | Path | None,
    cache: str | Path | None = None,
) -> Data:
    """Return a set from its official address or from a mirror: the folder ``mirror`` or its subfolder for this set.

    cache: folder where official files are kept; by default in the user's cache folder. Raises ValueError for source
    "mirror" without a folder, and the errors of the data set.
    """
    if source == "official":
        return dataset.load_official((Path(cache) if cache else _user_cache()) / dataset.FOLDER)
    if mirror is None:
        raise ValueError(f"{name}: source 'mirror' needs a folder (data_mirror=<folder>)")
    inner = Path(mirror) / dataset.FOLDER
    return dataset.load_mirror(inner if inner.is_dir() else Path(mirror))


def _user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("attention-dynamics")
