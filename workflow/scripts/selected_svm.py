"""Solve the reference directions of the tokens that a run selects."""

from attention_dynamics.margins.references import solve_references
from attention_dynamics.margins.selection import select_trained
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems.problem import Problem
from attention_dynamics.store import load_arrays, save_arrays

with stage(snakemake) as job:
    problem = Problem.from_arrays(load_arrays(job.input.data))
    prompts = load_arrays(job.input.train)["p"][-1, :, 0]
    selecting, saturated = select_trained(problem, prompts, job.params.spec["saturated"])
    save_arrays(job.output[0], solve_references(selecting, job.params.spec["references"], asked=saturated))
