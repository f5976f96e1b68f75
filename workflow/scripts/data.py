"""Build a problem."""

from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.store import save_arrays

with stage(snakemake) as job:
    source = ProblemSource.of(job.params.spec["problem"])
    save_arrays(job.output[0], source.build(**job.params.spec["location"]).to_arrays())
