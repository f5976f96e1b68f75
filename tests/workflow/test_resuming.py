"""A job that trains a network and is killed goes on where it was, to the same bytes."""

import os
import random
import signal
import subprocess
import time

from conftest import fresh, keep

KILLS = 2
RUN = "results/laptop/max_margin/cifar10/from-embedded/vit"
TRAINED = f"{RUN}/train.npz"


def small(paper: dict) -> None:
    """Some seconds of training, in which checkpoints are written all along."""
    run = paper["runs"]["vit"] | {"epochs": 6, "batch_size": 8, "seeds": [0]}
    run["network"] = {"kind": "vit", "patch": 4, "dim": 16, "depth": 1, "heads": 2, "mlp": 16}
    keep(paper, problems=("cifar10",), runs=("vit",), figures=("fig7",))
    paper["runs"] = {"vit": run}


def checkpoint_written_after(moment: float, process: subprocess.Popen, folder) -> bool:
    """Wait for a checkpoint that is newer than a moment; False where the process ends before there is one."""
    while process.poll() is None:
        if any(file.stat().st_mtime > moment for file in folder.glob("checkpoint-*.npz")):
            return True
        time.sleep(0.05)
    return False


def test_killed_job_resumes_to_same_weights_and_numbers(tmp_path):
    reference, killed = (fresh(tmp_path / name) for name in ("reference", "killed"))
    for repository in (reference, killed):
        repository.configure(small, claims={})
    reference.snakemake(TRAINED)
    moments, log = random.Random(1), killed.root / TRAINED.replace("results", "logs").replace(".npz", ".log")
    for _ in range(KILLS):
        began = time.time()
        process = killed.start(TRAINED)
        if checkpoint_written_after(began, process, killed.root / RUN):
            time.sleep(moments.uniform(0, 1))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    killed.snakemake(TRAINED)
    assert "resuming after step" in log.read_text()
    assert (killed.root / TRAINED).read_bytes() == (reference.root / TRAINED).read_bytes()
    assert [file.name for file in (killed.root / RUN).glob("*.npz")] == ["train.npz"]
