"""Write the captions of all figures for LaTeX."""

from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.labels import latex_captions
from attention_dynamics.store import write

with stage(snakemake) as job:
    write(job.output[0], latex_captions(job.params.spec["figures"]).encode())
