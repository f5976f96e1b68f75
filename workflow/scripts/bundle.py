"""Pack figures, claims, manifest, configuration, versions and commit."""

from pathlib import Path

from attention_dynamics.pipeline.bundle import bundle
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import write

with stage(snakemake) as job:
    files = {file: Path(file) for file in job.input.figures}
    files |= {f"config/{Path(file).name}": Path(file) for file in job.input.config}
    write(job.output[0], bundle(files, job.params.spec))
