"""Files from their official addresses: over https only, and checked against pinned digests before they are stored."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from attention_dynamics import store
from attention_dynamics.deep.datasets.files import InvalidDataFile, read_file, sha256

if TYPE_CHECKING:
    from requests import Response

RETRIES = 3
CONNECT_TIMEOUT_S, READ_TIMEOUT_S = 10, 60
CHUNK_BYTES = 1 << 20


class DownloadError(ConnectionError):
    """An official file could not be fetched."""


def fetch(url: str, digest: str, cache: Path, *, content: Callable[[bytes], bytes] = bytes) -> bytes:
    """Return the content of an official file, from the cache folder, or else from its address and then kept in the
    cache.

    digest: its pinned SHA-256. content: returns what the digest is of from the file's bytes, such as the decompressed
    content where the header of the compression differs from copy to copy. A cached file that fails the check is fetched
    again. Raises InvalidDataFile, and stores nothing, if the download fails it; DownloadError as ``download``.

    The cache of pooch would not do: it checks the bytes of a file, not its decompressed content, by which MNIST is
    pinned, and a killed process leaves its temporary file there.
    """
    path = cache / file_name(url)
    with suppress(InvalidDataFile):
        return _check_digest(url, content(read_file(path)), digest)
    data = download(url)
    result = _check_digest(url, content(data), digest)
    store.write(path, data)
    return result


def find_local_copy(url: str, digest: str, folder: Path) -> bytes | None:
    """Return the content of an official file that is in a folder, or None where it is not there.

    Raises InvalidDataFile for a file of that name with another SHA-256 than ``digest``.
    """
    path = folder / file_name(url)
    return _check_digest(path, read_file(path), digest) if path.is_file() else None


def file_name(url: str) -> str:
    """Return the name of a file at its address."""
    return url.rsplit("/", 1)[1]


def _check_digest(name: str | Path, content: bytes, digest: str) -> bytes:
    if (found := sha256(content)) != digest:
        raise InvalidDataFile(f"{name}: has SHA-256 {found}, expected {digest}")
    return content


def download(url: str) -> bytes:
    """Return the bytes at an address. Interrupted transfers and refused connections are retried, ``RETRIES`` times.

    Raises DownloadError, naming the alternatives, when the last attempt fails; InvalidDataFile where the address or one
    that it redirects to is not https; ModuleNotFoundError where pooch, which only this source needs, is not installed.
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
