"""Run times of jobs, their estimates, and the lines that the terminal shows of a run."""

import json
import logging
import re

import pytest
from snakemake.logging import LogEvent

from attention_dynamics.pipeline import run_times
from attention_dynamics.pipeline.run_times import MAX_CHARACTERS, JobLines, ShortFormatter

KNOWN = {"logs/laptop/a/p/train.jsonl": 30.0, "logs/laptop/a/q/train.jsonl": 10.0, "logs/laptop/a/f/draw.jsonl": 2.0}


def test_last_run_of_job_counts(tmp_path):
    file = tmp_path / "laptop" / "a" / "p" / "train.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps({"s": s}) + "\n" for s in (5.0, 7.5)))
    (tmp_path / "laptop" / "empty.jsonl").touch()
    assert run_times.load_measured_times(tmp_path) == {"logs/laptop/a/p/train.jsonl": 7.5}


def test_job_without_time_uses_mean_of_stage_and_scale():
    jobs = ["logs/laptop/a/p/train.jsonl", "logs/laptop/a/new/train.jsonl", "logs/laptop/a/p/judge.jsonl"]
    assert run_times.estimate_seconds(jobs, KNOWN) == [30.0, 20.0, None]
    assert run_times.estimate_seconds(["logs/paper/a/p/train.jsonl"], KNOWN) == [None]


# Jobs, cores, and what is said of them.
ESTIMATED = [
    ([], 2, "nothing to do"),
    ([*KNOWN], 2, "3 jobs (2 train, 1 draw): about 30 s with --cores 2"),
    ([*KNOWN] * 3, 1, "9 jobs (6 train, 3 draw): about 2 min 6 s with --cores 1"),
    (["logs/laptop/a/n/draw.jsonl"] * 3000, 1, "3000 jobs (3000 draw): about 1 h 40 min with --cores 1"),
    ([*KNOWN, "logs/laptop/a/f/judge.jsonl"], 2, "1 judge): at least 30 s with --cores 2; 1 job has no estimate"),
    ([*KNOWN, *["logs/smoke/a/f/sweep.jsonl"] * 144], 2, "at least 30 s with --cores 2; 144 jobs have no estimate"),
    (["logs/paper/a/p/train.jsonl"], 2, "1 job (1 train); no run time of such a job is known"),
]


def test_estimate_is_sum_and_at_least_longest_job():
    for jobs, cores, said in ESTIMATED:
        assert said in run_times.format_estimate(jobs, KNOWN, cores)


def test_summary_lists_stages_and_longest_jobs():
    page = run_times.format_summary(KNOWN)
    assert "| train | 2 | 40 | 95% | 20.00 | 30.0 |" in page
    assert "| all | 3 | 42 |" in page
    assert page.index("| laptop/a/p/train | 30.0 |") < page.index("| laptop/a/q/train | 10.0 |")


def test_estimate_uses_requested_cores():
    for arguments, cores in ((["--cores", "8"], 8), (["-j3"], 3), (["--cores=4", "figures/all"], 4)):
        assert run_times._cores(arguments) == cores


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
    monkeypatch.setattr(run_times, "load_known_times", lambda folder: ESTIMATES)
    benchmark = tmp_path / "logs/smoke/a/p/train.jsonl"
    benchmark.parent.mkdir(parents=True)
    benchmark.write_text(json.dumps({"s": 150.0}))
    return tmp_path / "logs"


def test_job_line_has_rule_run_seconds_and_rest_at_the_pace_so_far(logs):
    lines = job_lines_of(4, cores=2)
    assert lines.start([*ESTIMATES, None], logs) == "3 jobs (2 train, 1 draw): about 1 min 40 s with --cores 2"
    # The training of q alone, 60 s, takes longer than all jobs on two cores; 30 s are the prior.
    rest = 60 * (30 + 150) / (30 + 100)
    line = run_job(lines, 1, "logs/smoke/a/p/train.jsonl")
    assert line == f"1 of 4  train a/p  150.0 s, about 1 min {rest - 60:.0f} s left"
    assert run_job(lines, 2, None, "figures/all") == "2 of 4  figures/all"


def test_job_line_without_estimate_says_so(logs):
    lines = job_lines_of(4, cores=1)
    lines.start([*ESTIMATES, "logs/smoke/a/f/judge.jsonl"], logs)
    line = run_job(lines, 1, "logs/smoke/a/p/train.jsonl")
    assert re.search(r"150\.0 s, at least 1 min \d+ s left; 1 job has no estimate$", line)
    # Without hooks the lines do not know the jobs; on a cluster there are no cores.
    assert run_job(job_lines_of(12), 1, None) == " 1 of 12  train"
    lines = job_lines_of(3, cores=None)
    assert lines.start(ESTIMATES, logs) == "3 jobs (2 train, 1 draw)"
    assert run_job(lines, 1, "logs/smoke/a/p/train.jsonl") == "1 of 3  train a/p  150.0 s"


SHOWN = [
    (None, "Nothing to be done (all requested files are present and up to date)."),
    (None, "Trying to restart job 3."),
    (LogEvent.JOB_ERROR, "Error in rule train"),
    (LogEvent.GROUP_ERROR, "Error in group a"),
    (LogEvent.ERROR, "WorkflowError"),
    (LogEvent.ERROR, "CalledProcessError in file a:\nCommand 'b' died with <Signals.SIGSEGV: 11>."),
]
HIDDEN = [
    (LogEvent.PROGRESS, None),
    (LogEvent.WORKFLOW_STARTED, "Workflow has started!"),
    (None, "Building DAG of jobs..."),
    (LogEvent.ERROR, "CalledProcessError in file a:\nCommand 'b' returned non-zero exit status 1."),
    (LogEvent.ERROR, "WorkflowError:\nAt least one job did not complete successfully."),
]


def test_terminal_hides_what_is_not_about_results_or_errors():
    assert [one for one in SHOWN + HIDDEN if JobLines(None, True).filter(record(*one))] == SHOWN


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
