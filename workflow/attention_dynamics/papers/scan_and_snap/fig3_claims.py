"""Claims about Fig 3: how attention on the dominant token grows, by the closed form of Theorem 3.

The learning rates eta_Y are 0.5, 1, 2 and 5. chi = exp(2 B) is the growth factor, and B the growth exponent. The series
``lead`` is B of one learning rate minus B of the next smaller one; the smallest rate has no lead, so claims leave out
its column. The sign of ``lead`` does not depend on the constant C0. Snapping starts at t0.
"""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest, smallest, table


@claim(
    statement="fig3-slower; section-6-insights; appendix-f-late",
    says="Growth exponent B of one eta_Y minus that of the next smaller one: largest from t = 365 on, t0 of the "
    "smallest eta_Y, to 730, the end of the figure",
    basis=CHOSEN,
    source="Section 6, Fig 3: 'larger', read as from t0 of the smallest eta_Y on; that the later transition of a "
    "smaller eta_Y follows from t0 is not judged",
)
def slower_is_larger(growth: Run) -> Check:
    late = growth["lead"].starts(1, 2, 3).during(365, growth.last_step)
    return check(largest(late).max(), at_most(0))


@claim(
    statement="fig3-slower",
    says="Growth exponent B of one eta_Y minus that of the next smaller one at t = 700, the last mark of the axis: the "
    "largest",
    basis=CHOSEN,
    source="Section 6, Fig 3: 'larger', read as at the right edge",
)
def larger_at_the_end(growth: Run) -> Check:
    return check(growth["lead"].starts(1, 2, 3).at(700).max(), at_most(0))


@claim(
    says="A larger eta_Y has the larger growth exponent B up to t = 25: smallest lead of one eta_Y over the next "
    "smaller one",
    basis=DERIVED,
    source="before t0' h is close to eta_Y t / (K M), so that by equation 128 the integral of gamma grows with eta_Y; "
    "t = 25 is before the first crossing",
)
def faster_begins_larger(growth: Run) -> Check:
    early = growth["lead"].starts(1, 2, 3).during(1, 25)
    return check(smallest(early).min(), at_least(0))


@claim(
    says="After t0, where attention snaps, it grows more slowly than the fourth root of t: largest local exponent "
    "d ln(chi) / d ln(t) at t0, 3 t0 and 10 t0, over the learning rates",
    basis=CHOSEN,
    source="Theorem 4, by which growth is logarithmic then; the threshold is ours, chosen after seeing 0.2",
)
def slow_after_snapping(growth_snapping: Run) -> Check:
    return check(table(growth_snapping["local_exponent"], [1, 3, 10]).max(), at_most(0.25))
