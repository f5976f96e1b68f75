"""A full disk, a job that takes too much memory: a message that says so, and nothing half-written."""

import re
import subprocess

import pytest

from conftest import SMALL_CLAIMS, fresh, random_problems_only, shrink, wait_until

TARGET = "results/laptop/max_margin/single_input_global/single_global/train.npz"


def mount(folder, options: str) -> bool:
    """Mount a file system in memory; returns whether that was allowed."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True).returncode == 0


def test_full_disk_is_reported_and_run_resumes(finished, tmp_path):
    repository = fresh(tmp_path / "repository")
    repository.configure(shrink, claims=SMALL_CLAIMS)
    disk = repository.root / "results"
    disk.mkdir()
    if not mount(disk, "size=8k"):
        pytest.skip("needs the right to mount")
    try:
        printed = repository.snakemake(TARGET, ok=False).stdout
        assert "the disk is full" in printed
        assert not list(disk.rglob(".*.tmp"))
        mount(disk, "remount,size=100m")
        repository.snakemake(TARGET)
        assert repository.digests().items() < finished.digests().items()
    finally:
        subprocess.run(["umount", disk], check=True)


def test_killed_job_reports_lack_of_memory(repository):
    """As the system kills what takes too much, without a word to the process."""
    long = {"steps": 60000, "record_every": 200}
    repository.configure(lambda paper: paper["runs"]["single_global"].update(long))
    process = repository.start(TARGET, stdout=subprocess.PIPE)
    job = re.escape(f"{repository.root}/.snakemake/scripts")
    wait_until(lambda: subprocess.run(["pkill", "-9", "-f", job]).returncode == 0)
    printed, _ = process.communicate()
    assert process.returncode == 1
    assert "most likely because memory was full" in printed
    assert not (repository.root / TARGET).exists()


def test_excessive_memory_request_is_reported(tmp_path):
    repository = fresh(tmp_path / "repository")
    repository.configure(random_problems_only)
    repository.configure(lambda paper: paper["problems"]["random_n4_t6"].update(trials=10**11))
    target = "results/laptop/max_margin/random_n4_t6/data.npz"
    assert "more than max_memory_gb: 4" in repository.snakemake(target, ok=False).stdout
    printed = repository.snakemake(target, "--config", "max_memory_gb=1e9", ok=False).stdout
    assert ": out of memory (" in printed
    assert not (repository.root / "results").exists()


def test_plan_needs_no_gpu(repository, monkeypatch):
    """A dry run does not know where jobs would run; ``test_fetch`` covers real runs."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    for profile in ("slurm", "default"):
        config = ("--config", "device=cuda", "--workflow-profile", f"profiles/{profile}")
        repository.snakemake("-n", "figures/all", *config)
