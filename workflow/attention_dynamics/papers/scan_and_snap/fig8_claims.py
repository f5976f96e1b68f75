"""Claims about Fig 8: the decoder's logit after discrete steps, h*, and in continuous time, h.

The series ``scaled_gap`` is (h* - h) M / eta_Y. There are ten curves: five learning rates for each of two sizes M.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_most, check, near
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest, smallest


@claim(
    statement="lemma-7-a",
    says="Smallest and largest (h* - h) M / eta_Y over 20,000 steps and ten curves",
    basis=DERIVED,
    source="Lemma 7 (a): between 0 and 2",
)
def within_bounds(logit_50: Run, logit_1000: Run) -> Check:
    gaps = [run["scaled_gap"] for run in (logit_50, logit_1000)]
    return check([min(smallest(gap).min() for gap in gaps), max(largest(gap).max() for gap in gaps)], near(1, within=1))


@claim(
    statement="lemma-7-b",
    says="(h* - h) M / eta_Y at step 2000 over that at 200, and at 20,000 over that at 2000: largest ratio, of ten "
    "curves",
    basis=DERIVED,
    source="Lemma 7 (b): h* - h tends to 0",
)
def gap_vanishes(logit_50: Run, logit_1000: Run) -> Check:
    gaps = [[run["scaled_gap"].at(step) for step in (200, 2000, 20000)] for run in (logit_50, logit_1000)]
    return check(max((np.array(gap[1:]) / gap[:-1]).max() for gap in gaps), at_most(1))


@claim(
    statement="remark-2-fig8",
    says="From its largest value on, h* - h shrinks to the end of the panel, step 79 or 70: largest change of "
    "(h* - h) M / eta_Y from one step to the next, of each of ten curves",
    basis=CHOSEN,
    source="Appendix D.3; the bound of Remark 2 is lost, and that the gap shrinks is our reading",
)
def gap_shrinks(logit_50: Run, logit_1000: Run) -> Check:
    curves = [*_curves(logit_50, 79), *_curves(logit_1000, 70)]
    return check([np.diff(curve[curve.argmax() :]).max() for curve in curves], at_most(0))


def _curves(run: Run, last: int) -> Array:
    """Return ``scaled_gap`` of every learning rate from step 0 to ``last``, (rates, steps)."""
    return run["scaled_gap"].during(0, last).values.T
