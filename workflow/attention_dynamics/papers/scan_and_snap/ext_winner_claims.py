"""Claims about our figure on who wins: Theorem 2, the prior of Section 5 and the two fates of Section 6.

In Section 6 gamma = (1 + t)^-p, up to t = 10^12.
"""

import numpy as np

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals
from attention_dynamics.run import Run
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import largest, smallest

# Indices of the powers p; of the slow ones, 0 and 0.5, the integral of gamma grows without bound, of 1.5 and 2 not.
SLOW_DECAYS, FAST_DECAYS = (0, 1), (3, 4)
LAST_STEP, LAST_STEP_OF_HEADS = 10**12, 10**6
PASSAGE = (
    "Section 6: 'all contextual tokens except for the dominant one will drop' and 'Eventually, winner-takes-all "
    "happens'"
)


@claim(
    "ext_winner",
    says="Every distinct token gains attention: smallest dz/dt over tokens and t > 0, of ten random problems",
    basis=PAPER,
    source="Section 5 before Theorem 2: 'over training, distinct tokens gain attention but common ones lose it'",
)
def distinct_gain(single_common: Run) -> Check:
    return check(smallest(_later(single_common, "slowest_distinct")), at_least(0))


@claim(
    "ext_winner",
    says="A single common token loses attention: largest dz/dt over t > 0, of ten random problems",
    basis=PAPER,
    source="Section 5 after Theorem 2: 'Now we know DTs grow and a single CT will shrink'",
)
def common_loses(single_common: Run) -> Check:
    return check(largest(_later(single_common, "fastest_common")), at_most(0))


@claim(
    "ext_winner",
    says="With two common tokens, one that is fifty times likelier in one class gains attention: its largest dz/dt",
    basis=DERIVED,
    source="equation 97 by hand: its z grows where (f_n'f_n') f_nl exceeds f_n'l. The text only says that 'For "
    "multiple CTs to shrink, the condition can be a bit involved'",
)
def unequal_common_gains(unequal_common: Run) -> Check:
    return check(largest(_later(unequal_common, "fastest_common")), at_least(0))


def _later(run: Run, series: str) -> Series:
    """Return a series without its first record, at which attention does not move."""
    return run[series].during(1, run.last_step)


@claim(
    "ext_winner",
    says="The initial logits decide which token wins: share of 40 random heads in which the token that begins with "
    "most attention ends with most",
    basis=PAPER,
    source="Section 5: 'the initial value critically determines the fate of the dynamics'",
)
def favorite_wins(random_logits: Run) -> Check:
    won = random_logits["winner"].at(LAST_STEP_OF_HEADS) == random_logits["favorite"].at(LAST_STEP_OF_HEADS)
    return check(won.mean(), equals(1))


@claim(
    "ext_winner",
    says="Heads with other initial logits choose other tokens: how many of the four tokens win in one of 40 random "
    "heads",
    basis=PAPER,
    source="Section 5: each head 'is initialized independently, which could enable more diverse token combination'",
)
def heads_differ(random_logits: Run) -> Check:
    return check(len(np.unique(random_logits["winner"].at(LAST_STEP_OF_HEADS))), at_least(2))


@claim(
    "ext_winner",
    says="Where the speed of attention gamma does not decay one token takes all: its share of the attention on "
    "distinct tokens at t = 10^12",
    basis=PAPER,
    source=PASSAGE + "; 0.95 was chosen after seeing it",
)
def takes_all(decays: Run) -> Check:
    return check(decays["top_share"].starts(0).at(LAST_STEP), at_least(0.95))


@claim(
    "ext_winner",
    says="With slow decay of the speed of attention, gamma = (1 + t)^-p, attention goes on concentrating: change of "
    "the dominant token's share in the last two of twelve decades, for p = 0 and 0.5",
    basis=PAPER,
    source=PASSAGE + "; 0.01 was chosen after seeing it",
)
def goes_on(decays: Run) -> Check:
    return check([_late_change(decays, "top_share", flow) for flow in SLOW_DECAYS], at_least(0.01))


@claim(
    "ext_winner",
    says="With fast decay of the speed of attention, gamma = (1 + t)^-p, attention freezes: change of the dominant "
    "token's share in the last two of twelve decades, for p = 1.5 and 2",
    basis=PAPER,
    source="Section 6: if B 'grows very slowly, or even has an upper limit, then the self-attention patterns are "
    '"snapped"\'; 0.0001 was chosen after seeing it',
)
def freezes(decays: Run) -> Check:
    return check([_late_change(decays, "top_share", flow) for flow in FAST_DECAYS], at_most(1e-4))


def _late_change(run: Run, series: str, flow: int) -> float:
    """Return the change over the last two decades; there are eight records in each."""
    values = run[series].starts(flow).values[:, 0]
    return float(values[-1] - values[-17])
