"""Lines that the terminal shows of a run."""

import json
import logging
import re

import pytest
from snakemake.logging import LogEvent

from attention_dynamics.pipeline import job_lines
from attention_dynamics.pipeline.job_lines import MAX_CHARACTERS, JobLines, ShortFormatter

ESTIMATES = {"logs/smoke/a/p/train.jsonl": 100.0, "logs/smoke/a/q/train.jsonl": 60.0, "logs/smoke/a/f/draw.jsonl": 2.0}


def record(event: LogEvent | None, msg: str | None = None, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", logging.INFO, "", 0, msg, (), None)
    vars(made).update({"event": event} if event else {}, **extra)
    return made


def job_lines_of(total: int, cores: int | None = None) -> JobLines:
    """Return the lines of a run of so many jobs."""
    lines = JobLines(None, True, cores)
    assert not lines.filter(record(LogEvent.RUN_INFO, "Job stats", stats={"total": total}))
    return lines


def run_job(lines: JobLines, number: int, benchmark: str | None, rule: str = "train") -> str:
    """Return the line of a job that begins and ends."""
    wildcards = {"run": "a/p"} if benchmark else {}
    info = record(LogEvent.JOB_INFO, jobid=number, rule_name=rule, wildcards=wildcards, benchmark=benchmark)
    assert not lines.filter(info)
    finished = record(LogEvent.JOB_FINISHED, f"Finished jobid: {number}", job_id=number)
    assert lines.filter(finished)
    return lines.format(finished)


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """A folder of logs in which a training took 150 s, and committed times."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(job_lines, "load_committed_times", lambda: ESTIMATES)
    monkeypatch.setattr(job_lines, "load_measured_times", lambda folder: {})
    benchmark = tmp_path / "logs/smoke/a/p/train.jsonl"
    benchmark.parent.mkdir(parents=True)
    benchmark.write_text(json.dumps({"s": 150.0}))
    return tmp_path / "logs"


def test_job_line_has_rule_run_seconds_and_rest_at_the_pace_so_far(logs):
    lines = job_lines_of(4, cores=2)
    assert lines.start([*ESTIMATES, None], logs) == "3 jobs (2 train, 1 draw): about 1 min 40 s with --cores 2"
    # The training of q alone, 60 s, takes longer than all jobs on two cores; 30 s are the prior.
    rest = 60 * (30 + 150) / (30 + 100)
    assert (
        run_job(lines, 1, "logs/smoke/a/p/train.jsonl")
        == f"1 of 4  train a/p  150.0 s, about 1 min {rest - 60:.0f} s left"
    )
    assert run_job(lines, 2, None, "figures/all") == "2 of 4  figures/all"


def test_job_line_names_jobs_of_unknown_run_time(logs):
    lines = job_lines_of(4, cores=1)
    lines.start([*ESTIMATES, "logs/smoke/a/f/judge.jsonl"], logs)
    line = run_job(lines, 1, "logs/smoke/a/p/train.jsonl")
    assert re.search(r"150\.0 s, at least 1 min \d+ s left; 1 job has no estimate$", line)


def test_job_lines_without_hooks_have_the_number_of_all_jobs(logs):
    assert run_job(job_lines_of(12), 1, None) == " 1 of 12  train"


def test_cluster_has_no_estimate(logs):
    lines = job_lines_of(3, cores=None)
    assert lines.start(ESTIMATES, logs) == "3 jobs (2 train, 1 draw)"
    assert run_job(lines, 1, "logs/smoke/a/p/train.jsonl") == "1 of 3  train a/p  150.0 s"


@pytest.mark.parametrize(
    ("event", "message", "shown"),
    [
        (LogEvent.PROGRESS, None, False),
        (LogEvent.WORKFLOW_STARTED, "Workflow has started!", False),
        (None, "Building DAG of jobs...", False),
        (None, "Nothing to be done (all requested files are present and up to date).", True),
        (None, "Trying to restart job 3.", True),
        (LogEvent.JOB_ERROR, "Error in rule train", True),
        (LogEvent.GROUP_ERROR, "Error in group a", True),
        (LogEvent.ERROR, "WorkflowError", True),
        (LogEvent.ERROR, "CalledProcessError in file a:\nCommand 'b' returned non-zero exit status 1.", False),
        (LogEvent.ERROR, "CalledProcessError in file a:\nCommand 'b' died with <Signals.SIGSEGV: 11>.", True),
        (LogEvent.ERROR, "WorkflowError:\nAt least one job did not complete successfully.", False),
    ],
)
def test_terminal_hides_what_is_not_about_results_or_errors(event, message, shown):
    stats = {"stats": {"total": 1}} if event == LogEvent.RUN_INFO else {}
    assert JobLines(None, True).filter(record(event, message, **stats)) == shown


JOB = {
    "rule_name": "comparison", "rule_msg": None, "jobid": 7, "output": ["a.csv", "a.pdf"], "benchmark": None,
    "wildcards": {}, "priority": 0, "threads": 1, "resources": {}, "local": True, "is_checkpoint": False,
    "conda_env": None, "shellcmd": None, "aux": {},
}  # fmt: skip


def test_planned_job_has_few_files_and_a_short_reason():
    many = [f"results/cell{number}.npz" for number in range(900)]
    planned = record(LogEvent.JOB_INFO, **JOB, input=many, log=[], reason="Params have changed: " + "x" * 10**5)
    said = ShortFormatter(None, True).format(planned)
    assert "input: results/cell0.npz, results/cell1.npz, results/cell2.npz, ... (900 files)\n" in said
    assert "output: a.csv, a.pdf\n" in said
    assert "reason: Params have changed: xxx" in said
    assert len(said) < 2 * MAX_CHARACTERS


@pytest.mark.parametrize("shows_logs", [True, False])
def test_failed_job_has_few_files_and_the_last_lines_of_its_log(tmp_path, shows_logs):
    log = tmp_path / "job.log"
    log.write_bytes(b"\xff a line\n" * 10**4 + b"comparison: DamagedFile: results/a.npz\n")
    many = [f"results/cell{number}.npz" for number in range(900)]
    job = JOB | {"input": many, "log": [str(log)]}
    said = ShortFormatter(None, shows_logs).format(record(LogEvent.JOB_ERROR, "Error", **job))
    assert "Error in rule comparison:" in said
    assert f"log: {log} (check" in said
    assert said.endswith("\ncomparison: DamagedFile: results/a.npz") == shows_logs
    assert len(said) < 1500
    group = {"aux_logs": [str(log)], "job_error_info": [job] * 2}
    assert len(ShortFormatter(None, shows_logs).format(record(LogEvent.GROUP_ERROR, "Error", **group))) < 2000
