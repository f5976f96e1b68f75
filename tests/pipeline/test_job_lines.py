"""Lines that the terminal shows of a run."""

import json
import logging

import pytest
from snakemake.logging import LogEvent

from attention_dynamics.pipeline import job_lines
from attention_dynamics.pipeline.job_lines import JobLines

ESTIMATES = {"logs/smoke/a/p/train.jsonl": 100.0, "logs/smoke/a/q/train.jsonl": 60.0, "logs/smoke/a/f/draw.jsonl": 2.0}


def record(event: LogEvent | None, msg: str | None = None, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", logging.INFO, "", 0, msg, (), None)
    vars(made).update({"event": event} if event else {}, **extra)
    return made


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
    lines = JobLines(2, show_failed_logs=True)
    assert lines.start([*ESTIMATES, None], logs) == "3 jobs (2 train, 1 draw): about 1 min 40 s with --cores 2"
    # The training of q alone, 60 s, takes longer than all jobs on two cores; 30 s are the prior.
    rest = 60 * (30 + 150) / (30 + 100)
    assert (
        run_job(lines, 1, "logs/smoke/a/p/train.jsonl")
        == f"1 of 4  train a/p  150.0 s, about 1 min {rest - 60:.0f} s left"
    )
    assert run_job(lines, 2, None, "figures/all") == "2 of 4  figures/all"


def test_job_line_names_jobs_of_unknown_run_time(logs):
    lines = JobLines(1, show_failed_logs=True)
    lines.start([*ESTIMATES, "logs/smoke/a/f/judge.jsonl"], logs)
    assert "and 1 jobs of unknown run time left" in run_job(lines, 1, "logs/smoke/a/p/train.jsonl")


def test_cluster_has_no_estimate(logs):
    lines = JobLines(None, show_failed_logs=True)
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
    ],
)
def test_terminal_hides_what_is_not_about_results_or_errors(event, message, shown):
    assert JobLines(1, show_failed_logs=True).filter(record(event, message)) == shown
