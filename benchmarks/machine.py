"""What one core of this machine does at best, and how CPU time is taken."""

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
    """Median CPU seconds of ``work`` over the repeats, and what it returned last."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        taken.append(time.process_time() - start)
    return median(taken), result


def measure_rates() -> Rates:
    """Rates of one core, in double precision; the copies are of 160 MB and of the 256 KB that a cache holds."""
    a, out = np.random.default_rng(0).standard_normal((1000, 1000)), np.empty((1000, 1000))
    multiply, _ = cpu_seconds(lambda: [np.matmul(a, a, out=out) for _ in range(3)], 5)

    def copying(count: int, times: int) -> float:
        source, target = np.ones(count), np.ones(count)
        seconds, _ = cpu_seconds(lambda: [np.copyto(target, source) for _ in range(times)], 5)
        return 2 * source.nbytes * times / seconds

    return Rates(3 * 2 * 1000**3 / multiply, copying(20_000_000, 1), copying(32_000, 2000))


def versions() -> str:
    """Processor family and the versions that matter."""
    return f"{platform.machine()}, Python {platform.python_version()}, torch {torch.__version__.split('+')[0]}"
