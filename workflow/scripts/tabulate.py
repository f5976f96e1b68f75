"""Write a table of the papers for people; its numbers are written where it is drawn."""

from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.plot import call, plot_module
from attention_dynamics.plots.table_output import to_markdown
from attention_dynamics.run import load_runs
from attention_dynamics.store import write

with stage(snakemake) as job:
    spec = job.params.spec
    table = call(spec["plot"], "tabulate", load_runs(dict(job.input.items()), spec["runs"]), spec["settings"])
    write(job.output[0], to_markdown(plot_module(spec["plot"]).readable(table), spec).encode())
