"""Train an optimizer with all values of its tuned setting on a problem of the comparison."""

from attention_dynamics.comparison.cell import compute_cell, compute_plugin_cell
from attention_dynamics.comparison.entry import Entry
from attention_dynamics.comparison.starts import with_random_starts
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems.problem import Problem
from attention_dynamics.store import load_arrays, save_arrays, save_json

with stage(snakemake) as job:
    spec = job.params.spec
    problem = Problem.from_arrays(load_arrays(job.input.data))
    started = with_random_starts(problem, spec["repeats"], spec["first"])
    tuning = max(0, spec["tuning_rows"] - spec["first"])
    if plugin := spec.get("plugin"):
        cell = compute_plugin_cell(plugin["kind"], started, spec["steps"], tuning, plugin["file"])
    else:
        cell = compute_cell(Entry.model_validate(spec["entry"]), started, spec["steps"], tuning)
    # The CPU time differs each time the job runs, so it has a separate file. Equal jobs then write equal results.
    save_json(job.output.cpu, float(cell.pop("cpu_s")))
    save_arrays(job.output.cell, cell)
