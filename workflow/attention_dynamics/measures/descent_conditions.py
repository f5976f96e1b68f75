"""Direction of the gradient along a run of gradient descent (Max-margin Appendix B, Lemmas 4 to 7)."""

import numpy as np

from attention_dynamics.attention.models.model import BoundModel
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import euclidean_norm
from attention_dynamics.types import ReferenceName


class DescentConditions(Measure, kind="descent_conditions"):
    """Quantities that Lemmas 4 to 7 bound, (records, problems, starts). q is the unit vector along the reference.

    alignment: cosine of -grad L(p) with q, positive in Lemmas 4 and 7.
    gradient_ratio: <-grad L(p), p / |p|> / <-grad L(p), q>, NaN at p = 0. For every pi > 0 the ratio is at most 1 + pi
        once |p| is large enough (Lemmas 5 and 7).
    gradient_norm: |grad L(p)|, which tends to zero (Lemma 6).
    All are computed without cancellation, so that they are accurate even if the largest softmax probability of an input
    differs from 1 by much less than the machine epsilon.
    """

    series = ("alignment", "gradient_ratio", "gradient_norm")
    required_settings = ("model", "loss")

    reference: ReferenceName

    def measure(self, run: Run) -> dict[str, Array]:
        model: BoundModel = run.training.model.bind(run.problem, run.training.loss)
        q = run.references[self.reference]["direction"][:, None]
        name = run.training.model.attends
        rows = [_at_record(model, name, p, q) for p in run.trajectory[name]]
        return dict(zip(self.series, np.moveaxis(np.array(rows), 1, 0), strict=True))


def _at_record(model: BoundModel, name: str, p: Array, q: Array) -> tuple[Array, ...]:
    """Return alignment, gradient_ratio and gradient_norm at one record, each (problems, starts).

    p: (problems, starts, d), the parameter called ``name``; q: (problems, 1, d), the unit vectors.
    """
    gradient = model.gradient({name: p})[name]
    unit, size = gradient.unit(), euclidean_norm(p)
    along_p = -(unit * p).sum(-1) / np.where(size > 0, size, np.nan)
    alignment = -(unit * q).sum(-1)
    return alignment, along_p / alignment, euclidean_norm(gradient.value())
