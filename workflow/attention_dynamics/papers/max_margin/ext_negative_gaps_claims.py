"""Claims about the negative score gaps of Fig 9: their size, the effect of more steps, and the SVM that p turns to.

The random problems are drawn as in Fig 9, at d = 2 and 5, with another seed. Each statistic is over the problems that
meet the condition in the claim, such as those with a negative gap.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals
from attention_dynamics.papers.max_margin.random_problems import last_values, size_of_negative_gaps
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import first_step_above, mean, median, share_above


def _where_negative(steps_1000: Run, run: Run, series: str) -> Array:
    """Return the last values of a series of ``run``, (k,), for the k problems with a negative gap in ``steps_1000``."""
    return run[series].filter(steps_1000["negative_gap"]).at(run.last_step)


@claim(
    statement="fig9b-close-to-zero",
    says="Median size of the negative gaps, relative to that of the positive ones in the same dimension",
    basis=CHOSEN,
    source="Appendix E, 'typically close to zero'; smaller than the positive ones is our reading",
    scales=FULL_SCALES,
)
def negative_is_small(steps_1000: Run) -> Check:
    return check(size_of_negative_gaps(steps_1000), at_most(1))


@claim(
    statement="fig9b-close-to-zero;fig10-cause",
    says="Median size of the negative gaps, relative to the median difference of two tokens' scores in one input, in "
    "the same dimension",
    basis=CHOSEN,
    source="Appendix E, 'only slightly so' and 'small score differences'; less than half is our reading",
    scales=FULL_SCALES,
)
def negative_is_slight(steps_1000: Run) -> Check:
    d, scores = steps_1000.problem.settings["d"], steps_1000.problem.scores()
    pairs = np.triu_indices(scores.shape[-1], 1)
    relative = [
        -gaps[gaps < 0] / np.median(np.abs(scores[d == one][..., pairs[0]] - scores[d == one][..., pairs[1]]))
        for one, gaps in zip(np.unique(d), last_values(steps_1000, "score_gap", mask="saturated"), strict=True)
    ]
    return check(median(np.concatenate(relative), "negative gap"), at_most(0.5))


@claim(
    statement="fig10-cause",
    says="Share of the problems with a negative gap after 1000 steps that have none after 5000",
    basis=CHOSEN,
    source="Appendix E: 'due to [...] finite number of gradient iterations we run'; more than half, and five times as "
    "many steps, are our reading",
    scales=FULL_SCALES,
    explanation="Most gaps that are negative stay so: these softmaxes have saturated on tokens that are not locally "
    "optimal.",
)
def gone_after_more_steps(steps_1000: Run, steps_5000: Run) -> Check:
    still = _where_negative(steps_1000, steps_5000, "negative_gap")
    return check(share_above(1 - still, "negative gap"), at_least(0.5))


def _growth(steps_1000: Run, steps_5000: Run) -> Array:
    """Return |p| after 5000 normalized steps over |p| after 1000, (problems,).

    It is 5 if p moves from the origin along a ray.
    """
    before, after = (run["norm_p"].at(run.last_step) for run in (steps_1000, steps_5000))
    return after / before


@claim(
    statement="fig9a-finite-norm",
    says="Share of saturated problems, after 5000 steps, among those whose norm of p grows by less than 20 % from 1000 "
    "to 5000 steps (a diverging one grows by a factor of 5)",
    basis=CHOSEN,
    source="Appendix E: 'whenever'; which norms count as finite is ours, and so is the lost threshold of saturation",
    scales=FULL_SCALES,
    explanation="A few problems are saturated, by our threshold, while the norm hardly grows any more.",
)
def finite_norm_is_unsaturated(steps_1000: Run, steps_5000: Run) -> Check:
    stopped = _growth(steps_1000, steps_5000) < 1.2
    saturated = steps_5000["saturated"].at(steps_5000.last_step)
    return check(share_above(saturated[stopped], "stopped problem"), equals(0))


@claim(
    says="Where the gap is negative p has often stopped: share of the problems with a negative gap after 1000 steps "
    "whose norm of p grows by less than 10 % to 5000",
    basis=CHOSEN,
    source="a neighbor that scores more makes the risk rise along the direction (Lemma 9), so that a minimum at a "
    "finite norm holds p back; the thresholds are ours, chosen after seeing other draws",
    scales=FULL_SCALES,
)
def stopped(steps_1000: Run, steps_5000: Run) -> Check:
    negative = steps_1000["negative_gap"].at(steps_1000.last_step) == 1
    return check(share_above(-_growth(steps_1000, steps_5000)[negative], "negative gap", -1.1), at_least(0.4))


@claim(
    statement="fig9b-att-svm-prime-proxy",
    says="Share of the problems with a negative gap in which p is closer to ATT-SVM', with the higher-scoring "
    "neighbors among the optimal tokens, than to ATT-SVM, after 1000 steps",
    basis=CHOSEN,
    source="Appendix E; which tokens count as tied, and more than half, are ours",
    scales=FULL_SCALES,
)
def tied_is_better_proxy(steps_1000: Run) -> Check:
    strict, tied = (
        _where_negative(steps_1000, steps_1000, f"correlation_{name}") for name in ("selected", "near_tied")
    )
    return check(share_above((tied > strict).astype(float), "negative gap"), at_least(0.5))


@claim(
    statement="fig9b-correlated",
    says="Cosine of p and p_mm after 1000 steps: mean over the problems with a negative gap",
    basis=CHOSEN,
    source="Appendix E; the number is lost, above 0 is our reading of 'correlated'",
    scales=FULL_SCALES,
)
def direction_where_negative(steps_1000: Run) -> Check:
    return check(mean(_where_negative(steps_1000, steps_1000, "correlation_selected"), "negative gap"), at_least(0))


@claim(
    statement="lemma-10",
    says="Number of SVM-neighbors of a solution of ATT-SVM, minus d: the largest over all saturated problems, whose "
    "keys are in general position with probability one; LMM directions are only some of all directions",
    basis=DERIVED,
    source="proof of Lemma 10: d + 1 equations k'p = 1 in R^d have no solution for keys in general position",
)
def few_neighbors(steps_1000: Run) -> Check:
    counts = steps_1000.references["selected"]["neighbors"].sum((-1, -2))
    return check((counts - steps_1000.problem.settings["d"]).max(), at_most(0))


@claim(
    statement="fig9b-close-scores-slow",
    says="On one input with tokens (1, 0), (0, 1), (0, 0) and scores 1, g, 0: how many more steps it takes to reach a "
    "probability of 0.9 from each g of 0.5, 0.8, 0.9, 0.95, 0.98, 0.99 to the next, and from the first to the last",
    basis=CHOSEN,
    source="Appendix E; tokens, scores, normalized steps of 0.1 and the probability are ours; of 'a large number' of "
    "iterations only that they become more is measured",
)
def close_scores_are_slow(close_scores: Run) -> Check:
    steps = first_step_above(close_scores["softmax_optimal"], 0.9)
    return check([*np.diff(steps), steps[-1] - steps[0]], at_least([0] * (len(steps) - 1) + [1]))
