"""Draw a figure from stored intermediates."""

from importlib import import_module

from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.style import paper_style, save
from attention_dynamics.run import load_runs

with stage(snakemake) as job:
    spec = job.params.spec
    runs = load_runs(dict(job.input.items()), spec["runs"])
    with paper_style():
        figure = import_module(spec["plot"]).draw(runs, **spec["arguments"])
        save(figure, job.output, spec)
