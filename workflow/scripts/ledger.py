"""Write the verdicts on all claims and on the papers' statements, and the certificates of all max-margin programs."""

from attention_dynamics.claims import ledger, statement_tables
from attention_dynamics.claims.certificates import summarize
from attention_dynamics.claims.statements import Statement
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import load_json, write

with stage(snakemake) as job:
    rows = [row for file in job.input.claims for row in load_json(file)]
    certificates = summarize(job.params.spec["programs"], job.input.programs)
    write(job.output.csv, ledger.to_csv(rows).encode())
    write(job.output.page, ledger.to_markdown(rows, certificates).encode())
    listed = [Statement(**row) for paper in job.params.spec["statements"].values() for row in paper]
    judged = statement_tables.judge_statements(listed, rows, job.params.spec["records"])
    write(job.output.statements, statement_tables.to_csv(judged).encode())
    page = statement_tables.to_markdown(judged, job.params.spec["titles"])
    write(job.output.statements_page, page.encode())
    write(job.output.certificates, certificates.to_csv(index=False, lineterminator="\n").encode())
