"""Judge the claims about the comparison of all optimizers."""

from dataclasses import replace

import pandas as pd

from attention_dynamics.claims.claim import SCALES, claims_in
from attention_dynamics.claims.judge import judge
from attention_dynamics.claims.ledger import table_of, to_csv
from attention_dynamics.claims.verdict import Verdict
from attention_dynamics.comparison import comparison_claims
from attention_dynamics.comparison.comparison_claims import Table
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import write

with stage(snakemake) as job:
    label = {name: job.params.spec[name] for name in ("paper", "figure", "fidelity", "scale")}
    table, rows = Table(pd.read_csv(job.input[0])), []
    for claim in claims_in(comparison_claims):
        # Every claim is measured at every scale. If a claim is not about this scale, its verdict becomes NOT_TESTED.
        row = label | judge(replace(claim, scales=SCALES), {"table": table}, label["scale"])
        rows.append(row if label["scale"] in claim.scales else row | {"verdict": Verdict.NOT_TESTED})
    write(job.output.csv, to_csv(rows).encode())
    lines = ["# Claims about the comparison of optimizers", "", f"{label['scale']} scale", "", *table_of(rows)]
    write(job.output.md, ("\n".join(lines) + "\n").encode())
