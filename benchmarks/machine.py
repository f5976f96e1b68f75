"""Peak rates of one core of this machine, and measurement of CPU time."""

import platform
import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

import numpy as np
import torch


class Rates(NamedTuple):
    """flops: per second, in large matrix products; memory, cache: bytes per second read and written by copies."""

    flops: float
    memory: float
    cache: float


def cpu_seconds(work: Callable[[], object], repeats: int = 1) -> tuple[float, object]:
    """Return the median CPU seconds of ``work`` over the repeats, and its last result."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        taken.append(time.process_time() - start)
    return median(taken), result


def measure_rates() -> Rates:
    """Measure the rates of one core, in double precision; copies are of 160 MB and of 256 KB, in cache."""
    a, out = np.random.default_rng(0).standard_normal((1000, 1000)), np.empty((1000, 1000))
    multiply, _ = cpu_seconds(lambda: [np.matmul(a, a, out=out) for _ in range(3)], 5)

    def copying(count: int, times: int) -> float:
        source, target = np.ones(count), np.ones(count)
        seconds, _ = cpu_seconds(lambda: [np.copyto(target, source) for _ in range(times)], 5)
        return 2 * source.nbytes * times / seconds

    return Rates(3 * 2 * 1000**3 / multiply, copying(20_000_000, 1), copying(32_000, 2000))


def versions() -> str:
    """Return the processor family and the versions of Python and torch."""
    return f"{platform.machine()}, Python {platform.python_version()}, torch {torch.__version__.split('+')[0]}"
