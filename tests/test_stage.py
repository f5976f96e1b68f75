"""The frame around a job."""

from types import SimpleNamespace

import pytest

from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.pipeline.stage import stage


@pytest.fixture
def job(tmp_path):
    """A job as Snakemake describes it to its script."""
    spec = {"modules": ["attention_dynamics.optim.gd"]}
    params = SimpleNamespace(spec=spec, code=stage_fingerprint("train", spec))
    return SimpleNamespace(rule="train", wildcards=["max_margin/a/b"], params=params, log=[str(tmp_path / "train.log")])


def log(job) -> str:
    with open(job.log[0]) as file:
        return file.read()


def test_what_a_job_prints_goes_to_its_log(job, capsys):
    with stage(job) as given:
        print("working")
    assert given is job
    assert log(job).endswith(": started\nworking\n")
    assert capsys.readouterr() == ("", "")


def test_an_error_is_one_line_on_the_terminal_and_a_traceback_in_the_log(job, capsys):
    with pytest.raises(SystemExit, match="1"), stage(job):
        raise KeyError("gmm")
    assert capsys.readouterr().err == f"train/max_margin/a/b: KeyError: 'gmm' (log: {job.log[0]})\n"
    assert "Traceback" in log(job)


def test_a_job_whose_code_was_edited_since_it_was_planned_does_nothing(job, capsys):
    job.params.code = "planned for other code"
    with pytest.raises(SystemExit, match="1"), stage(job):
        pytest.fail("the job ran")
    assert "edited after this run was planned" in capsys.readouterr().err


def test_a_plug_in_is_imported_before_the_code_is_compared(job, capsys):
    job.params.spec["modules"].append("attention_dynamics.optim.not_there")
    with pytest.raises(SystemExit, match="1"), stage(job):
        pytest.fail("the job ran")
    assert "ModuleNotFoundError" in capsys.readouterr().err
