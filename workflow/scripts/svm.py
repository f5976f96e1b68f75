"""Solve the reference directions of a problem."""

from attention_dynamics.margins.references import enumerate_lmm, solve_references
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems.problem import Problem
from attention_dynamics.store import load_arrays, save_arrays

with stage(snakemake) as job:
    problem = Problem.from_arrays(load_arrays(job.input.data))
    arrays = solve_references(problem, job.params.spec["references"], must_exist=job.params.spec["whole"])
    if job.params.spec["lmm_set"]:
        arrays |= {f"lmm_set/{name}": array for name, array in enumerate_lmm(problem).items()}
    save_arrays(job.output[0], arrays)
