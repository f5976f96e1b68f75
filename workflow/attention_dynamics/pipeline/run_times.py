"""Run times of jobs, measured and estimated, and their display on the terminal while Snakemake runs.

``python -m attention_dynamics.pipeline.run_times estimate [arguments]`` estimates the pending jobs of a call of
Snakemake with these arguments: targets, --config, --cores. ``... tables`` writes the run times at laptop scale:
benchmarks/times.csv with a line per job, benchmarks/times.md with a line per stage.

The terminal shows a line for each finished job, and a shortened description of a job that fails or is planned;
Snakemake's log has its complete output. For this, the handler that Snakemake made for the terminal is changed. A logger
plug-in would have to be a package of its own, installed beside Snakemake and named in every profile.
"""

import csv
import json
import logging
import os
import re
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

from snakemake.logging import DefaultFormatter, LogEvent, logger

from attention_dynamics.config.load import COMPARISON, VARIANTS
from attention_dynamics.markdown_table import markdown_table
from attention_dynamics.registry import PACKAGE

LOGS = Path("logs")
COMMITTED_TIMES = PACKAGE.parents[1] / "benchmarks" / "times.csv"
LONGEST_JOBS_COUNT = 12
TERMINAL_HANDLER = "DefaultStreamHandler"
# Limits of what is shown about a job: output files, lines of its log, characters of a line.
MAX_FILES, MAX_LINES, MAX_CHARACTERS = 3, 20, 300
# The pace is measured seconds / estimated seconds of finished jobs. It begins as if jobs of PRIOR_S seconds had met
# their estimates, because the first jobs alone say little.
PRIOR_S = 30.0
HIDDEN_EVENTS = (
    LogEvent.WORKFLOW_STARTED, LogEvent.RESOURCES_INFO, LogEvent.RUN_INFO, LogEvent.JOB_STARTED, LogEvent.JOB_INFO,
    LogEvent.GROUP_INFO, LogEvent.PROGRESS,
)  # fmt: skip
HIDDEN_MESSAGES = (
    "Building DAG", "Using shell", "Select jobs", "Conda environments: ignored", "Group jobs: inactive",
    "Shutting down",
)  # fmt: skip
# Messages that repeat that a job failed, without the reason. The message of a job that a signal ends is not hidden.
HIDDEN_ERRORS = ("returned non-zero exit status", "At least one job did not complete successfully")


def load_measured_times(logs: Path) -> dict[str, float]:
    """Return the seconds that each job took when it last ran here, by the path of its benchmark file."""
    times = {file: load_time(file) for file in sorted(logs.rglob("*.jsonl"))}
    return {(LOGS / file.relative_to(logs)).as_posix(): s for file, s in times.items() if s is not None}


def load_time(benchmark: Path) -> float | None:
    """Return the seconds of a job's last execution, from its benchmark file; None if the file is missing or empty."""
    lines = benchmark.read_text().splitlines() if benchmark.is_file() else []
    return float(json.loads(lines[-1])["s"]) if lines else None


def load_known_times(logs: Path) -> dict[str, float]:
    """Return the seconds of each job that has run here or is in the committed table, by its benchmark file."""
    committed = {}
    if COMMITTED_TIMES.is_file():
        with COMMITTED_TIMES.open(newline="") as file:
            committed = {row["benchmark"]: float(row["seconds"]) for row in csv.DictReader(file)}
    return committed | load_measured_times(logs)


def parse_benchmark_path(benchmark: str) -> tuple[str, str]:
    """Return scale and rule of a job, given the path of its benchmark file."""
    path = Path(benchmark)
    return path.parts[1], path.stem


def estimate_seconds(jobs: Iterable[str], known: Mapping[str, float]) -> list[float | None]:
    """Return the estimated run time of each job in seconds, None for a job without an estimate.

    jobs: benchmark file of each job. known: benchmark file -> seconds. The estimate of a job that is not known is the
    median of the known jobs of its stage at its scale.
    """
    stages: dict[tuple[str, str], list[float]] = {}
    for job, seconds in known.items():
        stages.setdefault(parse_benchmark_path(job), []).append(seconds)
    similar = [[known[job]] if job in known else stages.get(parse_benchmark_path(job)) for job in jobs]
    return [median(seconds) if seconds else None for seconds in similar]


def format_estimate(jobs: Sequence[str], known: Mapping[str, float], cores: int | None) -> str:
    """Return the numbers of jobs and an estimate of their run time, in words. jobs: the benchmark file of each job.

    known: see ``estimate_seconds``. cores: number of jobs that run at once; None, as on a cluster, for no estimate.
    """
    if not jobs:
        return "nothing to do"
    counts = Counter(rule for _, rule in map(parse_benchmark_path, jobs))
    stages = ", ".join(f"{count} {rule}" for rule, count in counts.most_common())
    what = f"{len(jobs)} {'job' if len(jobs) == 1 else 'jobs'} ({stages})"
    if cores is None:
        return what
    time = format_time(estimate_seconds(jobs, known), cores, f" with --cores {cores}")
    return f"{what}: {time}" if time else f"{what}; no run time of such a job is known"


