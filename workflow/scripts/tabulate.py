"""Write a table of the papers for programs and for people."""

from importlib import import_module

from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.table_output import to_csv, to_markdown
from attention_dynamics.run import load_runs
from attention_dynamics.store import write

with stage(snakemake) as job:
    spec = job.params.spec
    plot = import_module(spec["plot"])
    table = plot.tabulate(load_runs(dict(job.input.items()), spec["runs"]), **spec["arguments"])
    write(job.output.csv, to_csv(table).encode())
    write(job.output.md, to_markdown(plot.readable(table), spec).encode())
