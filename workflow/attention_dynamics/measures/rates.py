"""How fast attention saturates and the risk falls, by logarithms (Fast rates Lemma 1, Theorem 2)."""

import numpy as np
from scipy.special import logsumexp

from attention_dynamics.attention.losses.risk_gap import log_risk_gap, log_softmax
from attention_dynamics.pipeline import plugins
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = ("loss", "log_gap", "log10_gap", "optimal", "log_nonoptimal", "log_nonoptimal_largest")
NEEDS = ("loss",)


def measure(run: Run) -> dict[str, Array]:
    """Nothing here is a difference of nearly equal numbers, however far training went.

    loss: the risk. log_gap, log10_gap: its distance from the infimum (``losses.risk_gap``).
    optimal: softmax probability of the optimal token, averaged over the inputs.
    log_nonoptimal, log_nonoptimal_largest: log of one minus that probability, averaged and of the worst input.
    Raises ValueError for a loss without an infimum of zero.
    """
    problem, loss = run.problem, plugins.LOSS.load(run.settings["loss"])
    if not hasattr(loss, "log_loss"):
        raise ValueError(f"rates needs a loss with infimum zero, not {run.settings['loss']!r}")
    logits = products(problem.keys, run.trajectory["p"])
    if problem.head is None:
        scores = problem.labels[:, None, :, None] * products(problem.tokens, run.trajectory["v"])
        infimum = np.zeros(())
    else:
        scores = problem.scores()[None, :, None]
        infimum = np.exp(loss.log_loss(scores.max(-1))).mean(-1)
    log_gap = log_risk_gap(logits, scores, loss, fixed_head=problem.head is not None)

    others = np.arange(logits.shape[-1]) != problem.optimal[..., None]
    log_nonoptimal = logsumexp(log_softmax(logits), b=others[None, :, None], axis=-1)
    mean = logsumexp(log_nonoptimal, axis=-1) - np.log(log_nonoptimal.shape[-1])
    return {
        "loss": infimum + np.exp(log_gap),
        "log_gap": log_gap,
        "log10_gap": log_gap / np.log(10),
        "optimal": 1 - np.exp(mean),
        "log_nonoptimal": mean,
        "log_nonoptimal_largest": log_nonoptimal.max(-1),
    }


def products(vectors: Array, parameter: Array) -> Array:
    """Inner products of vectors (P, n, T, m) with a trajectory (records, P, starts, m): (records, P, starts, n, T)."""
    P, n, T, m = vectors.shape
    records, _, starts, _ = parameter.shape
    points = parameter.swapaxes(0, 1).reshape(P, records * starts, m)
    table = points @ vectors.reshape(P, n * T, m).swapaxes(1, 2)
    return table.reshape(P, records, starts, n, T).swapaxes(0, 1)
