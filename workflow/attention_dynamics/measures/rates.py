"""Rates at which attention saturates and the risk falls, by logarithms (Fast rates Lemma 1, Theorem 2)."""

import numpy as np

from attention_dynamics.attention.losses.log_domain import log_sum_exp
from attention_dynamics.attention.losses.risk_gap import log_risk_gap, log_softmax
from attention_dynamics.measures.measure import Measure
from attention_dynamics.measures.products import products
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class Rates(Measure, kind="rates"):
    """Risk and saturation of the softmax. The logarithms are accurate also where the risk or a probability underflows.

    loss: the risk. log_gap, log10_gap: natural and decimal logarithm of the risk above its infimum
        (``losses.risk_gap``).
    optimal: softmax probability of the optimal token, averaged over the inputs.
    log_nonoptimal, log_nonoptimal_largest: logarithms of the mean and of the largest value, over the inputs, of the
        total probability of the other tokens.
    """

    series = ("loss", "log_gap", "log10_gap", "optimal", "log_nonoptimal", "log_nonoptimal_largest")
    required_settings = ("loss",)

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError for a loss without infimum zero."""
        problem, loss = run.problem, run.training.loss
        if not loss.has("log_loss"):
            raise ValueError(f"rates needs a loss with infimum zero, not {loss.kind!r}")
        logits = products(problem.keys, run.prompt)
        if problem.head is None:
            scores = problem.labels[:, None, :, None] * products(problem.tokens, run.trajectory["v"])
            infimum = np.zeros(())
        else:
            scores = problem.scores()[None, :, None]
            infimum = np.exp(loss.log_loss(scores.max(-1))).mean(-1)
        log_gap = log_risk_gap(logits, scores, loss, fixed_head=problem.head is not None)

        others = np.arange(logits.shape[-1]) != problem.optimal[..., None]
        log_nonoptimal = log_sum_exp(log_softmax(logits), others[None, :, None])[..., 0]
        mean = log_sum_exp(log_nonoptimal)[..., 0] - np.log(log_nonoptimal.shape[-1])
        return {
            "loss": infimum + np.exp(log_gap),
            "log_gap": log_gap,
            "log10_gap": log_gap / np.log(10),
            "optimal": 1 - np.exp(mean),
            "log_nonoptimal": mean,
            "log_nonoptimal_largest": log_nonoptimal.max(-1),
        }
