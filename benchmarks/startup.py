"""How long Snakemake takes where there is little to do: python benchmarks/startup.py [CHECKOUT ...].

In every checkout `make figures` must have run. As root it is measured cold too, with nothing of the disk in memory.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

FIGURE = "figures/max_margin/fig4a.pdf"
# What else than the times of files makes Snakemake rerun a job differs between versions of the code.
BY_TIME = ("--rerun-triggers", "mtime")
COMMANDS = {
    "nothing to do": ("figures/all", *BY_TIME),
    "dry run, nothing to do": ("-n", "figures/all", *BY_TIME),
    "dry run of all jobs": ("-n", "--forceall", "figures/all"),
    "one figure drawn again": (FIGURE, *BY_TIME),
}
WARM, COLD = 7, 3
CACHES = Path("/proc/sys/vm/drop_caches")


def seconds(checkout: Path, arguments: tuple[str, ...], cold: bool) -> float:
    """Wall time of a command from its start to its end, by this Python's Snakemake."""
    if FIGURE in arguments:
        (checkout / FIGURE).unlink()
    if cold:
        os.sync()
        CACHES.write_text("3")
    began = time.perf_counter()
    command = [sys.executable, "-m", "snakemake", *arguments]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True)  # noqa: S603 (ours)
    return time.perf_counter() - began


def measured(checkout: Path, arguments: tuple[str, ...], cold: bool, times: int) -> str:
    """Median and range over some times."""
    taken = [seconds(checkout, arguments, cold) for _ in range(times)]
    return f"{median(taken):.1f} ({min(taken):.1f} to {max(taken):.1f})"


if __name__ == "__main__":
    print("| checkout | command | cold, s | warm, s |\n|---|---|---|---|")
    for checkout in (Path(given).resolve() for given in sys.argv[1:] or ["."]):
        for name, arguments in COMMANDS.items():
            seconds(checkout, arguments, cold=False)
            cold = measured(checkout, arguments, True, COLD) if os.access(CACHES, os.W_OK) else "–"
            print(f"| {checkout.name} | {name} | {cold} | {measured(checkout, arguments, False, WARM)} |", flush=True)
