"""Claims about our figure on the initial value as a prior: four tokens of comparable probability, gamma = 1."""

import numpy as np

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, check, equals
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import smallest_increase

LAST_STEP = 10**6


@claim(
    "ext_prior",
    says="From zero the likeliest distinct token wins: its number, counted from 0",
    basis=DERIVED,
    source="Theorem 3: r(t) = r(0) chi(t) keeps its sign, and chi grows",
)
def likeliest_wins(zero_logits: Results) -> Check:
    return check(zero_logits["winner"].at(LAST_STEP), equals(0))


@claim(
    "ext_prior",
    says="The initial logits decide which token wins: share of 40 random heads in which the token that begins with "
    "most attention ends with most",
    basis=PAPER,
    source="Section 5: 'the initial value critically determines the fate of the dynamics'",
)
def favorite_wins(random_logits: Results) -> Check:
    won = random_logits["winner"].at(LAST_STEP) == random_logits["favorite"].at(LAST_STEP)
    return check(won.mean(), equals(1))


@claim(
    "ext_prior",
    says="Heads with other initial logits choose other tokens: how many of the four tokens win in one of 40 random "
    "heads",
    basis=PAPER,
    source="Section 5: each head 'is initialized independently, which could enable more diverse token combination'",
)
def heads_differ(random_logits: Results) -> Check:
    return check(len(np.unique(random_logits["winner"].at(LAST_STEP))), at_least(2))


@claim(
    "ext_prior",
    says="In every head the winner gains on the others all the time: smallest change of its share from one time to "
    "the next",
    basis=DERIVED,
    source="Theorem 3: r of the winner and every other distinct token is positive and grows with chi",
)
def winner_gains(random_logits: Results) -> Check:
    return check(smallest_increase(random_logits["top_share"]).min(), at_least(0))
