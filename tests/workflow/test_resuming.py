"""A job that trains a network and is killed goes on where it was, to the same bytes."""

import os
import random
import signal
import subprocess
import time

import pytest

from conftest import fresh

pytestmark = pytest.mark.workflow

KILLS = 4
RUN = "results/laptop/max_margin/cifar10/from-embedded/vit"
TRAINED = f"{RUN}/train.npz"


def small(paper: dict) -> None:
    """About six seconds of training, with a checkpoint every 500 of its 1800 steps."""
    run = paper["runs"]["vit"] | {"epochs": 10, "batch_size": 8, "seeds": [0]}
    run["network"] = {"kind": "vit", "patch": 4, "dim": 16, "depth": 1, "heads": 2, "mlp": 16}
    paper["runs"] = {"vit": run}
    paper["problems"] = {"cifar10": paper["problems"]["cifar10"]}
    figure = paper["figures"]["fig7"]
    paper["figures"] = {"fig7": figure | {"claims": {}}}
    paper["scales"] = {}


def test_a_killed_job_goes_on_to_the_same_weights_and_numbers(tmp_path):
    reference = fresh(tmp_path / "reference")
    reference.configure(small)
    began = time.monotonic()
    reference.snakemake(TRAINED)
    duration = time.monotonic() - began
    killed = fresh(tmp_path / "killed")
    killed.configure(small)
    moments, interrupted = random.Random(1), 0
    for _ in range(KILLS):
        process = subprocess.Popen(
            killed.command(TRAINED), cwd=killed.root, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(moments.uniform(0.4, 0.9) * duration)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            interrupted += 1
        process.wait()
    assert interrupted
    killed.snakemake(TRAINED)
    assert (killed.root / TRAINED).read_bytes() == (reference.root / TRAINED).read_bytes()
    assert [file.name for file in (killed.root / RUN).glob("*.npz")] == ["train.npz"]
