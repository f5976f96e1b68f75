"""Solve the reference directions of a problem."""

from functools import partial

from attention_dynamics.margins.references import enumerate_lmm, tabulate
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems.problem import Problem
from attention_dynamics.store import load_arrays, save_arrays

with stage(snakemake) as job:
    problem = Problem.from_arrays(load_arrays(job.input.data))
    arrays = {}
    for name, reference in job.params.spec["references"].items():
        module = plugins.REFERENCE.load(reference["kind"])
        table = tabulate(problem, partial(module.solve, **reference["arguments"]), module.PARAMETER)
        arrays |= {f"references/{name}/{quantity}": array for quantity, array in table.items()}
    if job.params.spec["lmm_set"]:
        arrays |= {f"lmm_set/{name}": array for name, array in enumerate_lmm(problem).items()}
    save_arrays(job.output[0], arrays)
