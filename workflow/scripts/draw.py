"""Draw a figure from stored intermediates."""

from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.plot import draw
from attention_dynamics.plots.style import paper_style, save
from attention_dynamics.run import load_runs

with stage(snakemake) as job:
    spec = job.params.spec
    runs = load_runs(dict(job.input.items()), spec["runs"])
    with paper_style():
        save(draw(spec["plot"], runs, spec["settings"]), job.output, spec)
