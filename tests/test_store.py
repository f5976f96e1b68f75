"""The store: what comes back is what was written, or an error that names the file."""

import json
import os
import platform
import random
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from attention_dynamics.store import DamagedFile, load_arrays, load_json, save_arrays, save_json, write

PACKAGE_PATH = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
ARRAYS = {
    "step": np.arange(5),
    "references/gmm/direction": np.linspace(-1, 1, 12).reshape(3, 4),
    "references/gmm/feasible": np.array([True, False]),
    "parameter": np.array("p"),
    "count": np.array(2),
    "single": np.array([1.5, -0.0, np.nan, np.inf, 5e-324], dtype=np.float32),
    "empty": np.zeros((0, 3)),
}
CONTENT = [{"claim": "a|b", "measured": [1.0, float("inf"), -0.0], "explanation": None, "says": "größer · 1"}, {}, "x"]
OTHER = {"step": np.arange(4), "p": np.ones((4, 2))}
FORMATS = {".npz": (save_arrays, load_arrays, ARRAYS, OTHER), ".json": (save_json, load_json, CONTENT, ["y"])}

FLIPS = 60


@pytest.fixture(params=FORMATS)
def stored(request, tmp_path, monkeypatch):
    """A file in the format, written by its relative path as the workflow does, and the function that loads it."""
    monkeypatch.chdir(tmp_path)
    save, load, content, _ = FORMATS[request.param]
    path = tmp_path / "results" / "laptop" / f"data{request.param}"
    save(path.relative_to(tmp_path), content)
    return path, load


def assert_refused(path, load, data: bytes | None) -> None:
    """With these bytes in place (None: no file) the file is refused by name."""
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(DamagedFile) as error:
        load(path)
    assert str(path) in str(error.value)
    assert "Delete this file" in str(error.value)


def flip_bit(data: bytes, bit: int) -> bytes:
    damaged = bytearray(data)
    damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


def assert_equal_arrays(found, expected) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()


def test_content_survives_storage(stored):
    path, load = stored
    if load is load_arrays:
        assert_equal_arrays(load(path), ARRAYS)
        # Other programs read the file too, and it has no dates.
        with np.load(path) as arrays:
            assert_equal_arrays(dict(arrays), ARRAYS)
        with zipfile.ZipFile(path) as archive:
            assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    else:
        assert load(path) == json.loads(path.read_text())["content"] == CONTENT


def test_same_content_gives_same_bytes(stored, tmp_path):
    path, _ = stored
    save, _, content, other = FORMATS[path.suffix]
    first = path.read_bytes()
    save(path.relative_to(tmp_path), other)
    assert path.read_bytes() != first
    # The order in which arrays are named does not show.
    save(path.relative_to(tmp_path), dict(reversed(content.items())) if isinstance(content, dict) else content)
    assert path.read_bytes() == first


