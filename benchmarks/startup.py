"""Time of Snakemake with little to do: python benchmarks/startup.py [CHECKOUT ...].

In every checkout `make figures` must have run. As root, cold starts are measured, too, with an empty page cache.
A dry run of all jobs is compared with one of as many jobs in which nothing is: what is Snakemake's own.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

FIGURE = "figures/max_margin/fig4a.pdf"
# The other triggers differ between versions of the code.
BY_TIME = ("--rerun-triggers", "mtime")
ALL = "dry run of all jobs"
COMMANDS = {
    "nothing to do": ("figures/all", *BY_TIME),
    "dry run, nothing to do": ("-n", "figures/all", *BY_TIME),
    ALL: ("-n", "--forceall", "figures/all"),
    "one figure drawn again": (FIGURE, *BY_TIME),
}
WARM, COLD = 7, 3
# As many jobs as `make figures` runs, with the directives of our rules.
EMPTY = """
rule:
    name: "figures/all"
    input: expand("{n}.txt", n=range(527))
rule empty:
    output: "{n}.txt"
    log: "{n}.log"
    benchmark: "{n}.jsonl"
    conda: "empty.yaml"
    params: spec=lambda wildcards: {"n": wildcards.n}, code=lambda wildcards: wildcards.n
    script: "empty.py"
"""
CACHES = Path("/proc/sys/vm/drop_caches")


def seconds(checkout: Path, arguments: tuple[str, ...], cold: bool) -> float:
    """Return the wall time of a command of this Python's Snakemake."""
    if FIGURE in arguments:
        (checkout / FIGURE).unlink()
    if cold:
        os.sync()
        CACHES.write_text("3")
    began = time.perf_counter()
    command = [sys.executable, "-m", "snakemake", *arguments]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True)  # noqa: S603 (ours)
    return time.perf_counter() - began


def measured(checkouts: list[Path], arguments: tuple[str, ...], cold: bool, times: int) -> list[str]:
    """Return median and range for every checkout, measured in turns, because a machine's speed changes."""
    taken = [[seconds(checkout, arguments, cold) for checkout in checkouts] for _ in range(times)]
    return [f"{median(one):.1f} ({min(one):.1f} to {max(one):.1f})" for one in zip(*taken, strict=True)]


def print_table(given: list[Path], empty: Path) -> None:
    """Print a row for every checkout and command. empty: the folder of the empty jobs."""
    print("| checkout | command | cold, s | warm, s |\n|---|---|---|---|")
    for name, arguments in COMMANDS.items():
        checkouts = [*given, empty] if name == ALL else given
        for checkout in checkouts:
            seconds(checkout, arguments, cold=False)
        root = os.access(CACHES, os.W_OK)
        cold = measured(checkouts, arguments, True, COLD) if root else ["–"] * len(checkouts)
        warm = measured(checkouts, arguments, False, WARM)
        for checkout, *numbers in zip(checkouts, cold, warm, strict=True):
            print(f"| {checkout.name} | {name} | {' | '.join(numbers)} |", flush=True)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        empty = Path(folder) / "empty jobs"
        empty.mkdir()
        for name, text in {"Snakefile": EMPTY, "empty.py": "", "empty.yaml": "dependencies: []\n"}.items():
            (empty / name).write_text(text)
        print_table([Path(given).resolve() for given in sys.argv[1:] or ["."]], empty)
