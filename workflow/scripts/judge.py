"""Judge the claims of a figure."""

from attention_dynamics.claims.expectation import show, show_intervals
from attention_dynamics.claims.judge import judge
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.run import load_runs
from attention_dynamics.store import save_json

with stage(snakemake) as job:
    spec = job.params.spec
    runs = load_runs(dict(job.input.items()), spec["runs"])
    rows = []
    for claim, expected in zip(spec["claims"], spec["expected"], strict=True):
        verdict = judge(claim, runs, spec["scale"], spec["data"])
        label = {name: spec[name] for name in ("paper", "figure", "fidelity", "scale")}
        texts = {"measured": show(verdict["measured"]), "interval": show_intervals(verdict["interval"])}
        rows.append(claim | label | verdict | texts | {"expected": expected})
    save_json(job.output[0], rows)
