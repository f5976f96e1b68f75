"""The effect of mixing non-optimal tokens on the risk (Max-margin Assumption D, Lemma 14)."""

import numpy as np

from attention_dynamics.attention.losses.log_domain import log_sum_exp
from attention_dynamics.margins.selected_tokens import tied_optimal
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.regularization.planar_objective import AttentionRisk
from attention_dynamics.regularization.tanh_head import TanhHead, TanhRisk
from attention_dynamics.run import Run
from attention_dynamics.scaling import euclidean_norm


class Mixing(Measure, kind="mixing"):
    """The softmax probability of non-optimal tokens and its effect on the risk, for planar problems and logistic loss.

    log_nonoptimal: logarithm of q_max = max_i sum_t s_it, with the softmax probabilities s_it of the non-optimal tokens
        t of input i.
    excess_sign, log_excess: sign of L(p) - L(optimal tokens), and the logarithm of its absolute value. L(optimal
        tokens) is the risk if each input had its optimal token alone.
    head: a nonlinear head that replaces the problem's head in the risk L. The problem's head always decides which
        tokens are optimal.
    """

    series = ("log_nonoptimal", "excess_sign", "log_excess")
    required_settings = ("loss",)

    head: TanhHead | None = None

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError for another loss than the logistic one."""
        if run.training.loss.kind != "logistic":
            raise ValueError(f"mixing needs the logistic loss, got {run.training.loss.kind}")
        problem, p = run.problem, run.prompt[..., :2]
        keys, scores = problem.keys[..., :2], problem.scores()
        optimal, reach = tied_optimal(scores), float(euclidean_norm(p).max())
        logits = np.einsum("pitx,rpsx->rpsit", keys, p)
        total = log_sum_exp(logits)[..., 0]
        others = log_sum_exp(logits, ~optimal[None, :, None])[..., 0]
        differences = []
        for k in range(len(keys)):
            risk: AttentionRisk | TanhRisk
            if self.head is None:
                risk = AttentionRisk(keys[k], scores[k], run.training.loss, problem.optimal[k], reach)
            else:
                risk = TanhRisk(keys[k], problem.tokens[k], problem.labels[k], self.head, problem.optimal[k], reach)
            differences.append(risk.difference(p[:, k]))
        return {
            "log_nonoptimal": (others - total).max(-1),
            "excess_sign": np.stack([one.sign for one in differences], axis=1),
            "log_excess": np.stack([one.log for one in differences], axis=1),
        }
