"""Probabilities along training: softmax of the selected tokens, logistic of the output (Max-margin Figs 3c, 4a)."""

import numpy as np

from attention_dynamics.attention.losses.log_domain import sigmoid
from attention_dynamics.attention.losses.risk_gap import log_softmax
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class Probability(Measure, kind="probability"):
    """Probabilities, averaged over the inputs.

    softmax_optimal: probability of the optimal token. softmax_selected: the largest probability.
    logistic: 1 / (1 + exp(-Y_i f(X_i))).
    """

    series = ("softmax_optimal", "softmax_selected", "logistic")

    def measure(self, run: Run) -> dict[str, Array]:
        problem, p = run.problem, run.prompt
        logits = (problem.keys[:, None] * p[..., None, None, :]).sum(-1)
        attention = np.exp(log_softmax(logits))
        optimal = np.take_along_axis(attention, problem.optimal[None, :, None, :, None], axis=-1)[..., 0]
        head = run.trajectory["v"] if problem.head is None else problem.head[None, :, None]
        scores = problem.labels[:, None, :, None] * (problem.tokens[:, None] * head[..., None, None, :]).sum(-1)
        return {
            "softmax_optimal": optimal.mean(-1),
            "softmax_selected": attention.max(-1).mean(-1),
            "logistic": sigmoid((attention * scores).sum(-1)).mean(-1),
        }
