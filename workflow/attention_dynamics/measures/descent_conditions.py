"""Ratios that bound the gradient along a run of gradient descent (Max-margin Appendix B, Lemmas 3 to 7)."""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.attention.models.model import BoundModel
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import ReferenceName

# Gauss-Legendre nodes of the integral along a step: exact for polynomials of degree 15.
QUADRATURE_NODES = 8


class DescentConditions(Measure, kind="descent_conditions"):
    """Ratios that the lemmas bound, (records, problems, starts). q is the unit vector along the reference.

    alignment: cosine of -grad L(p) with q, positive in Lemmas 4 and 7.
    gradient_ratio: <-grad L(p), p / |p|> / <-grad L(p), q>, at most 1 + pi once |p| is large (Lemmas 5 and 7).
    descent_ratio: (L(p) - L(p')) / (eta |grad L(p)|^2 / 2) for the step p' = p - eta grad L(p) of the run's own size;
        at least 1 for eta <= 1 / L_p (Lemma 6).
    key_lemma_ratio: |a'S'(Kp) gamma - sum_t (a_1 - a_t) s_t (gamma_1 - gamma_t)| / (A Gamma (1 - s_1)^2), of the worst
        input, with a = K q, token 1 the reference's, and A, Gamma the ranges of a and gamma (Lemma 3).
    gradient_norm: |grad L(p)|.
    All are computed without cancellation, so that they hold where 1 - s_1 is far below rounding.
    """

    series = ("alignment", "gradient_ratio", "gradient_norm", "descent_ratio", "key_lemma_ratio")
    required_settings = ("model", "loss", "optimizer")

    reference: ReferenceName

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError for a head that is trained, or a step that is not constant."""
        step_size = getattr(run.training.optimizer, "step_size", None)
        if run.training.optimizer.kind != "gd" or not isinstance(step_size, float):
            raise ValueError("descent_conditions needs gradient descent with one constant step")
        model: BoundModel = run.training.model.bind(run.problem, run.training.loss)
        table = run.references[self.reference]
        q = table["direction"][:, None]
        rows = [_at_record(model, p, q, step_size) for p in run.trajectory["p"]]
        alignment, ratio, size, descent = np.moveaxis(np.array(rows), 1, 0)
        worst = _key_lemma_ratio(run, q[:, 0], table["selected"])
        return {
            "alignment": alignment,
            "gradient_ratio": ratio,
            "gradient_norm": size,
            "descent_ratio": descent,
            "key_lemma_ratio": worst,
        }


def _at_record(model: BoundModel, p: Array, q: Array, step_size: float) -> tuple[Array, ...]:
    """Return the series but the last, each (problems, starts), at p (problems, starts, d)."""
    here = model.gradient({"p": p})["p"]
    unit, size = here.unit(), np.linalg.norm(p, axis=-1)
    along_p = -(unit * p).sum(-1) / np.where(size > 0, size, np.nan)
    alignment = -(unit * q).sum(-1)
    # (L(p) - L(p')) is the integral of <grad L(p - u eta g), eta g> over u from 0 to 1: no difference is taken.
    nodes, weights = np.polynomial.legendre.leggauss(QUADRATURE_NODES)
    step = step_size * here.value()
    descent = np.zeros(size.shape)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        there = model.gradient({"p": p - node * step})["p"]
        scale = np.exp(there.log_scale - here.log_scale)
        length = np.square(here.direction).sum(-1)
        descent += weight * scale * (there.direction * here.direction).sum(-1) / length
    return alignment, along_p / alignment, np.linalg.norm(here.value(), axis=-1), 2 * descent


def _key_lemma_ratio(run: Run, q: Array, selected: NDArray[np.int64]) -> Array:
    """Return key_lemma_ratio, (records, problems, starts). q: (problems, d); selected: (problems, n)."""
    problem = run.problem
    logits = np.einsum("pitd,rpsd->rpsit", problem.keys, run.trajectory["p"])
    scores = problem.scores()
    # Differences from the selected token; a covariance does not change when constants are taken off.
    a = np.einsum("pitd,pd->pit", problem.keys, q)
    chosen = selected[..., None]
    b = np.take_along_axis(a, chosen, -1) - a
    g = np.take_along_axis(scores, chosen, -1) - scores
    odds = np.exp(logits - np.take_along_axis(logits, np.broadcast_to(chosen, (*logits.shape[:-1], 1)), -1))
    s = odds / odds.sum(-1, keepdims=True)
    others = np.arange(s.shape[-1]) != chosen
    rest = (s * others[None, :, None]).sum(-1)
    error = np.abs((s * b[None, :, None]).sum(-1) * (s * g[None, :, None]).sum(-1))
    bound = np.ptp(a, axis=-1)[None, :, None] * np.ptp(scores, axis=-1)[None, :, None] * rest**2
    return np.where(bound > 0, error / np.where(bound > 0, bound, 1.0), 0.0).max(-1)
