"""Pack figures, claims, manifest, configuration, versions and commit into a zip archive."""

import os
from pathlib import Path

from attention_dynamics.gallery.bundle import bundle
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import write

with stage(snakemake) as job:
    # The folders are derived from the files, because they lie deeper if another workflow uses this one as a module.
    folders = {"figures": Path(job.output[0]).parent, "config": Path(os.path.commonpath(job.input.config))}
    files = {
        f"{name}/{Path(file).relative_to(folder).as_posix()}": Path(file)
        for name, folder in folders.items()
        for file in job.input[name]
    }
    root = os.path.commonpath(job.input.workflow)
    files |= {Path(file).relative_to(root).as_posix(): Path(file) for file in job.input.workflow}
    write(job.output[0], bundle(files, job.params.spec, job.params.commit, job.params.date))
