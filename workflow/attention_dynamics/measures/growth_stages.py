"""The two stages of training: rates of gamma and of B_n (Scan and snap, Lemma 9 and Theorem 4)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.theory.attention_growth import AttentionGrowth
from attention_dynamics.theory.growth_laws import asymptotic_gamma, gamma, scanning_end, snapping_start


class GrowthStages(Measure, kind="growth_stages"):
    """Growth of attention in two stages, for each pair of learning rates: (records, 1, pairs).

    scanning_end: t0', the end of the first stage. snapping_start: t0, the beginning of the second stage. Both times are
    the same at all records.
    speed: gamma, the size of the gradient of attention. speed_rate: asymptotic value of gamma by Lemma 9. late_rate:
    asymptotic value of gamma in the second stage as printed in Theorem 1(b), NaN before t0.
    printed_exponent: B_n, the exponent of attention, by eq. 129. exponent_rate: asymptotic value of B_n by eq. 14.
    speed_rate and exponent_rate are NaN between t0' and t0.
    """

    series = (
        "speed", "speed_rate", "late_rate", "printed_exponent", "exponent_rate", "scanning_end", "snapping_start",
    )  # fmt: skip
    data = ("vocabulary",)

    def measure(self, run: Run) -> dict[str, Array]:
        t, M, K = run.trajectory["t"], run.problem.M, run.problem.K
        eta_Y, eta_Z = np.array(run.training.eta_Y), np.array(run.training.eta_Z)
        t = np.broadcast_to(t, (*t.shape[:2], len(eta_Y)))
        growth = AttentionGrowth(eta_Y, eta_Z, M, K, run.training.C0)
        start = snapping_start(eta_Y, M, K)
        late = eta_Y * np.maximum(t, start) / K
        return {
            "speed": gamma(t, eta_Y, M, K),
            "speed_rate": asymptotic_gamma(t, eta_Y, M, K),
            "late_rate": np.where(t >= start, np.log(late) / late, np.nan),
            "printed_exponent": growth.printed_exponent(t),
            "exponent_rate": growth.asymptotic_exponent(t),
            "scanning_end": np.broadcast_to(scanning_end(eta_Y, M, K), t.shape).copy(),
            "snapping_start": np.broadcast_to(start, t.shape).copy(),
        }
