"""Compute the reference directions of a run: max-margin solutions for the tokens that it selects."""

from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.references import solve_references
from attention_dynamics.margins.selected_tokens import select_trained
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems.problem import Problem
from attention_dynamics.run import prompt_of
from attention_dynamics.store import load_arrays, save_arrays

with stage(snakemake) as job:
    spec = job.params.spec
    problem = Problem.from_arrays(load_arrays(job.input.data))
    prompts = prompt_of(load_arrays(job.input.train))[-1, :, 0]
    selecting, saturated = select_trained(problem, prompts, spec["saturated"])
    references = {name: Reference.of(one) for name, one in spec["references"].items()}
    save_arrays(job.output[0], solve_references(selecting, references, saturated))
