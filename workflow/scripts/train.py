"""Train a run."""

from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems.problem import Problem
from attention_dynamics.store import load_arrays, save_arrays
from attention_dynamics.training import single_threaded, train_run

with stage(snakemake) as job:
    single_threaded()
    problem = Problem.from_arrays(load_arrays(job.input.data))
    save_arrays(job.output[0], train_run(problem, job.params.spec))
