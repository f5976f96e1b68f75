"""Collect the claims of all figures."""

from attention_dynamics.claims.ledger import to_csv, to_markdown
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import load_json, write

with stage(snakemake) as job:
    rows = [row for file in job.input for row in load_json(file)]
    write(job.output.csv, to_csv(rows).encode())
    write(job.output.page, to_markdown(rows).encode())
