"""Lines for the log of a long job, with the time that it still needs."""

import time
from collections.abc import Callable
from datetime import timedelta

QUIET = 30.0


def log(line: str) -> None:
    """Print a line now, also into a file."""
    print(line, flush=True)


class Progress:
    """Reports how a job gets on that begins after ``start`` of ``total`` steps, or whatever they are called."""

    def __init__(self, report: Callable[[str], None], start: int, total: int, called: str = "step") -> None:
        self.report, self.start, self.total, self.called = report, start, total, called
        self.began = self.last = time.monotonic()

    def say(self, text: str, done: int) -> None:
        """Report a text, the time since the beginning, and, as fast as steps were so far, that to the end."""
        self.last = time.monotonic()
        spent, steps = self.last - self.began, done - self.start
        left = f", {_clock(spent / steps * (self.total - done))} left" if steps else ""
        self.report(f"{text}; {_clock(spent)}{left}")

    def tick(self, done: int) -> None:
        """Report the number of steps where nothing was said for ``QUIET`` seconds."""
        if time.monotonic() - self.last > QUIET:
            self.say(f"{self.called} {done} of {self.total}", done)


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))
