"""Draw a figure from stored intermediates."""

from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.style import paper_style, save
from attention_dynamics.run import load_runs

with stage(snakemake) as job:
    spec = job.params.spec
    runs = load_runs(dict(job.input.items()), spec["runs"])
    with paper_style():
        figure = plugins.plot(spec["paper"]).call(spec["plot"])(runs, **spec["arguments"])
        save(figure, job.output, spec)
