"""Draw a figure from stored intermediates, for print and for the web, and write its caption."""

from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.labels import markdown_caption
from attention_dynamics.plots.plot import draw
from attention_dynamics.plots.renderings import save
from attention_dynamics.plots.style import paper_style
from attention_dynamics.run import load_runs
from attention_dynamics.store import write

with stage(snakemake) as job:
    spec, output = job.params.spec, job.output
    runs = load_runs(dict(job.input.items()), spec["runs"])
    with paper_style():
        save(draw(spec["plot"], runs, spec["settings"]), [output.pdf, output.png, output.svg], spec)
    write(output.caption, markdown_caption(spec).encode())
