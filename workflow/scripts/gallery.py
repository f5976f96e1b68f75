"""Show figures, claims and settings as pages for a browser."""

from pathlib import Path

from attention_dynamics.claims.certificates import read_certificates
from attention_dynamics.gallery.pages import render
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import load_json, write

with stage(snakemake) as job:
    rows = [row for file in job.input.claims for row in load_json(file)]
    templates, figures = Path(job.input.templates[0]).parent, Path(job.output[0]).parent
    certificates = read_certificates(job.input.certificates)
    pages = render(templates, job.params.spec, rows, certificates, figures)
    for file in map(Path, job.output):
        write(file, pages[file.relative_to(figures).with_suffix("").as_posix()].encode())
