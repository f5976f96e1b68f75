"""Write a table of the papers as Markdown. draw.py writes its numbers as CSV."""

from attention_dynamics.digests import hash_files
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.plot import call, plot_module
from attention_dynamics.plots.table_output import to_markdown
from attention_dynamics.run import load_runs
from attention_dynamics.store import save_json, write

with stage(snakemake) as job:
    spec, output = job.params.spec, job.output
    table = call(spec["plot"], "tabulate", load_runs(dict(job.input.items()), spec["runs"]), spec["settings"])
    write(output.table, to_markdown(plot_module(spec["plot"]).readable(table), spec).encode())
    save_json(output.digests, hash_files([output.table]))
