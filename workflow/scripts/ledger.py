"""Collect the claims of all figures, and the certificates of all max-margin programs."""

from attention_dynamics.claims.certificates import summarize
from attention_dynamics.claims.ledger import to_csv, to_markdown
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import load_json, write

with stage(snakemake) as job:
    rows = [row for file in job.input.claims for row in load_json(file)]
    certificates = summarize(job.params.spec["programs"], job.input.programs)
    write(job.output.csv, to_csv(rows).encode())
    write(job.output.page, to_markdown(rows, certificates).encode())
    write(job.output.certificates, certificates.to_csv(index=False, lineterminator="\n").encode())
