"""Lines that a job prints: its progress, with an estimate of the remaining time, and the message of an error."""

import time
from collections.abc import Callable
from datetime import timedelta

REPORT_INTERVAL_S = 30.0
# Longer error messages are cut: the error of a plug-in may have a large array as its message.
MAX_MESSAGE_CHARACTERS = 2000


def log(line: str) -> None:
    """Print a line and flush it, so that it appears at once even if the output goes to a file."""
    print(line, flush=True)


def one_line(error: BaseException) -> str:
    """Return the message of an error and its notes, without line breaks, cut to MAX_MESSAGE_CHARACTERS."""
    text = "; ".join(" ".join(part.split()) for part in (str(error), *getattr(error, "__notes__", ())))
    return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[:MAX_MESSAGE_CHARACTERS]} ..."


class Progress:
    """Progress of a job that resumes after ``start`` of ``total`` steps.

    report: function that prints a line. unit: name of a step in the printed lines.
    """

    def __init__(self, report: Callable[[str], None], start: int, total: int, unit: str = "step") -> None:
        self.report, self.start, self.total, self.unit = report, start, total, unit
        self.began = self.last = time.monotonic()

    def say(self, text: str, done: int) -> None:
        """Report a text, the time since this object was created, and an estimate of the remaining time.

        done: number of completed steps, including the ``start`` steps of an earlier process.
        """
        self.last = time.monotonic()
        spent, steps = self.last - self.began, done - self.start
        remaining = f", {_clock(spent / steps * (self.total - done))} left" if steps else ""
        self.report(f"{text}; {_clock(spent)}{remaining}")

    def tick(self, done: int) -> None:
        """Report the number ``done`` of completed steps if nothing was reported for ``REPORT_INTERVAL_S`` seconds."""
        if time.monotonic() - self.last > REPORT_INTERVAL_S:
            self.say(f"{self.unit} {done} of {self.total}", done)


def _clock(seconds: float) -> str:
    """Return a duration as hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))
