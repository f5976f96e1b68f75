"""The record of the last complete run, figures/run.json: what computed the figures, where, and for how long.

No rule reads it, and `make verify` does not compare it, because it differs between machines and runs.
"""

import json
import os
import platform
import sys
from pathlib import Path

from attention_dynamics.gallery.bundle import versions
from attention_dynamics.pipeline.checkout import describe_commit
from attention_dynamics.pipeline.run_times import LOGS, load_measured_times, parse_benchmark_path
from attention_dynamics.store import write


def write_run_record(file: Path, scale: str, elapsed_s: float) -> None:
    """Write the record. elapsed_s: of this call of Snakemake, which reuses what was up to date.

    ``jobs_s`` are the seconds of all jobs of the scale, when each last ran here.
    """
    times = {job: s for job, s in load_measured_times(LOGS).items() if parse_benchmark_path(job)[0] == scale}
    machine = {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()}
    record = {
        "command": sys.argv[1:],
        "commit": describe_commit(),
        "scale": scale,
        "elapsed_s": round(elapsed_s, 1),
        "jobs": len(times),
        "jobs_s": round(sum(times.values()), 1),
        "machine": machine,
        "versions": list(versions()),
    }
    write(file, json.dumps(record, indent=1).encode() + b"\n")
