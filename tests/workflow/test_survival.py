"""Damage, kills, several runs at once: never a wrong result, always a way on."""

import os
import random
import re
import signal
import subprocess
import sys
import time
import venv
from functools import partial
from pathlib import Path

import pytest

from conftest import SMALL_CLAIMS, Repository, fresh, one_figure, wait_until

TRAINED = "results/laptop/max_margin/multiple_inputs/constant_step/train.npz"
MEASURED = "results/laptop/max_margin/multiple_inputs/constant_step/measures.npz"
OTHER = "results/laptop/max_margin/multiple_inputs/normalized_step/train.npz"


def test_exchanged_intermediate_is_refused_with_name(repository, finished):
    """All other damage is the store's to notice, see its tests."""
    path = repository.root / TRAINED
    path.write_bytes((repository.root / OTHER).read_bytes())
    printed = repository.refusal("figures/all")
    assert f"measure/max_margin/multiple_inputs/constant_step: DamagedFile: {TRAINED}" in printed
    assert "Delete this file" in printed
    assert "Error in rule measure" in printed
    assert re.search(r"Last lines of \S*/measure.log:\n.*: started\n.*DamagedFile.*\nExiting", printed)
    path.unlink()
    # The figures are still good, so it takes asking for the intermediates to have them computed again.
    repository.snakemake("figures/all", MEASURED)
    assert repository.digests() == finished.digests()


# Some of the problems, runs, SVMs and measures that no other test computes twice; Fig 9 is split into shards, and Scan
# and snap runs on a cluster, where there is Slurm.
VARIED = {"max_margin": ("ext_ties",), "fast_rates": ("ext_stepsize",), "mirror_descent": ("ext_p_sweep",)}
# A figure of every paper, to kill at smoke scale.
KILLED = VARIED | {"scan_and_snap": ("fig3",)}
LONGEST_WAIT_S = 40


def small(root: Path, papers: dict[str, tuple[str, ...]]) -> Repository:
    """Repository to compute and kill: figures of papers at smoke scale, or one small figure."""
    if not papers:
        repository = fresh(root)
        repository.configure(one_figure, claims={"fig1": SMALL_CLAIMS["fig1"]})
        return repository
    repository = fresh(root, tuple(papers))
    repository.edit("config/config.yaml", "scale: laptop", "scale: smoke")
    for paper, names in papers.items():
        repository.configure(partial(keep_figures, names), paper)
    return repository


@pytest.mark.parametrize(("papers", "least"), [({}, 5), pytest.param(KILLED, 50, marks=pytest.mark.long)])
def test_killed_run_resumes_to_same_bytes(tmp_path, papers, least):
    reference = small(tmp_path / "reference", papers)
    began = time.monotonic()
    reference.snakemake("figures/all")
    duration = time.monotonic() - began
    moments, kills, rounds, killed = random.Random(0), 0, 1, small(tmp_path / "1", papers)
    while kills < least:
        process = killed.start("figures/all")
        try:
            assert process.wait(moments.uniform(0.3, min(duration / 2, LONGEST_WAIT_S))) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        else:
            assert killed.digests() == reference.digests()
            rounds += 1
            killed = small(tmp_path / str(rounds), papers)
    killed.snakemake("figures/all")
    assert killed.digests() == reference.digests()
    print(f"{kills} kills in {rounds} runs of {duration:.0f} s")


def test_second_run_on_same_files_is_refused(repository):
    long = {"steps": 60000, "record_every": 200}
    repository.configure(lambda paper: paper["runs"]["single_global"].update(long))
    target = "results/laptop/max_margin/single_input_global/single_global/train.npz"
    with repository.start(target) as first:
        wait_until(lambda: list((repository.root / ".snakemake" / "locks").glob("*")))
        assert "lock" in repository.snakemake(target, ok=False).stdout.lower()
    assert first.returncode == 0


@pytest.mark.long
def test_repeated_runs_give_same_bytes(tmp_path):
    """A varied part of the shipped configuration, twice, in two folders."""
    runs = [fresh(tmp_path / name, tuple(VARIED)) for name in ("one", "two")]
    for run in runs:
        for paper, names in VARIED.items():
            run.configure(partial(keep_figures, names), paper)
        run.snakemake("figures/all", "--config", "scale=smoke")
    one, two = (run.digests() for run in runs)
    assert len(one) > 25
    assert one == two


def keep_figures(names: tuple[str, ...], paper: dict) -> None:
    for part in (paper, *paper.get("scales", {}).values()):
        part["figures"] = {name: block for name, block in part.get("figures", {}).items() if name in names}


def test_a_checkout_in_a_folder_with_a_space_works(tmp_path):
    """Also its own Python, whose path Snakemake writes into the commands of jobs."""
    repository = fresh(tmp_path / "two words")
    venv.create(repository.root / ".venv", with_pip=False)
    (site,) = (repository.root / ".venv/lib").glob("python3*/site-packages")
    (site / "packages.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    target = "results/smoke/max_margin/multiple_inputs/data.npz"
    command = [repository.root / ".venv/bin/python", "-m", "snakemake", target, "--config", "scale=smoke"]
    subprocess.run(command, cwd=repository.root, check=True)
    assert (repository.root / target).exists()
