"""Compute the reference directions of a problem, and the set of its LMM directions where it is asked for."""

from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.references import enumerate_lmm, solve_references
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems.problem import Problem
from attention_dynamics.store import load_arrays, save_arrays

with stage(snakemake) as job:
    spec = job.params.spec
    problem = Problem.from_arrays(load_arrays(job.input.data))
    references = {name: Reference.of(one) for name, one in spec["references"].items()}
    arrays = solve_references(problem, references, must_exist=spec["whole"])
    if spec["lmm_set"]:
        arrays |= {f"lmm_set/{name}": array for name, array in enumerate_lmm(problem).items()}
    save_arrays(job.output[0], arrays)
