"""Files that are too large, pipes, devices, folders and failing disks: each is one line with its name, and not read."""

import os
from pathlib import Path

import pytest

from attention_dynamics.bounded_files import read_bounded
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.yaml_file import load_yaml
from attention_dynamics.deep.datasets.files import InvalidDataFile, read_file
from attention_dynamics.pipeline import fingerprint
from attention_dynamics.pipeline.external_plugins import _read
from attention_dynamics.series.published import published
from attention_dynamics.store import DamagedFile, load_arrays, load_json

HUGE_BYTES = 30 << 30
FILES = {
    "huge": lambda path: (path.touch(), os.truncate(path, HUGE_BYTES)),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "link to itself": lambda path: path.symlink_to(path.name),
    "failing disk": lambda path: path.symlink_to("/proc/self/mem"),
    "removed": lambda path: None,
}
READERS = {
    "configuration": (load_yaml, ConfigError),
    "plug-in": (_read, ConfigError),
    "code": (fingerprint._code_and_imports, OSError),
    "mirror": (read_file, InvalidDataFile),
    "images of a mirror": (lambda path: read_file(path, 100), InvalidDataFile),
    "arrays": (load_arrays, DamagedFile),
    "results": (load_json, DamagedFile),
    "published numbers": (lambda path: published(str(path.parent / "fig_claims.py"), "fig"), OSError),
}


@pytest.mark.parametrize("reader", READERS)
def test_file_that_cannot_be_read_whole_is_named_in_one_line(tmp_path, reader):
    read, error = READERS[reader]
    for number, make in enumerate(FILES.values()):
        path = tmp_path / str(number) / "fig.csv"
        path.parent.mkdir()
        make(path)
        with pytest.raises(error) as raised:
            read(path)
        (line,) = str(raised.value).splitlines()
        assert line.startswith(f"{path}: ")


def test_file_of_the_largest_size_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert read_bounded(tmp_path / "a", 3) == b"abc"
    with pytest.raises(OSError, match=r"a: cannot be read \(it has more than 2 bytes\)$"):
        read_bounded(tmp_path / "a", 2)
