"""Make the interactive page."""

from pathlib import Path

from attention_dynamics.digests import hash_files
from attention_dynamics.gallery.explore import render_explore
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import save_json, write

with stage(snakemake) as job:
    page = render_explore(Path(job.input[0]).parent, job.params.spec["presets"])
    write(job.output.page, page.encode())
    save_json(job.output.digests, hash_files([job.output.page]))
