"""The frame around a job."""

import ast
import errno
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.pipeline.stage import LOG_FULL, MAX_LOG_BYTES, stage
from attention_dynamics.store import DamagedFile, load_arrays
from attention_dynamics.training import NumericalFailure
from conftest import ROOT


def fingerprint_of(spec) -> str:
    return stage_fingerprint(spec["stage"], tuple(spec["modules"]))


@pytest.fixture
def job(tmp_path):
    """A job as Snakemake describes it to its script."""
    spec = {"stage": "train", "modules": ["attention_dynamics.optim.gd"]}
    params = SimpleNamespace(spec=spec, code=fingerprint_of(spec))
    return SimpleNamespace(rule="train", wildcards=["max_margin/a/b"], params=params, log=[str(tmp_path / "train.log")])


def log(job) -> str:
    with open(job.log[0]) as file:
        return file.read()


def test_job_output_goes_to_log(job, capsys):
    with stage(job) as given:
        print("working")
    assert given is job
    assert log(job).endswith(": started\nworking\n")
    assert capsys.readouterr() == ("", "")


def raising(error: BaseException):
    """Return work that fails."""

    def work(*_) -> None:
        raise error

    return work


def failure(job, capsys, work) -> str:
    """Return what a job that does some work, and fails, prints on the terminal."""
    with pytest.raises(SystemExit, match="1"), stage(job):
        work()
    return capsys.readouterr().err


def refused(job, capsys) -> str:
    """Return what a job prints that does not even start."""
    return failure(job, capsys, lambda: pytest.fail("the job ran"))


FAILURES = [
    (raising(KeyError("gmm")), "KeyError: 'gmm'"),
    (raising(ValueError("a\nb")), "ValueError: a b"),
    (lambda: os._exit(0), "RuntimeError: os._exit(0) was called"),
    (lambda: sys.exit(0), "SystemExit: 0"),
]
EXPLAINED = [DamagedFile(Path("a.npz"), "its checksum is wrong"), NumericalFailure("not finite", {}), MemoryError()]


def test_error_prints_one_line_and_logs_traceback_unless_its_message_explains_it(job, capsys):
    for work, message in FAILURES:
        assert failure(job, capsys, work) == f"train/max_margin/a/b: {message} (log: {job.log[0]})\n"
        assert "Traceback" in log(job)
        assert log(job).endswith(f"\ntrain/max_margin/a/b: {message}\n")
    for error in EXPLAINED:
        line = failure(job, capsys, raising(error))
        assert "Traceback" not in log(job)
        assert log(job).splitlines()[-1] == line.removesuffix(f" (log: {job.log[0]})\n")


def test_job_with_edited_code_or_plugin_that_is_gone_does_not_run(job, capsys):
    job.params.code = "planned for other code"
    assert "edited after this run was planned" in refused(job, capsys)
    job.params.spec["modules"].append("attention_dynamics.optim.not_there")
    assert "ModuleNotFoundError" in refused(job, capsys)


def test_nonfinite_numbers_name_seed_and_step_and_keep_old_output(job, capsys):
    job.params.spec["sampling"] = {"seed": 7, "first": 250}
    job.params.code = fingerprint_of(job.params.spec)
    before = {"step": np.array([0, 1]), "p": np.zeros((2, 3))}
    error = NumericalFailure("p is not finite at step 2 (problem 1, start 0)", before)
    line = failure(job, capsys, raising(error))
    assert line.startswith(
        "train/max_margin/a/b: problems of seed = 7, first = 250: NumericalFailure: p is not finite at step 2"
    )
    kept = job.log[0].replace("train.log", "train.failed.npz")
    assert f"The trajectory before that step is in {kept}" in line
    np.testing.assert_array_equal(load_arrays(kept)["p"], before["p"])


def test_memory_error_is_reported(job, capsys):
    for allocate in (np.ones, torch.ones):
        with pytest.raises((MemoryError, RuntimeError)) as raised:
            allocate(2**47)
        assert ": out of memory (" in failure(job, capsys, raising(raised.value))


def test_log_of_a_job_that_prints_without_end_is_bounded(job, capsys):
    def print_much() -> None:
        for _ in range(5):
            print("ä" * 2_000_001)
        sys.stdout.buffer.write(b"x" * MAX_LOG_BYTES)
        raise ValueError("y" * MAX_LOG_BYTES)

    printed = failure(job, capsys, print_much)
    assert len(printed) < 3000
    assert Path(job.log[0]).stat().st_size < 2 * MAX_LOG_BYTES + 5000
    begin, _, end = log(job).partition(LOG_FULL.decode())
    assert begin.endswith("ä")
    assert end.startswith("Traceback")
    assert end.splitlines()[-1].startswith("train/max_margin/a/b: ValueError: yyy")


def test_child_process_of_a_job_may_end(job):
    with stage(job):
        child = os.fork()
        if child == 0:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


NO_SPACE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "results/train.npz")


def test_full_disk_or_uncreatable_log_is_reported_in_one_line(job, capsys):
    line = failure(job, capsys, raising(NO_SPACE))
    assert "the disk is full" in line
    assert "results/train.npz" in line
    folder = Path(job.log[0]).parent
    job.log = ["/dev/full"]
    assert "the disk is full" in refused(job, capsys)
    job.log = [f"{folder}/there/is/no/such/folder.log"]
    (line,) = refused(job, capsys).splitlines()
    assert line.startswith("train/max_margin/a/b: FileNotFoundError: ")
    assert "(log:" not in line


def test_failure_is_reported_when_log_cannot_be_kept(job, capsys, monkeypatch):
    monkeypatch.setattr("attention_dynamics.pipeline.stage.save_arrays", raising(NO_SPACE))
    line = failure(job, capsys, raising(NumericalFailure("p is not finite", {})))
    assert line.startswith("train/max_margin/a/b: NumericalFailure: p is not finite (log:")


HEAVY = {"cvxpy", "matplotlib", "pandas", "scipy", "seaborn", "sklearn", "snakemake", "torch", "yaml"}
SCRIPTS = ROOT / "workflow" / "scripts"
NEEDS = {"draw": {"matplotlib"}, "svm": {"scipy"}, "selected_svm": {"scipy"}, "judge": {"scipy"}}


@pytest.mark.slow
@pytest.mark.parametrize("script", ["data", "train", "measure", *NEEDS])
def test_script_imports_only_needs_of_whole_stage(script):
    body = ast.parse((SCRIPTS / f"{script}.py").read_text()).body
    imports = [ast.unparse(node) for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    code = "\n".join([*imports, "import sys", "print(*sys.modules)"])
    environment = {"PYTHONPATH": str(SCRIPTS.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert HEAVY & set(done.stdout.split()) == NEEDS.get(script, set())
