"""Write the pages of the gallery, and copies of the recorded pictures."""

from pathlib import Path

from attention_dynamics.claims.certificates import read_certificates
from attention_dynamics.claims.statement_tables import read_rows
from attention_dynamics.gallery.pages import render
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import load_json, write

with stage(snakemake) as job:
    rows = [row for file in job.input.claims for row in load_json(file)]
    templates, figures = Path(job.input.templates[0]).parent, Path(job.output[0]).parent
    statements, certificates = read_rows(Path(job.input.statements)), read_certificates(job.input.certificates)
    pages = render(templates, job.params.spec, rows, statements, certificates, figures)
    for file in map(Path, job.output):
        if file.suffix == ".html":
            write(file, pages[file.relative_to(figures).with_suffix("").as_posix()].encode())
    for record, file in zip(job.input.records, job.output.records, strict=True):
        write(file, Path(record).read_bytes())
