"""The official source, through a TLS server on this machine: what arrives wrong, in part, or not at all is not kept."""

import gzip
import ssl
import sys
import tarfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from attention_dynamics.deep.datasets import files, sources
from attention_dynamics.deep.datasets.files import InvalidDataFile, read_zip_file, sha256
from attention_dynamics.deep.datasets.images import Cifar10, Cifar100, Mnist, load_images
from attention_dynamics.deep.datasets.sources import DownloadError, download, fetch
from conftest import ROOT
from helpers.data_files import pack_tar, pack_zip
from helpers.image_files import small_cifar10, small_cifar100, small_mnist

CERTIFICATE = ROOT / "tests/data/localhost.pem"
DATA = np.random.default_rng(0).bytes(5000)


class Server(ThreadingHTTPServer):
    """Answers each path with what is next for it, the last answer again and again; notes what was asked for."""

    def __init__(self, encrypted=True):
        super().__init__(("localhost", 0), Handler)
        self.answers, self.asked, self.pause = {}, [], 0
        if encrypted:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = f"{'https' if encrypted else 'http'}://localhost:{self.server_port}"

    def give(self, path, *bodies, status=200, **headers):
        """Answer with these bodies, one after the other; a pair (body, length) declares another length.

        Between header and body it waits for ``pause`` seconds.
        """
        pairs = [body if isinstance(body, tuple) else (body, len(body)) for body in bodies]
        self.answers[path] = [(status, pair, headers) for pair in pairs]
        return self.url + path

    def __enter__(self):
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()

    def handle_error(self, request, client_address):
        """A client that hangs up is part of some tests."""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        answers = self.server.answers.get(self.path, [(404, (b"", 0), {})])
        status, (body, length), headers = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        for name, value in {"Content-Length": str(length), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        time.sleep(self.server.pause)
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    pytest.importorskip("pooch", reason="the official source needs the extra 'data'")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(CERTIFICATE))
    monkeypatch.setenv("NO_PROXY", "localhost")
    monkeypatch.setattr(sources, "RETRIES", 0)
    with Server() as running:
        yield running


def nothing_in(cache):
    return not cache.exists() or not list(cache.iterdir())


def test_file_is_downloaded_once_and_cached(server, tmp_path):
    url = server.give("/data.bin", DATA)
    assert fetch(url, sha256(DATA), tmp_path) == DATA
    assert fetch(url, sha256(DATA), tmp_path) == DATA
    assert server.asked == ["/data.bin"]
    assert [file.name for file in tmp_path.iterdir()] == ["data.bin"]


def test_damaged_cached_file_is_downloaded_again(server, tmp_path):
    url = server.give("/data.bin", DATA)
    (tmp_path / "data.bin").write_bytes(DATA[:-1])
    assert fetch(url, sha256(DATA), tmp_path) == DATA
    assert (tmp_path / "data.bin").read_bytes() == DATA


def test_wrong_file_is_refused_and_not_kept(server, tmp_path):
    url = server.give("/data.bin", DATA[:-1] + b"\0")
    with pytest.raises(InvalidDataFile, match=f"{url}: has SHA-256 [0-9a-f]{{64}}, expected {sha256(DATA)}"):
        fetch(url, sha256(DATA), tmp_path)
    assert nothing_in(tmp_path)


@pytest.mark.slow
def test_truncated_transfer_is_retried(server, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "RETRIES", 1)
    url = server.give("/data.bin", (DATA[:100], len(DATA)), DATA)
    assert fetch(url, sha256(DATA), tmp_path) == DATA
    assert server.asked == ["/data.bin"] * 2


@pytest.mark.parametrize("status", [200, 404, 503, None])
def test_failed_download_names_alternatives(server, tmp_path, status):
    """The server sends a part of the file, answers with an error, or is gone (None)."""
    url = server.give("/data.bin", (DATA[:100], len(DATA)), status=status)
    if status is None:
        with Server() as gone:
            url = f"{gone.url}/data.bin"
    with pytest.raises(DownloadError, match=f"^{url} could not be fetched.*'mirror'.*'embedded'[^\n]*$"):
        fetch(url, sha256(DATA), tmp_path)
    assert nothing_in(tmp_path)


def test_stalled_server_times_out(server, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "READ_TIMEOUT_S", 0.2)
    server.pause = 5
    url, began = server.give("/data.bin", DATA), time.monotonic()
    with pytest.raises(DownloadError, match=f"^{url} could not be fetched.*'mirror'.*'embedded'.*timed out"):
        fetch(url, sha256(DATA), tmp_path)
    assert time.monotonic() - began < 4
    assert nothing_in(tmp_path)


def test_untrusted_certificate_is_refused(server, tmp_path, monkeypatch):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(DownloadError, match="certificate"):
        fetch(server.give("/data.bin", DATA), sha256(DATA), tmp_path)


def test_redirect_is_followed_only_to_https(server, tmp_path):
    server.give("/data.bin", DATA)
    inside = server.give("/inside/data.bin", b"", status=302, Location="/data.bin")
    assert fetch(inside, sha256(DATA), tmp_path / "inside") == DATA
    with Server(encrypted=False) as plain:
        target = plain.give("/data.bin", DATA)
        outside = server.give("/outside/data.bin", b"", status=302, Location=target)
        with pytest.raises(InvalidDataFile, match=f"{outside}: leads to {target}, expected an https address"):
            fetch(outside, sha256(DATA), tmp_path / "outside")
        with pytest.raises(InvalidDataFile, match="expected an https address"):
            download(target)
        assert plain.asked == []
    assert nothing_in(tmp_path / "outside")


