"""Published data sets, from their official address or from a local folder.

Files are fetched over https only, and checked against digests before they are stored.
Every class of a data set, such as ``images.Cifar10``, has its addresses and digests.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar
from urllib.parse import urljoin

from attention_dynamics import store
from attention_dynamics.deep.datasets.files import InvalidDataFile, check_digest, read_file
from attention_dynamics.types import DataSource

if TYPE_CHECKING:
    from requests import Response

RETRIES = 3
CONNECT_TIMEOUT_S, READ_TIMEOUT_S = 10, 60
CHUNK_BYTES = 1 << 20
Data = TypeVar("Data", covariant=True)
DIGITS, DIGIT_PAIRS = "scikit-learn's digits", "pairs of digits"
DOCUMENTATION, GENERATED = "documentation of Python", "generated sentences"
# The published vocabulary is a data set by itself, because several published networks use it.
VOCABULARY_NAME = "bert-vocabulary"
# Data set -> its title, and the title of its stand-in, which needs no download.
TITLES = {
    "mnist": ("MNIST", DIGITS),
    "cifar10": ("CIFAR-10", DIGITS),
    "cifar100": ("CIFAR-100", DIGIT_PAIRS),
    "imdb": ("IMDb", DOCUMENTATION),
    "mnli": ("MNLI", GENERATED),
    "civil_comments": ("Civil Comments", DOCUMENTATION),
    "wikitext2": ("WikiText-2", DOCUMENTATION),
    "wikitext103": ("WikiText-103", DOCUMENTATION),
}


def label(dataset: str, source: str) -> str:
    """Return the name of a data set in figures, like "MNIST, official" or "generated sentences, in place of MNLI"."""
    if dataset not in TITLES:
        return DIGITS if dataset == "digits" else dataset
    title, stand_in = TITLES[dataset]
    if source == "embedded":
        return f"{stand_in}, in place of {title}"
    return f"{title}, {'a local mirror' if source == 'mirror' else 'official'}"


class PublishedDataset(Generic[Data]):
    """A published data set.

    NAME: its name in the configuration. FOLDER: its folder in the cache, and optionally in a mirror.
    """

    NAME: ClassVar[str]
    FOLDER: ClassVar[str]

    def load(self, source: DataSource, mirror: str | Path | None = None, cache: str | Path | None = None) -> Data:
        """Return the set from its official address or from a mirror: the folder ``mirror`` or its subfolder FOLDER.

        cache: folder where official files are kept; by default in the user's cache folder. Raises ValueError for source
        "mirror" without a folder, and what ``load_official`` or ``load_mirror`` raises.
        """
        if source == "official":
            return self.load_official((Path(cache) if cache else _user_cache()) / self.FOLDER)
        if mirror is None:
            raise ValueError(f"{self.NAME}: source 'mirror' needs a folder (data_mirror=<folder>)")
        return self.load_mirror(self.find_folder(mirror))

    def find_folder(self, mirror: str | Path) -> Path:
        """Return the subfolder FOLDER of a mirror, or the mirror itself if it has no such subfolder."""
        inner = Path(mirror) / self.FOLDER
        return inner if inner.is_dir() else Path(mirror)

    def load_official(self, cache: Path) -> Data:
        """Return the official set, whose files are kept in the folder ``cache``. Raises what ``fetch`` raises."""
        raise NotImplementedError

    def load_mirror(self, folder: Path) -> Data:
        """Return the set whose files are in a folder. Raises InvalidDataFile for a file that is missing or invalid."""
        raise NotImplementedError


class ArchivedDataset(PublishedDataset[Data]):
    """A data set in one archive. A mirror has the archive, or files in a simpler layout (``read_files``).

    URL, SHA256: address and digest of the archive.
    """

    URL: ClassVar[str]
    SHA256: ClassVar[str]

    def load_official(self, cache: Path) -> Data:
        """See ``PublishedDataset.load_official``. Raises also what ``unpack`` raises."""
        return self.build(self.unpack(self.URL, fetch(self.URL, self.SHA256, cache)), "official", "")

    def load_mirror(self, folder: Path) -> Data:
        """Return the set in a folder with the official archive, or else with the files that ``read_files`` reads.

        The note says that the set is from the official archive, or which part of it the files contain. Raises what
        ``find_local_copy``, ``unpack`` and ``read_files`` raise.
        """
        if (archive := find_local_copy(self.URL, self.SHA256, folder)) is not None:
            return self.build(self.unpack(file_name(self.URL), archive), "mirror", "the official archive")
        parts, note = self.read_files(folder)
        return self.build(parts, "mirror", note)

    def unpack(self, name: str, archive: bytes) -> dict[str, Any]:
        """Return the parts, such as "train" and "test", that are in the official archive.

        Raises InvalidDataFile for an archive without one of its members.
        """
        raise NotImplementedError

    def read_files(self, folder: Path) -> tuple[dict[str, Any], str]:
        """Return the parts in the files of a mirror, uncompressed or compressed, and a note on what they contain.

        Raises InvalidDataFile for a file that is missing, cannot be read to its end, or is not as expected.
        """
        raise NotImplementedError

    def build(self, parts: Mapping[str, Any], source: DataSource, note: str) -> Data:
        """Return the set made of the parts that ``unpack`` or ``read_files`` returned."""
        raise NotImplementedError


def _user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("attention-dynamics")


class DownloadError(ConnectionError):
    """Error for an official file that could not be fetched."""


def fetch(url: str, digest: str, cache: Path, *, content: Callable[[bytes], bytes] = bytes) -> bytes:
    """Return the content of an official file, from the cache folder or else from its address. Downloads are cached.

    digest: the expected SHA-256 of the content. content: maps the bytes of the file to the content that is checked and
    returned, such as the decompressed bytes, because gzip headers differ between copies. A cached file with another
    digest is downloaded again. Raises InvalidDataFile, and caches nothing, for a download with another digest. Raises
    what ``download`` raises.

    The cache of pooch is not used: it checks the bytes of a file, but the digest of MNIST is of the decompressed
    content. Besides, a killed process leaves a temporary file in pooch's cache.
    """
    path = cache / file_name(url)
    with suppress(InvalidDataFile):
        return check_digest(url, content(read_file(path)), digest)
    data = download(url)
    result = check_digest(url, content(data), digest)
    store.write(path, data)
    return result


def find_local_copy(url: str, digest: str, folder: Path) -> bytes | None:
    """Return the content of a folder's copy of an official file, or None if the folder has no file of this name.

    url: the official address, which ends with the name. Raises InvalidDataFile for a copy whose SHA-256 is not
    ``digest``.
    """
    path = folder / file_name(url)
    return check_digest(path, read_file(path), digest) if path.is_file() else None


def file_name(url: str) -> str:
    """Return the name of a file, the last part of its address."""
    return url.rsplit("/", 1)[1]


def download(url: str) -> bytes:
    """Return the bytes at an address. Interrupted transfers and refused connections are retried, ``RETRIES`` times.

    Raises DownloadError, naming the alternatives, when the last attempt fails.
    Raises InvalidDataFile if the address, or an address that it redirects to, is not https.
    Raises ModuleNotFoundError if pooch, which only the source "official" needs, is not installed.
    """
    try:
        import pooch
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "source 'official' needs pooch: pip install 'attention-dynamics[data]', or use 'mirror' or 'embedded'"
        ) from None
    from requests import RequestException

    _require_https(url, url)
    base, name = url.rsplit("/", 1)
    downloader = pooch.HTTPDownloader(
        chunk_size=CHUNK_BYTES,
        timeout=(CONNECT_TIMEOUT_S, READ_TIMEOUT_S),
        hooks={"response": _require_https_redirect},
        # Some hosts refuse the default names of Python's clients.
        headers={"User-Agent": "attention-dynamics"},
    )
    with TemporaryDirectory() as folder:
        source = pooch.create(folder, base, registry={name: None}, retry_if_failed=RETRIES)
        try:
            return Path(source.fetch(name, downloader=downloader)).read_bytes()
        except RequestException as error:
            raise DownloadError(
                f"{url} could not be fetched. Without it, use source 'mirror' (a folder with the files: data=mirror "
                f"data_mirror=<folder>) or 'embedded' (a stand-in, no network: data=embedded). The reason: {error}"
            ) from None


def _require_https_redirect(response: "Response", **_: Any) -> None:
    if response.is_redirect:
        _require_https(response.url, urljoin(response.url, response.headers["location"]))


def _require_https(url: str, target: str) -> None:
    if not target.startswith("https://"):
        raise InvalidDataFile(f"{url}: leads to {target}, expected an https address")
