"""Checks when Snakemake starts: stale locks, dates of results, and file systems that have no locks to tell them by."""

import errno
import fcntl
import os
import time

import pytest

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.pipeline import startup
from attention_dynamics.pipeline.startup import check_times, clear_stale_locks


@pytest.fixture
def stale(tmp_path):
    """Leave the locks of a killed Snakemake in a working directory."""
    file = tmp_path / ".snakemake" / "locks" / "0.input.lock"
    file.parent.mkdir(parents=True)
    file.touch()
    return file


def test_stale_lock_is_removed(tmp_path, stale):
    clear_stale_locks(tmp_path)
    assert not stale.exists()


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_nothing_is_removed_without_file_locks(tmp_path, stale, monkeypatch, code):
    def refused(descriptor, operation):
        raise OSError(code, "no locks here")

    monkeypatch.setattr(fcntl, "flock", refused)
    clear_stale_locks(tmp_path)
    assert stale.exists()


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path, monkeypatch):
    def refused(path, flags, mode):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(startup.os, "open", refused)
    with pytest.raises(ConfigError, match=r"\.snakemake: cannot be written \(Read-only file system\): "):
        clear_stale_locks(tmp_path)


def test_a_file_dated_in_the_future_is_named(tmp_path):
    file = tmp_path / "a" / "train.npz"
    file.parent.mkdir()
    file.touch()
    check_times(tmp_path)
    os.utime(file, (0, time.time() + 10**6))
    with pytest.raises(ConfigError, match=r"a/train.npz: is dated in the future"):
        check_times(tmp_path)


def test_a_file_that_vanishes_while_dates_are_checked_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "train.npz").touch()
    monkeypatch.setattr(os, "walk", lambda folder: [(str(tmp_path), [], ["train.npz.tmp", "train.npz"])])
    check_times(tmp_path)
