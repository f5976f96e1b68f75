"""Build a problem."""

from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import save_arrays

with stage(snakemake) as job:
    spec = job.params.spec
    problem = plugins.PROBLEM.call(spec["kind"])(**spec["arguments"])
    save_arrays(job.output[0], problem.to_arrays())
