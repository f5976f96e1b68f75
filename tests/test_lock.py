"""Snakemake's stale locks, and file systems that have no locks to tell them by."""

import errno
import fcntl

import pytest

from attention_dynamics.pipeline.lock import clear_stale_locks


@pytest.fixture
def stale(tmp_path):
    """What Snakemake leaves behind in a working directory when it is killed."""
    file = tmp_path / ".snakemake" / "locks" / "0.input.lock"
    file.parent.mkdir(parents=True)
    file.touch()
    return file


def test_what_a_killed_run_left_is_removed(tmp_path, stale):
    clear_stale_locks(tmp_path)
    assert not stale.exists()


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_without_locks_of_the_file_system_nothing_is_removed(tmp_path, stale, monkeypatch, code):
    def refused(descriptor, operation):
        raise OSError(code, "no locks here")

    monkeypatch.setattr(fcntl, "flock", refused)
    clear_stale_locks(tmp_path)
    assert stale.exists()
