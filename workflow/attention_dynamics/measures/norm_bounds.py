"""Bounds on the norm and alignment of normalized gradient descent (Fast rates; we derived the constants ourselves)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import euclidean_norm
from attention_dynamics.types import ReferenceName


class NormBounds(Measure, kind="norm_bounds"):
    """Bounds for problems whose non-optimal tokens have equal scores, after t steps of length eta.

    B is the largest norm of a token of the problem. reference: the ATT-SVM W_mm of the optimal tokens.
    alignment: <-G / |G|, W_mm> with the gradient G at the record. -G / |G| is computed as the direction of the next
        step; NaN if the next iterate is not recorded. alignment_over_bound: alignment divided by its lower bound
        1 / (2 B^2).
    norm_below_upper: eta t + |W(0)| - |W(t)|. norm_above_lower: |W(t)| - (eta t / (2 B^2 |W_mm|) - |W(0)|).
    If the bounds hold, alignment_over_bound is at least 1 and the last two are at least 0.
    """

    series = ("norm_below_upper", "norm_above_lower", "alignment", "alignment_over_bound")
    required_settings = ("optimizer",)

    reference: ReferenceName

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series.

        Raises ValueError for a reference that is not a direction of W, and for another optimizer than normalized
        gradient descent without decay and epsilon.
        """
        optimizer = run.training.optimizer
        if optimizer.kind != "normalized_gd" or optimizer.decay or optimizer.epsilon:
            raise ValueError("norm_bounds needs a run of normalized_gd without decay and epsilon")
        W, solved = run.prompt, run.references[self.reference]
        if solved["parameter"] != "p":
            raise ValueError(f"norm_bounds needs a reference for W, {self.reference} is one for {solved['parameter']}")
        bound = 1 / (2 * np.square(run.problem.tokens).sum(-1).max((1, 2)))[:, None]
        steps = np.diff(W, axis=0)
        consecutive = np.diff(run.steps) == 1
        alignment = np.full(W.shape[:3], np.nan)
        along = (steps * solved["weights"][:, None]).sum(-1) / euclidean_norm(steps)
        alignment[:-1][consecutive] = along[consecutive]
        norm = euclidean_norm(W)
        travelled = run.steps[:, None, None] * np.array(optimizer.step_size)
        return {
            "norm_below_upper": travelled + norm[0] - norm,
            "norm_above_lower": norm - (travelled * bound / solved["norm"][:, None] - norm[0]),
            "alignment": alignment,
            "alignment_over_bound": alignment / bound,
        }
