"""Claims about our figure on Theorem 2 and Corollary 2: distinct and common tokens along equation 10."""

from attention_dynamics.claims.claim import PAPER, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import largest, smallest


@claim(
    "ext_theorem2",
    says="Every distinct token gains attention: smallest dz/dt over tokens and t > 0, of ten random problems",
    basis=PAPER,
    source="Section 5 before Theorem 2: 'over training, distinct tokens gain attention but common ones lose it'",
)
def distinct_gain(single_common: Results) -> Check:
    return check(smallest(_later(single_common, "slowest_distinct")), at_least(0))


@claim(
    "ext_theorem2",
    says="A single common token loses attention: largest dz/dt over t > 0, of ten random problems",
    basis=PAPER,
    source="Section 5 after Theorem 2: 'Now we know DTs grow and a single CT will shrink'",
)
def common_loses(single_common: Results) -> Check:
    return check(largest(_later(single_common, "fastest_common")), at_most(0))


@claim(
    "ext_theorem2",
    says="With two common tokens, one that is fifty times likelier in one class gains attention: its largest dz/dt",
    basis=RECOMPUTED,
    source="equation 97 by hand: its z grows where (f_n'f_n') f_nl exceeds f_n'l. The text only says that 'For "
    "multiple CTs to shrink, the condition can be a bit involved'",
)
def unequal_common_gains(unequal_common: Results) -> Check:
    return check(largest(_later(unequal_common, "fastest_common")), at_least(0))


@claim(
    "ext_theorem2",
    says="With one query token, classes that mirror each other and common tokens of equal probabilities in all of "
    "them, every common token loses attention: largest dz/dt over t > 0 of three common tokens",
    basis=PAPER,
    source="Corollary 2: 'If Assumption 2 holds', with a 'Single query token', 'Symmetry', 'Global common tokens with "
    "shared conditional probability' and zero at the start, 'Then for any common token' dz/dt is negative, a formula "
    "that the text at hand has lost; Section 5: 'For multiple CTs to shrink, the condition can be a bit involved (see "
    "Corollary 2 in Appendix E)'",
)
def symmetric_common_lose(symmetric_common: Results) -> Check:
    return check(largest(_later(symmetric_common, "fastest_common")), at_most(0))


def _later(run: Results, series: str) -> Series:
    """Return a series without its first record, at which attention does not move."""
    return run[series].during(1, run.last_step)