def test_mnist_is_pinned_by_its_decompressed_content(server, monkeypatch, tmp_path):
    arrays, contents = small_mnist(monkeypatch)
    monkeypatch.setattr(Mnist, "URL", f"{server.url}/mnist/")
    for name, content in contents.items():
        server.give(f"/mnist/{name}.gz", gzip.compress(content, mtime=12345))
    images = load_images("mnist", "official", cache=tmp_path)
    for name, array in arrays.items():
        np.testing.assert_array_equal(getattr(images, name), array)
    assert (images.name, images.source, images.note) == ("mnist", "official", "")
    assert len(list((tmp_path / "mnist").iterdir())) == 4
    assert load_images("mnist", "official", cache=tmp_path).digest == images.digest
    assert len(server.asked) == 4
    (tmp_path / "mnist" / "t10k-labels-idx1-ubyte.gz").unlink()
    server.give("/mnist/t10k-labels-idx1-ubyte.gz", b"<html>Not here</html>")
    with pytest.raises(InvalidDataFile, match=r"t10k-labels-idx1-ubyte\.gz: cannot be decompressed"):
        load_images("mnist", "official", cache=tmp_path)
    assert len(list((tmp_path / "mnist").iterdir())) == 3


def archive(contents, **extra):
    """Return the official archive's layout. extra: attributes of one more member."""
    return pack_tar({f"cifar-binary/{name}": content for name, content in contents.items()}, **extra)


@pytest.mark.parametrize(
    ("dataset", "small", "folder", "classes"),
    [(Cifar10, small_cifar10, "cifar-10", 10), (Cifar100, small_cifar100, "cifar-100", 100)],
)
def test_cifar_comes_from_official_archive_also_in_mirror(
    server, monkeypatch, tmp_path, dataset, small, folder, classes
):
    arrays, contents = small(monkeypatch)
    packed = archive({**contents, "readme.html": b"<html>"})
    monkeypatch.setattr(dataset, "URL", server.give(f"/{folder}-binary.tar.gz", packed))
    monkeypatch.setattr(dataset, "SHA256", sha256(packed))
    images = load_images(dataset.NAME, "official", cache=tmp_path)
    for name, array in arrays.items():
        np.testing.assert_array_equal(getattr(images, name), array)
    assert (images.name, images.source, images.note) == (dataset.NAME, "official", "")
    assert images.classes == classes
    assert [file.name for file in (tmp_path / folder).iterdir()] == [f"{folder}-binary.tar.gz"]
    archived = load_images(dataset.NAME, "mirror", mirror=tmp_path)
    assert (archived.digest, archived.source, archived.note) == (images.digest, "mirror", "the official archive")


@pytest.mark.parametrize(
    "member",
    [
        {"name": "/tmp/test_batch.bin"},
        {"name": "cifar-10-batches-bin/../../test_batch.bin"},
        {"name": "cifar-10-batches-bin/link", "type": tarfile.SYMTYPE, "linkname": "/etc/passwd"},
        {"name": "cifar-10-batches-bin/test_batch.bin", "type": tarfile.LNKTYPE, "linkname": "../x"},
        {"name": "cifar-10-batches-bin/device", "type": tarfile.CHRTYPE},
    ],
    ids=["absolute", "parent", "symbolic_link", "hard_link", "device"],
)
def test_tar_with_escaping_member_is_refused(monkeypatch, member):
    _, contents = small_cifar10(monkeypatch)
    with pytest.raises(InvalidDataFile, match=f"a.tar.gz: member {member['name']} is a link or leads outside"):
        Cifar10().unpack("a.tar.gz", archive(contents, **member))


def test_tar_without_batch_is_refused(monkeypatch):
    _, contents = small_cifar10(monkeypatch)
    del contents["data_batch_3.bin"]
    with pytest.raises(InvalidDataFile, match=r"a.tar.gz: data_batch_3.bin is missing"):
        Cifar10().unpack("a.tar.gz", archive(contents))


@pytest.mark.parametrize("member", ["/etc/train.txt", "inside/../../train.txt"])
def test_zip_with_escaping_member_is_refused(member):
    archive = pack_zip({"inside/train.txt": b"good", member: b"bad"})
    with pytest.raises(InvalidDataFile, match=f"a.zip: member {member} is a link or leads outside"):
        read_zip_file("a.zip", archive, "train.txt")


def test_damaged_or_oversized_zip_is_refused(monkeypatch):
    archive = pack_zip({"train.txt": bytes(1000)})
    assert read_zip_file("a.zip", archive, "train.txt") == bytes(1000)
    damaged = bytearray(archive)
    damaged[200] ^= 1
    for wrong in (archive[:-9], b"", bytes(damaged)):
        with pytest.raises(InvalidDataFile, match=r"^a\.zip: cannot be read as a zip archive \(.*\); expected a whole"):
            read_zip_file("a.zip", wrong, "train.txt")
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 999)
    with pytest.raises(InvalidDataFile, match=r"^a\.zip: train\.txt is larger than 999 bytes"):
        read_zip_file("a.zip", archive, "train.txt")


def test_missing_pooch_names_package_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'attention-dynamics\[data\]', or use 'mirror'"):
        load_images("mnist", "official", cache=tmp_path)
