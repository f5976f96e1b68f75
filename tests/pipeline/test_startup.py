"""Checks when Snakemake starts: stale locks, dates of results, and file systems that have no locks to tell them by."""

import errno
import fcntl
import os
import time

import pytest

from attention_dynamics.pipeline import startup
from attention_dynamics.pipeline.startup import check_times, clear_stale_locks
from helpers.refusals import refusal


def raising(error):
    """Return a function that raises an error whatever it gets."""

    def refuse(*_):
        raise error

    return refuse


@pytest.fixture
def stale(tmp_path):
    """Leave the locks of a killed Snakemake in a working directory."""
    file = tmp_path / ".snakemake" / "locks" / "0.input.lock"
    file.parent.mkdir(parents=True)
    file.touch()
    return file


def test_stale_lock_is_removed_where_there_are_file_locks(tmp_path, stale, monkeypatch):
    for code in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP):
        with monkeypatch.context() as patch:
            patch.setattr(fcntl, "flock", raising(OSError(code, "no locks here")))
            clear_stale_locks(tmp_path)
        assert stale.exists()
    clear_stale_locks(tmp_path)
    assert not stale.exists()


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(startup.os, "open", raising(OSError(errno.EROFS, "Read-only file system")))
    message = ".snakemake: cannot be written (Read-only file system): "
    assert message in refusal(clear_stale_locks, tmp_path)


def test_a_file_dated_in_the_future_is_named_and_one_that_vanishes_passed_over(tmp_path, monkeypatch):
    file = tmp_path / "a" / "train.npz"
    file.parent.mkdir()
    file.touch()
    check_times(tmp_path)
    os.utime(file, (0, time.time() + 10**6))
    assert "a/train.npz: is dated in the future" in refusal(check_times, tmp_path)
    os.utime(file)
    monkeypatch.setattr(os, "walk", lambda folder: [(str(file.parent), [], ["train.npz.tmp", "train.npz"])])
    check_times(tmp_path)
