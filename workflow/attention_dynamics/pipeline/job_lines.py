"""Terminal output of a run: a line for each job that has finished. Snakemake's log has its complete output.

This changes the handler that Snakemake made for the terminal. A logger plug-in would have to be a package of its own,
installed beside Snakemake and named in every profile.
"""

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from snakemake.logging import DefaultFormatter, LogEvent, logger

from attention_dynamics.pipeline.estimate import estimate_seconds, format_duration, format_estimate
from attention_dynamics.pipeline.times import load_committed_times, load_measured_times, load_time

TERMINAL_HANDLER = "DefaultStreamHandler"
# The pace begins as if jobs of this length had taken as long as estimated: the first jobs alone say little.
PRIOR_S = 30.0
HIDDEN_EVENTS = (
    LogEvent.WORKFLOW_STARTED, LogEvent.RESOURCES_INFO, LogEvent.RUN_INFO, LogEvent.JOB_STARTED, LogEvent.JOB_INFO,
    LogEvent.GROUP_INFO, LogEvent.PROGRESS,
)  # fmt: skip
HIDDEN_MESSAGES = ("Building DAG", "Using shell", "Select jobs", "Conda environments: ignored", "Group jobs: inactive")


class JobLines(DefaultFormatter):  # type: ignore[misc]  # Snakemake has no types
    """Formatter and filter of the terminal: one line for each job that has finished.

    cores: how many jobs run at once; None on a cluster, where nobody knows how long jobs wait.
    """

    def __init__(self, cores: int | None, show_failed_logs: bool) -> None:
        super().__init__(show_failed_logs=show_failed_logs)
        self.cores = cores
        self.total, self.finished = 0, 0
        # By the number of the job: its line without times, and its benchmark file.
        self.jobs: dict[int, tuple[str, str | None]] = {}
        # Estimates of pending jobs by benchmark file; seconds of the finished ones, estimated and measured.
        self.estimates: dict[str, float | None] = {}
        self.estimated_s = self.measured_s = PRIOR_S

    def start(self, benchmarks: Iterable[str | None], logs: Path) -> str:
        """Return the first line of a run. benchmarks: the files of all pending jobs, None if a job has none."""
        files = list(benchmarks)
        self.total = len(files)
        pending = sorted(str(file) for file in files if file is not None)
        known = load_committed_times() | load_measured_times(logs)
        self.estimates = {file: next(iter(estimate_seconds([file], known)[0]), None) for file in pending}
        return format_estimate(pending, known, self.cores)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True for what the terminal shows."""
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO:
            details: Mapping[str, Any] = vars(record)
            name = "/".join(map(str, details["wildcards"].values()))
            self.jobs[details["jobid"]] = f"{details['rule_name']} {name}".strip(), details["benchmark"]
        hidden = event is None and record.levelno == logging.INFO and str(record.msg).startswith(HIDDEN_MESSAGES)
        return event not in HIDDEN_EVENTS and not hidden

    def format_job_finished(self, msg: Mapping[str, Any]) -> str:
        """Return the line of a job: its number, rule and figure or run, its seconds, and those of the pending jobs."""
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
        """Return how long the pending jobs take, at the pace of the finished ones."""
        known = [seconds for seconds in self.estimates.values() if seconds is not None]
        if self.cores is None or not known:
            return ""
        rest = max(sum(known) / self.cores, max(known)) * self.measured_s / self.estimated_s
        unknown = len(self.estimates) - len(known)
        besides = f" and {unknown} jobs of unknown run time" if unknown else ""
        return f", about {format_duration(rest)}{besides} left"


def show_job_lines(lines: JobLines) -> None:
    """Let Snakemake's handler for the terminal print these lines."""
    for handler in logger.handlers:
        if handler.name == TERMINAL_HANDLER:
            handler.setFormatter(lines)
            handler.addFilter(lines.filter)
