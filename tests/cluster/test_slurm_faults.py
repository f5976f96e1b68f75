"""A real Slurm, on which jobs, daemons or Snakemake itself are killed: a second run ends with the same bytes."""

import subprocess
import time

import pytest
from cluster_runs import finish, kill, running_slurm, submit
from loopback_slurm import LoopbackSlurm

from conftest import Repository, fresh, one_figure, wait_until

TRAINED = "results/laptop/max_margin/single_input_global/single_global/train.npz"
TRAINING_LOG = "logs/laptop/max_margin/single_input_global/single_global/train.log"


@pytest.fixture(scope="module")
def slurm():
    """A Slurm for this module."""
    with running_slurm() as slurm:
        yield slurm


def long_training(paper: dict) -> None:
    """Reduce a paper to one figure, whose training takes long enough to be interrupted."""
    one_figure(paper)
    paper["runs"] = {"single_global": paper["runs"]["single_global"] | {"steps": 60000, "record_every": 200}}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Repository:
    repository = fresh(tmp_path_factory.mktemp("slurm") / "undisturbed")
    repository.configure(long_training, claims={})
    repository.snakemake(TRAINED)
    return repository


def cancel_the_job(slurm: LoopbackSlurm, _: subprocess.Popen) -> None:
    slurm.run("scancel", *slurm.running())


def restart_the_node(slurm: LoopbackSlurm, _: subprocess.Popen) -> None:
    slurm.kill("slurmd")
    time.sleep(2)
    slurm.start_node()


def restart_the_controller(slurm: LoopbackSlurm, _: subprocess.Popen) -> None:
    # A job that it has not yet saved as running is unknown to it afterwards.
    (job,) = slurm.running()
    slurm.run("scontrol", "update", f"jobid={job}", "comment=saved-while-running")
    saved = slurm.folder / "state" / "job_state"
    wait_until(lambda: saved.exists() and b"saved-while-running" in saved.read_bytes())
    assert slurm.running()
    slurm.kill("slurmctld")
    time.sleep(2)
    slurm.start_controller()


def kill_snakemake(slurm: LoopbackSlurm, snakemake: subprocess.Popen) -> None:
    kill(snakemake)
    assert slurm.running()


@pytest.mark.parametrize(
    "disturb", [cancel_the_job, restart_the_node, restart_the_controller, kill_snakemake], ids=lambda f: f.__name__
)
def test_disturbed_cluster_run_resumes_to_same_bytes(slurm, undisturbed, tmp_path, disturb):
    disturbed = fresh(tmp_path / "disturbed")
    disturbed.configure(long_training, claims={})
    process = submit(disturbed, slurm, TRAINED)
    wait_until(
        lambda: (disturbed.root / TRAINING_LOG).is_file() and "started" in (disturbed.root / TRAINING_LOG).read_text()
    )
    disturb(slurm, process)
    # Snakemake waits forever for a job that Slurm has forgotten, until its user stops it.
    try:
        process.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        kill(process)
        process.communicate()
    # Where it was not tried again within the same run, and without waiting for jobs that outlived it.
    finish(submit(disturbed, slurm, TRAINED))
    wait_until(lambda: not slurm.running())
    assert disturbed.digests() == undisturbed.digests()