def test_truncated_file_is_refused(stored):
    path, load = stored
    data = path.read_bytes()
    for part in (*(data[: len(data) * k // 24] for k in range(1, 24)), data[:-1], data[len(data) // 2 :]):
        assert_refused(path, load, part)


@pytest.mark.slow
def test_flipped_bit_is_refused(stored):
    path, load = stored
    data = path.read_bytes()
    # Evenly over all bytes, each time in another bit of the byte; and every bit of the directory and of the seal.
    bits = [8 * (k * (len(data) - 1) // (FLIPS - 1)) + k % 8 for k in range(FLIPS)]
    for mark in (b"PK\x01\x02", b"PK\x05\x06", b'"sha256"', b'"path"', b"references/gmm"):
        first = data.rfind(mark)
        bits += range(8 * first, 8 * (first + 24)) if first >= 0 and load is load_arrays else ()
    for bit in bits:
        assert_refused(path, load, flip_bit(data, bit))


DAMAGES = {
    "missing": lambda data: None,
    "empty": lambda data: b"",
    "zeros": lambda data: b"\0" * len(data),
    "noise": lambda data: random.Random(0).randbytes(len(data)),
    "short noise": lambda data: random.Random(0).randbytes(3),
    "longer": lambda data: data + b" ",
    "other blank": lambda data: data[:-1] + b"\t",
    "twice": lambda data: data + data,
    "shifted": lambda data: b" " + data,
    "byte lost": lambda data: data[:100] + data[101:],
    "hole": lambda data: data[:50] + b"\0" * 20 + data[70:],
    "other seal": lambda data: data.replace(b"sha256", b"sha512"),
    "null": lambda data: b"null",
    "no seal": lambda data: b'{"content": 1, "seal": null}\n',
    "odd seal": lambda data: b'{"content": 1, "seal": {"path": 2}}\n',
}


def test_foreign_content_is_refused(stored):
    path, load = stored
    data = path.read_bytes()
    for damage in DAMAGES.values():
        path.touch()
        assert_refused(path, load, damage(data))


def test_bytes_of_other_file_and_folders_are_refused(stored):
    path, load = stored
    save, _, content, other = FORMATS[path.suffix]
    elsewhere = path.with_name(f"other{path.suffix}")
    for there in (content, other):
        save(elsewhere.relative_to(path.parents[2]), there)
        assert_refused(path, load, elsewhere.read_bytes())
    path.unlink()
    path.mkdir()
    with pytest.raises(DamagedFile, match=path.name):
        load(path)


def test_object_arrays_are_refused(tmp_path):
    for array in (np.array([None]), np.array([{"a": 1}, "b"], dtype=object)):
        with pytest.raises(ValueError, match=r"a\.npz: bad is an array of Python objects"):
            save_arrays(tmp_path / "a.npz", {"good": np.ones(2), "bad": array})
    assert list(tmp_path.iterdir()) == []


def test_file_is_readable_from_other_working_directory(stored, monkeypatch):
    path, load = stored
    by_absolute_path = load(path)
    for folder in (path.parent, path.parents[1]):
        monkeypatch.chdir(folder)
        assert repr(load(path.relative_to(folder))) == repr(by_absolute_path)


def test_file_is_readable_through_parent_folder(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    path = Path("../there/../papers/data.npz")
    (tmp_path / "there").mkdir()
    save_arrays(path, {"x": np.arange(3)})
    for same in (path, tmp_path / "papers" / "data.npz"):
        np.testing.assert_array_equal(load_arrays(same)["x"], np.arange(3))
    shutil.copy(path, "data.npz")
    with pytest.raises(DamagedFile, match="does not belong here"):
        load_arrays("data.npz")


@pytest.mark.parametrize("link", [False, True])
def test_results_folder_can_be_moved_or_be_a_link(stored, tmp_path, link):
    path, load = stored
    before = repr(load(path))
    moved = shutil.move(tmp_path / "results", tmp_path / "archive" / "results")
    if link:
        (tmp_path / "results").symlink_to(moved)
    assert repr(load(path if link else moved / "laptop" / path.name)) == before


@pytest.mark.parametrize("name", ["results/laptop/renamed", "results/smoke/data", "data"])
def test_renamed_file_is_refused(stored, tmp_path, name):
    path, load = stored
    moved = (tmp_path / name).with_suffix(path.suffix)
    moved.parent.mkdir(exist_ok=True)
    path.rename(moved)
    with pytest.raises(DamagedFile, match="does not belong here") as error:
        load(moved)
    assert str(moved) in str(error.value)


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_failed_write_keeps_old_content(stored, monkeypatch, failing):
    path, _ = stored

    def fail(*_):
        raise OSError("no space left on device")

    before = path.read_bytes()
    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="no space"):
        write(path, b"new")
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_next_write_removes_files_of_killed_writer_only(tmp_path):
    path = tmp_path / "claims.md"
    killed = "import os, sys; from attention_dynamics import store; os.replace = lambda *_: os.kill(os.getpid(), 9); "
    subprocess.run([sys.executable, "-c", killed + f"store.write({str(path)!r}, b'half')"], env=PACKAGE_PATH)
    assert [file.name for file in tmp_path.iterdir()] != []
    living = path.with_name(f".{path.name}.{platform.node()}.{os.getppid()}.tmp")
    living.touch()
    write(path, b"whole")
    assert sorted(tmp_path.iterdir()) == [living, path]
    assert path.read_bytes() == b"whole"


@pytest.mark.parametrize("part", ["a" * 200, "\u00e9" * 100])
def test_seal_of_a_long_path_can_be_read_back(tmp_path, monkeypatch, part):
    monkeypatch.chdir(tmp_path)
    for ending, (save, load, content, _) in FORMATS.items():
        path = Path(*[part] * 8, f"data{ending}")
        save(path, content)
        load(path)
        load(path.absolute())
        path.rename(path.with_name("other"))
        with pytest.raises(DamagedFile, match="does not belong here"):
            load(path.with_name("other"))
