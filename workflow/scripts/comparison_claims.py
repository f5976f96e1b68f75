"""Judge the claims about the comparison of all optimizers."""

from attention_dynamics.claims.claim import claims_in
from attention_dynamics.claims.ledger import table_of, to_csv
from attention_dynamics.comparison import comparison_claims
from attention_dynamics.comparison.comparison_claims import Table, judge
from attention_dynamics.comparison.report import read_rows
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import write

with stage(snakemake) as job:
    spec = job.params.spec
    table = Table(read_rows(job.input[0]))
    rows = list(judge(claims_in(comparison_claims), table, spec["scale"], spec["fidelity"]))
    for row in rows:
        print(f"{row['verdict']}: {row['claim']}: measured {row['measured']}, expected {row['expected']}")
    write(job.output.csv, to_csv(rows).encode())
    lines = ["# Claims about the comparison of optimizers", "", f"{spec['scale']} scale", "", *table_of(rows)]
    write(job.output.md, ("\n".join(lines) + "\n").encode())
