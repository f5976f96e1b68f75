"""Terminal output: a line for each job that has finished, and no more than can be read of one that fails or is planned.

Snakemake's log has its complete output.

This changes the handler that Snakemake made for the terminal. A logger plug-in would have to be a package of its own,
installed beside Snakemake and named in every profile.
"""

import logging
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from snakemake.logging import DefaultFormatter, LogEvent, logger

from attention_dynamics.pipeline.estimate import estimate_seconds, format_estimate, format_time
from attention_dynamics.pipeline.times import load_committed_times, load_measured_times, load_time

TERMINAL_HANDLER = "DefaultStreamHandler"
# Of a job that fails or is planned.
MAX_FILES, MAX_LINES, MAX_CHARACTERS = 3, 20, 300
# The pace begins as if jobs of this length had taken as long as estimated: the first jobs alone say little.
PRIOR_S = 30.0
HIDDEN_EVENTS = (
    LogEvent.WORKFLOW_STARTED, LogEvent.RESOURCES_INFO, LogEvent.RUN_INFO, LogEvent.JOB_STARTED, LogEvent.JOB_INFO,
    LogEvent.GROUP_INFO, LogEvent.PROGRESS,
)  # fmt: skip
HIDDEN_MESSAGES = (
    "Building DAG", "Using shell", "Select jobs", "Conda environments: ignored", "Group jobs: inactive",
    "Shutting down",
)  # fmt: skip
# They say again that a job failed, not why. A job that dies of a signal has another message.
HIDDEN_ERRORS = ("returned non-zero exit status", "At least one job did not complete successfully")


class ShortFormatter(DefaultFormatter):  # type: ignore[misc]  # Snakemake has no types
    """Snakemake's formatter, which names few files of a job and cuts its reason and its log.

    quiet, show_failed_logs: of Snakemake's output settings.
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
        """Return the description of a group that failed; that of each of its jobs follows."""
        jobs = [_with_few_files(job) for job in msg["job_error_info"]]
        text = super().format_group_error({**msg, "job_error_info": jobs})
        return "\n".join([text, *self._last_lines(msg["aux_logs"])])

    def _last_lines(self, logs: Iterable[str]) -> Iterator[str]:
        for file in logs if self.shows_logs else ():
            with suppress(OSError), open(file, encoding="utf-8", errors="replace") as log:
                yield f"Last lines of {file}:"
                yield from (_cut(line.rstrip()) for line in deque(log, MAX_LINES))


def _with_few_files(msg: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of a job with only some of its files."""
    files = {key: list(msg[key]) for key in ("input", "output") if msg.get(key)}
    return {**msg, **{
        key: [*names[:MAX_FILES], f"... ({len(names)} files)"] if len(names) > MAX_FILES else names
        for key, names in files.items()
    }}  # fmt: skip


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}... ({len(text):,} characters)"


class JobLines(ShortFormatter):
    """Formatter and filter of the terminal: one line for each job that has finished.

    cores: how many jobs run at once; None on a cluster, where nobody knows how long jobs wait.
    """

    def __init__(self, quiet: Collection[Any] | None, show_failed_logs: bool, cores: int | None = None) -> None:
        super().__init__(quiet, show_failed_logs)
        self.cores = cores
        self.total, self.finished = 0, 0
        # By the number of the job: its line without times, and its benchmark file.
        self.jobs: dict[int, tuple[str, str | None]] = {}
        # Estimates of pending jobs by benchmark file; seconds of the finished ones, estimated and measured.
        self.estimates: dict[str, float | None] = {}
        self.estimated_s = self.measured_s = PRIOR_S

    def start(self, benchmarks: Iterable[str | None], logs: Path) -> str:
        """Return the first line of a run. benchmarks: the files of all pending jobs, None if a job has none."""
        pending = sorted(str(file) for file in benchmarks if file is not None)
        known = load_committed_times() | load_measured_times(logs)
        self.estimates = {file: next(iter(estimate_seconds([file], known)[0]), None) for file in pending}
        return format_estimate(pending, known, self.cores)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True for what the terminal shows."""
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
        pace, unknown = self.measured_s / self.estimated_s, len(self.estimates) - len(known)
        return f", {format_time([seconds * pace for seconds in known], unknown, self.cores, ' left')}"


def set_terminal(formatter: ShortFormatter) -> None:
    """Let Snakemake's handler for the terminal use a formatter."""
    for handler in logger.handlers:
        if handler.name == TERMINAL_HANDLER:
            handler.setFormatter(formatter)
            if isinstance(formatter, JobLines):
                handler.addFilter(formatter.filter)
