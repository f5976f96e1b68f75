"""Train a run."""

from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems import stored
from attention_dynamics.store import load_arrays, save_arrays

with stage(snakemake) as job:
    spec = job.params.spec
    problem = stored.from_arrays(load_arrays(job.input.data))
    save_arrays(job.output[0], plugins.TRAINER.call(spec["kind"])(problem, spec))
