"""Growth of attention before it snaps, in closed form (Scan and snap Figs 3 and 9)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.theory.attention_growth import AttentionGrowth as ClosedForms
from attention_dynamics.theory.attention_growth import crossing_time
from attention_dynamics.theory.growth_laws import snapping_start


class AttentionGrowth(Measure, kind="attention_growth"):
    """Growth of attention for every pair of learning rates, (records, 1, pairs); see ``theory.attention_growth``.

    growth_exponent: B_n. growth_factor: chi. local_exponent: d ln(chi) / d ln(t).
    relative_factor: chi divided by chi of the last pair. lead: B_n minus B_n of the previous pair; NaN for the first.
    transition_time: t0, the same at all records. overtaken_at: the time at which the previous pair takes the lead, the
    same at all records; NaN unless the previous pair has the same eta_Z and a smaller eta_Y.
    """

    series = (
        "growth_exponent", "growth_factor", "local_exponent", "relative_factor", "lead", "transition_time",
        "overtaken_at",
    )  # fmt: skip
    data = ("vocabulary",)

    def measure(self, run: Run) -> dict[str, Array]:
        t, M, K = run.trajectory["t"], run.problem.M, run.problem.K
        eta_Y, eta_Z = np.array(run.training.eta_Y), np.array(run.training.eta_Z)
        growth = ClosedForms(eta_Y, eta_Z, M, K, run.training.C0)
        exponent, factor = growth.exponent(t), growth.factor(t)
        overtaken = [np.nan] + [
            crossing_time(slow, fast, float(M[0]), float(K[0])) if slow < fast and before == eta else np.nan
            for slow, fast, before, eta in zip(eta_Y[:-1], eta_Y[1:], eta_Z[:-1], eta_Z[1:], strict=True)
        ]
        return {
            "growth_exponent": exponent,
            "growth_factor": factor,
            "local_exponent": growth.local_exponent(t),
            "relative_factor": factor / factor[..., -1:],
            "lead": np.diff(exponent, prepend=np.nan),
            "transition_time": np.broadcast_to(snapping_start(eta_Y, M, K), t.shape).copy(),
            "overtaken_at": np.broadcast_to(overtaken, t.shape).copy(),
        }
