"""The risk along a direction, relative to its limit (Max-margin Definition 3, Lemmas 8 and 9)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.regularization.planar_objective import AttentionRisk
from attention_dynamics.run import Run
from attention_dynamics.scaling import euclidean_norm, unit_vectors

# Relative to the largest absolute logit. The numbers q'(k_selected - k_t) of directional neighbors t differ from the
# margin by rounding errors only, those of other tokens by more.
NEIGHBOR_TOLERANCE = 1e-9


class DirectionalRisk(Measure, kind="directional_risk"):
    """Quantities of Definition 3 for the direction q = p / |p|, and the risk minus its limit along q.

    The selected token of input i has the largest q'k_it. The limit, L(selected tokens), is the risk if each input had
    its selected token alone.

    margin: the smallest q'(k_selected - k_t) over all inputs and other tokens t; 0 if two tokens tie for the largest.
    neighbors: the number of directional neighbors: tokens t whose q'(k_selected - k_t) equals the margin.
    margin_gap: the next larger q'(k_selected - k_t) minus the margin; infinite if all are equal.
    neighbor_optimal: 1 if all neighbors score less than their selected token, -1 if all score more, 0 otherwise.
    selection: the selected tokens as one number, sum_i selected_i T^i, with i counted from 0.
    excess_sign, log_excess: sign of L(p) - L(selected tokens), and the logarithm of its absolute value.
    """

    series = ("margin", "margin_gap", "neighbors", "neighbor_optimal", "selection", "excess_sign", "log_excess")
    required_settings = ("loss",)

    def measure(self, run: Run) -> dict[str, Array]:
        keys, scores, p = run.problem.keys, run.problem.scores(), run.prompt
        size = euclidean_norm(p)
        rows = [
            [
                [self._of_point(run, keys[k], scores[k], p[r, k, s], float(size[r, k, s])) for s in range(p.shape[2])]
                for k in range(p.shape[1])
            ]
            for r in range(p.shape[0])
        ]
        return dict(zip(self.series, np.moveaxis(np.array(rows), -1, 0), strict=True))

    def _of_point(self, run: Run, keys: Array, scores: Array, p: Array, size: float) -> tuple[float, ...]:
        logits = keys @ unit_vectors(p)
        inputs, T = np.arange(len(keys)), keys.shape[1]
        selected = logits.argmax(-1)
        behind = logits[inputs, selected][:, None] - logits
        behind[inputs, selected] = np.inf
        margin = behind.min()
        near = behind <= margin + NEIGHBOR_TOLERANCE * np.abs(logits).max()
        farther = behind[~near & np.isfinite(behind)]
        gap = farther.min(initial=np.inf) - margin
        lead = (scores[inputs, selected][:, None] - scores)[near]
        order = 1.0 if (lead > 0).all() else -1.0 if (lead < 0).all() else 0.0
        excess = AttentionRisk(keys, scores, run.training.loss, selected, size).difference(p)
        number = float(selected @ T**inputs)
        return float(margin), float(gap), float(near.sum()), order, number, float(excess.sign), float(excess.log)
