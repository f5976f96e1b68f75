"""Selection of the optimal tokens, at every record and from every start."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.measures.products import products
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class OptimalTokens(Measure, kind="optimal_tokens"):
    """1 where in every input the optimal token is the most probable, else 0; (records, problems, starts)."""

    series = ("selects_optimal",)

    def measure(self, run: Run) -> dict[str, Array]:
        logits = products(run.problem.keys, run.prompt)
        return {"selects_optimal": (logits.argmax(-1) == run.problem.optimal[:, None]).all(-1).astype(float)}
