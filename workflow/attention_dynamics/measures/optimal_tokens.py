"""Whether attention selects the optimal tokens, at every record and from every start."""

from attention_dynamics.measures.rates import products
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = ("selects_optimal",)


def measure(run: Run) -> dict[str, Array]:
    """1 where the most probable token of every input is its optimal one, else 0; (records, problems, starts)."""
    logits = products(run.problem.keys, run.trajectory["p"])
    return {"selects_optimal": (logits.argmax(-1) == run.problem.optimal[:, None]).all(-1).astype(float)}
