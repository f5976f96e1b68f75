"""Files from their official addresses: over https only, checked against pinned digests before they are kept."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from attention_dynamics import store
from attention_dynamics.datasets.files import RefusedFile, sha256

if TYPE_CHECKING:
    from requests import Response

RETRIES = 3
CONNECT_SECONDS, READ_SECONDS = 10, 60
PIECE = 1 << 20


class Unreachable(ConnectionError):
    """An official file could not be fetched."""


def fetch(url: str, digest: str, cache: Path, *, content: Callable[[bytes], bytes] = bytes) -> bytes:
    """The content of an official file, from the cache folder, or else from its address and then kept in the cache.

    digest: its pinned SHA-256. content: takes from the file's bytes what the digest is of, such as the decompressed
    content where the header of the compression differs from copy to copy. A cached file that fails the check is
    fetched anew. Raises RefusedFile, and keeps nothing, where what arrives fails it; Unreachable as ``download``.
    """
    path = cache / file_name(url)
    with suppress(FileNotFoundError, RefusedFile):
        return _checked(url, content(path.read_bytes()), digest)
    data = download(url)
    result = _checked(url, content(data), digest)
    store.write(path, data)
    return result


def kept(url: str, digest: str, folder: Path) -> bytes | None:
    """The official file where somebody put it into a folder; None where it is not there.

    Raises RefusedFile for a file of that name with another SHA-256 than ``digest``.
    """
    path = folder / file_name(url)
    return _checked(path, path.read_bytes(), digest) if path.is_file() else None


def file_name(url: str) -> str:
    """What a file is called at its address."""
    return url.rsplit("/", 1)[1]


def _checked(name: str | Path, content: bytes, digest: str) -> bytes:
    if (found := sha256(content)) != digest:
        raise RefusedFile(f"{name}: has SHA-256 {found}, expected {digest}")
    return content


def download(url: str) -> bytes:
    """The bytes at an address. Interrupted transfers and refused connections are tried again, ``RETRIES`` times.

    Raises Unreachable, naming the alternatives, when the last attempt fails; RefusedFile where the address or one that
    it redirects to is not https; ModuleNotFoundError where pooch, which only this source needs, is not installed.
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
        chunk_size=PIECE,
        timeout=(CONNECT_SECONDS, READ_SECONDS),
        hooks={"response": _require_https_redirect},
        # Some hosts refuse the default names of Python's clients.
        headers={"User-Agent": "attention-dynamics"},
    )
    # Not in the cache folder, where a killed process would leave the part that it had.
    with TemporaryDirectory() as folder:
        source = pooch.create(folder, base, registry={name: None}, retry_if_failed=RETRIES)
        try:
            return Path(source.fetch(name, downloader=downloader)).read_bytes()
        except RequestException as error:
            raise Unreachable(
                f"{url} could not be fetched. Without it, use source 'mirror' (a folder with the files: data=mirror "
                f"data_mirror=<folder>) or 'embedded' (a stand-in, no network: data=embedded). The reason: {error}"
            ) from None


def _require_https_redirect(response: "Response", **_: Any) -> None:
    if response.is_redirect:
        _require_https(response.url, urljoin(response.url, response.headers["location"]))


def _require_https(url: str, target: str) -> None:
    if not target.startswith("https://"):
        raise RefusedFile(f"{url}: leads to {target}, expected an https address")
