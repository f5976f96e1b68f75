"""Damage, kills, several runs at once: never a wrong result, always a way on."""

import os
import random
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from conftest import SMALL_CLAIMS, Repository, fresh, shrink, wait_until

pytestmark = pytest.mark.workflow

TRAINED = "results/laptop/max_margin/multiple_inputs/constant_step/train.npz"
MEASURED = "results/laptop/max_margin/multiple_inputs/constant_step/measures.npz"
KILLS, KILLED_PAPER = int(os.environ.get("KILLS", "5")), os.environ.get("KILLED_PAPER")
OTHER = "results/laptop/max_margin/multiple_inputs/normalized_step/train.npz"


def test_an_intermediate_in_the_place_of_another_is_named_and_refused(repository, finished):
    """All other damage is the store's to notice, see its tests."""
    path = repository.root / TRAINED
    path.write_bytes((repository.root / OTHER).read_bytes())
    printed = repository.snakemake("figures/all", ok=False).stdout
    assert TRAINED in printed
    assert "Delete this file" in printed
    path.unlink()
    # The figures are still good, so it takes asking for the intermediates to have them computed again.
    repository.snakemake("figures/all", MEASURED)
    assert repository.digests() == finished.digests()


def one_figure(paper: dict) -> None:
    shrink(paper)
    paper["figures"] = {"fig1a": paper["figures"]["fig1a"]}


def small(root: Path) -> Repository:
    """What is killed: one figure, or a whole paper at the scale for tests where KILLED_PAPER names one."""
    if not KILLED_PAPER:
        repository = fresh(root)
        repository.configure(one_figure, claims={"fig1": SMALL_CLAIMS["fig1"]})
        return repository
    repository = fresh(root, (KILLED_PAPER,))
    repository.edit("config/config.yaml", "scale: laptop", "scale: smoke")
    return repository


def test_kills_at_any_moment_and_the_same_command_ends_in_the_same_bytes(tmp_path):
    """The environment may ask for more than five kills (KILLS), of a whole paper (KILLED_PAPER)."""
    reference = small(tmp_path / "reference")
    began = time.monotonic()
    reference.snakemake("figures/all")
    duration = time.monotonic() - began
    moments, kills, rounds, killed = random.Random(0), 0, 1, small(tmp_path / "1")
    while kills < KILLS:
        process = subprocess.Popen(
            killed.command("figures/all"), cwd=killed.root, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            assert process.wait(moments.uniform(0.3, duration / 2)) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        else:
            assert killed.digests() == reference.digests()
            rounds += 1
            killed = small(tmp_path / str(rounds))
    killed.snakemake("figures/all")
    assert killed.digests() == reference.digests()
    print(f"{kills} kills in {rounds} runs of {duration:.0f} s")


def test_a_second_run_on_the_same_files_is_refused_while_the_first_lives(repository):
    def long(paper):
        paper["runs"]["single_global"].update(steps=60000, record_every=200)

    repository.configure(long)
    target = "results/laptop/max_margin/single_input_global/single_global/train.npz"
    with subprocess.Popen(repository.command(target), cwd=repository.root, stderr=subprocess.DEVNULL) as first:
        wait_until(lambda: list((repository.root / ".snakemake" / "locks").glob("*")))
        refused = repository.snakemake(target, ok=False).stdout
    assert "lock" in refused.lower()
    assert first.returncode == 0


# Some of the problems, runs, SVMs and measures that no other test computes twice; Fig 9 is split into shards, and Scan
# and snap runs on a cluster, where there is Slurm.
VARIED = {"max_margin": ("ext_ties",), "fast_rates": ("ext_sigma",), "mirror_descent": ("ext_p_sweep",)}


def test_two_runs_give_the_same_bytes(tmp_path):
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
