"""Judge the claims of a figure."""

from attention_dynamics.claims.find import claims_of
from attention_dynamics.claims.judge import judge
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.run import load_runs
from attention_dynamics.store import save_json

with stage(snakemake) as job:
    spec = job.params.spec
    runs = load_runs(dict(job.input.items()), spec["runs"])
    label = {name: spec[name] for name in ("paper", "figure", "fidelity", "scale", "setting")}
    mine = [claim for _, claim in claims_of(spec["paper"], spec["file"]) if claim.figure == spec["figure"]]
    rows = [label | judge(claim, runs, spec["scale"], spec["data"], spec["paper"]) for claim in mine]
    for row in rows:
        sample = f" {row['interval']} of {row['n']} ({row['unit']})" if row["interval"] else ""
        print(f"{row['verdict']}: {row['claim']}: measured {row['measured']}{sample}, expected {row['expected']}")
    save_json(job.output[0], rows)
