"""Directional Bregman divergence from each reference direction (Mirror descent, Definition of D_psi)."""

import numpy as np

from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class Bregman(Measure, kind="bregman"):
    """Divergences of a parameter w from every reference w_mm for it, and l_p norms.

    p is the exponent of mirror descent, or of the l_p balls of a regularization path.
    bregman: D(w_mm / |w_mm|_p, w / |w|_p) = 1 - <m(w / |w|_p), w_mm / |w_mm|_p> with m(w) = sign(w) |w|^(p - 1); NaN at
        the origin. p is that of the run even if w_mm is an SVM in another norm. For p = 2 the divergence is 1 - cosine.
    lp_norm: |w|_p of every parameter.
    """

    series = ("bregman_{reference}", "lp_norm_{parameter}")

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError for a run without an exponent."""
        exponents = {name: exponents_of(run, name) for name in run.trajectory if name != "step"}
        flat = {name: run.trajectory[name].reshape(*run.trajectory[name].shape[:3], -1) for name in exponents}
        norms = {name: lp_norm(flat[name], p) for name, p in exponents.items()}
        series = {f"lp_norm_{name}": values for name, values in norms.items()}
        for name, reference in run.references.items():
            if parameter := run.parameter(name):
                p, size = exponents[parameter], norms[parameter]
                unit = run.trajectory[parameter] / np.where(size > 0, size, np.nan)[..., None]
                weights = reference["weights"][:, None]
                target = weights / lp_norm(weights, p)[..., None]
                series[f"bregman_{name}"] = 1 - (mirror_image(unit, p) * target).sum(-1)
        return series


def exponents_of(run: Run, parameter: str) -> Array:
    """Return the exponent p with which a run trains a parameter, (starts,), or (1,) if it is the same for all starts.

    The exponent is a setting of the parameter's optimizer or of the regularization path. Raises ValueError if neither
    has this setting.
    """
    training = run.training
    head_optimizer = getattr(training, "head_optimizer", None) if parameter == "v" else None
    # A regularization path has no optimizer: its exponent is a setting of the training itself.
    optimizer = head_optimizer or getattr(training, "optimizer", training)
    if not hasattr(optimizer, "exponent"):
        raise ValueError(f"bregman needs a run with an exponent, such as mirror_descent, not {optimizer.kind!r}")
    return np.array(optimizer.exponent, dtype=float, ndmin=1)
