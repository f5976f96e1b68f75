"""Existence of prompts that select the optimal tokens (Max-margin Lemmas 2 and 11)."""

import numpy as np

from attention_dynamics.margins.local_optimality import locally_optimal_directions
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.run import Run
from attention_dynamics.types import ReferenceName


class Feasibility(Measure, kind="feasibility"):
    """Properties of the problems, the same at every record, (records, problems, 1).

    reference_feasible: 1 if the reference, ATT-SVM of the optimal tokens, has a solution, else 0.
    witness_margin: smallest margin p'(k_optimal - k_t) of the witness in the proof of Lemma 2, p = W^-T v / gamma_gap,
        where gamma_gap is the smallest gamma_optimal - gamma_t. If all labels are one, witness_margin is 1.
    lmm_exists: 1 if some selection of one token per input is locally optimal, else 0. It is measured only with
        ``enumerate``, which tries up to T^n selections; T^n must be at most 1500.
    """

    series = ("reference_feasible", "witness_margin", "lmm_exists")

    reference: ReferenceName
    enumerate: bool = False

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError for a trained head and for too many selections to enumerate."""
        problem = run.problem
        if problem.head is None:
            raise ValueError("feasibility needs problems with a fixed head")
        found = {
            "reference_feasible": run.references[self.reference]["feasible"].astype(float),
            "witness_margin": _witness_margins(problem),
        }
        if self.enumerate:
            # Tokens with high scores come first: fewer selections are tried until one of them is locally optimal.
            order = np.argsort(-problem.scores(), axis=-1, kind="stable")
            scores = np.take_along_axis(problem.scores(), order, -1)
            keys = np.take_along_axis(problem.keys, order[..., None], -2)
            found["lmm_exists"] = np.array(
                [float(any(True for _ in locally_optimal_directions(*one))) for one in zip(keys, scores, strict=True)]
            )
        return {name: np.tile(values[None, :, None], (len(run.steps), 1, 1)) for name, values in found.items()}


def _witness_margins(problem: Problem) -> Array:
    """Return ``witness_margin`` of ``Feasibility`` for each problem, (problems,)."""
    assert problem.head is not None
    scores, best = problem.scores(), problem.optimal[..., None]
    others = np.arange(scores.shape[-1]) != best
    lead = np.where(others, np.take_along_axis(scores, best, -1) - scores, np.inf).min((-1, -2))
    # Keys are W x, so that p'(W x) = v'x for p = W^-T v.
    witness = problem.head @ np.linalg.pinv(problem.key_weights) / lead[:, None]
    logits = np.einsum("pitd,pd->pit", problem.keys, witness)
    behind: Array = np.where(others, np.take_along_axis(logits, best, -1) - logits, np.inf).min((-1, -2))
    return behind