def format_time(estimates: Collection[float | None], cores: int, what: str) -> str:
    """Return a text such as "about 2 min 5 s left", the wall time of jobs on ``cores`` cores.

    estimates: of each job, in seconds. If some jobs have none, the text says "at least"; if all have none, it is "".
    what: text after the time.
    """
    seconds = [estimate for estimate in estimates if estimate is not None]
    if not seconds:
        return ""
    # Even with many cores, the jobs take at least as long as the longest one.
    wall = format_duration(max(sum(seconds) / cores, max(seconds)))
    if not (unknown := len(estimates) - len(seconds)):
        return f"about {wall}{what}"
    return f"at least {wall}{what}; {unknown} {'job has' if unknown == 1 else 'jobs have'} no estimate"


def format_duration(seconds: float) -> str:
    """Return a time in words, to the second; from an hour on, to the minute."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


class ShortFormatter(DefaultFormatter):  # type: ignore[misc]  # Snakemake has no types
    """Snakemake's formatter with shorter messages about jobs.

    Messages name only some of a job's files, shorten its reason, and show only the last lines of the log if it failed.
    quiet, show_failed_logs: see Snakemake's output settings.
    """

    def __init__(self, quiet: Collection[Any] | None, show_failed_logs: bool) -> None:
        # Snakemake's own formatter would show whole logs.
        super().__init__(quiet, show_failed_logs=False)
        self.shows_logs = show_failed_logs

    def format_job_info(self, msg: Mapping[str, Any]) -> str:
        """Return the description of a planned job."""
        return str(super().format_job_info({**_with_few_files(msg), "reason": _cut(str(msg["reason"]))}))

    def format_job_error(self, msg: Mapping[str, Any]) -> str:
        """Return the description of a job that failed. The last line of its log says why."""
        return "\n".join([super().format_job_error(_with_few_files(msg)), *self._last_lines(msg["log"])])

    def format_group_error(self, msg: Mapping[str, Any]) -> str:
        """Return the description of a group that failed, and the last lines of its logs."""
        jobs = [_with_few_files(job) for job in msg["job_error_info"]]
        text = super().format_group_error({**msg, "job_error_info": jobs})
        return "\n".join([text, *self._last_lines(msg["aux_logs"])])

    def _last_lines(self, logs: Iterable[str]) -> Iterator[str]:
        for file in logs if self.shows_logs else ():
            with suppress(OSError), open(file, encoding="utf-8", errors="replace") as log:
                yield f"Last lines of {file}:"
                yield from (_cut(line.rstrip()) for line in deque(log, MAX_LINES))


def _with_few_files(msg: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of a job with at most MAX_FILES of its input and of its output files."""
    files = {key: list(msg[key]) for key in ("input", "output") if msg.get(key)}
    return {**msg, **{
        key: [*names[:MAX_FILES], f"... ({len(names)} files)"] if len(names) > MAX_FILES else names
        for key, names in files.items()
    }}  # fmt: skip


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}... ({len(text):,} characters)"


class JobLines(ShortFormatter):
    """Formatter and filter for Snakemake's output on the terminal: a line for each finished job, with the time left.

    cores: number of jobs that run at once, from which the time left is estimated. None: print no estimate, as on a
        cluster, where the time that jobs wait in the queue is unknown.
    """

    def __init__(self, quiet: Collection[Any] | None, show_failed_logs: bool, cores: int | None = None) -> None:
        super().__init__(quiet, show_failed_logs)
        self.cores = cores
        self.total, self.finished = 0, 0
        # Number of a job -> its line without times, and its benchmark file.
        self.jobs: dict[int, tuple[str, str | None]] = {}
        # Benchmark file of a pending job -> its estimate. Then the total estimated and measured time of finished jobs.
        self.estimates: dict[str, float | None] = {}
        self.estimated_s = self.measured_s = PRIOR_S

    def start(self, benchmarks: Iterable[str | None], logs: Path) -> str:
        """Return the first line of a call of Snakemake, the estimate for its pending jobs.

        benchmarks: benchmark file of each pending job, None for a job without one.
        """
        pending = sorted(str(file) for file in benchmarks if file is not None)
        known = load_known_times(logs)
        self.estimates = dict(zip(pending, estimate_seconds(pending, known), strict=True))
        return format_estimate(pending, known, self.cores)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True for a record that the terminal shows. Also note the total, the names and the files of jobs."""
        event = getattr(record, "event", None)
        if event == LogEvent.RUN_INFO:
            self.total = vars(record)["stats"]["total"]
        if event == LogEvent.JOB_INFO:
            details: Mapping[str, Any] = vars(record)
            name = "/".join(map(str, details["wildcards"].values()))
            self.jobs[details["jobid"]] = f"{details['rule_name']} {name}".strip(), details["benchmark"]
        message = str(record.msg)
        if event == LogEvent.ERROR:
            return not any(text in message for text in HIDDEN_ERRORS)
        hidden = event is None and record.levelno == logging.INFO and message.startswith(HIDDEN_MESSAGES)
        return event not in HIDDEN_EVENTS and not hidden

    def format_job_finished(self, msg: Mapping[str, Any]) -> str:
        """Return the line of a finished job: number, rule, figure or run, seconds, and estimate for pending jobs."""
        self.finished += 1
        what, benchmark = self.jobs.get(msg["job_id"], (msg["msg"], None))
        line = f"{self.finished:{len(str(self.total))}} of {self.total}  {what}"
        if benchmark is None:
            return line
        seconds, estimate = load_time(Path(benchmark)), self.estimates.pop(benchmark, None)
        if seconds is None:
            return line
        if estimate:
            self.estimated_s += estimate
            self.measured_s += seconds
        return f"{line}  {seconds:.1f} s{self._format_rest()}"

    def _format_rest(self) -> str:
        """Return the time that pending jobs will take at the pace of finished ones, as text; "" if it is unknown."""
        if self.cores is None:
            return ""
        pace = self.measured_s / self.estimated_s
        left = [None if seconds is None else seconds * pace for seconds in self.estimates.values()]
        time = format_time(left, self.cores, " left")
        return f", {time}" if time else ""


def set_terminal(formatter: ShortFormatter) -> None:
    """Let Snakemake's handler for the terminal use a formatter."""
    for handler in logger.handlers:
        if handler.name == TERMINAL_HANDLER:
            handler.setFormatter(formatter)
            if isinstance(formatter, JobLines):
                handler.addFilter(formatter.filter)


def pending_jobs(arguments: Sequence[str]) -> list[str]:
    """Return the benchmark files of all jobs that Snakemake would run. Exits with Snakemake's output if it fails."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", *arguments]
    planned = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # noqa: S603 (ours)
    if planned.returncode:
        raise SystemExit(planned.stdout)
    return re.findall(r"^    benchmark: (.*)$", planned.stdout, re.MULTILINE)


def _cores(arguments: Sequence[str]) -> int:
    asked = re.search(r"(?:^| )(?:--cores|--jobs|-c|-j)[ =]?([1-9]\d*)", " ".join(arguments))
    return int(asked[1]) if asked else len(os.sched_getaffinity(0))


def format_summary(seconds: dict[str, float]) -> str:
    """Return two Markdown tables: a line per stage, and the longest jobs. seconds: benchmark file -> seconds."""
    total = sum(seconds.values())
    stages = {
        name: [s for job, s in seconds.items() if parse_benchmark_path(job)[1] == name]
        for _, name in map(parse_benchmark_path, seconds)
    }
    rows = [
        [name, len(each), f"{sum(each):.0f}", f"{sum(each) / total:.0%}", f"{median(each):.2f}", f"{max(each):.1f}"]
        for name, each in sorted(stages.items(), key=lambda item: -sum(item[1]))
    ]
    rows.append(["all", len(seconds), f"{total:.0f}", "", "", ""])
    longest = sorted(seconds, key=seconds.__getitem__, reverse=True)[:LONGEST_JOBS_COUNT]
    jobs = [[Path(job).with_suffix("").relative_to(LOGS), f"{seconds[job]:.1f}"] for job in longest]
    head = ["stage", "jobs", "seconds in all", "share", "median", "longest"]
    return "\n".join([*markdown_table(head, rows), "", *markdown_table(["longest jobs", "seconds"], jobs)]) + "\n"


def write_tables() -> None:
    """Write benchmarks/times.csv and benchmarks/times.md. Exits if no job has run at laptop scale."""
    found = {
        job: seconds
        for job, seconds in load_measured_times(LOGS).items()
        if parse_benchmark_path(job)[0] == "laptop" and VARIANTS not in job and f"/{COMPARISON}/" not in job
    }
    if not found:
        raise SystemExit(f"{LOGS}: no benchmark files of laptop scale; run `make figures` first")
    with COMMITTED_TIMES.open("w", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["benchmark", "seconds"])
        writer.writerows((job, f"{seconds:.2f}") for job, seconds in sorted(found.items()))
    head = "# Where the time of `make figures` goes\n\nWritten by `make times` from Snakemake's benchmark files.\n\n"
    COMMITTED_TIMES.with_suffix(".md").write_text(head + format_summary(found))


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "estimate":
        print(format_estimate(pending_jobs(arguments), load_known_times(LOGS), _cores(arguments)))
    else:
        write_tables()
