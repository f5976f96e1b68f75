"""Claims about our figure on the winning token: Theorem 2, the prior of Section 5 and the two cases of Section 6.

Theorem 2 is judged on twenty random problems of four classes, with one common token and twenty distinct tokens per
class, at the times t > 0 before Assumption 2 first fails. Let e be the eigenvalues of F'F - I, where F has the columns
f_n. The assumption holds if max |e| < 1/K and, as the proof needs, min |e|^2 / 2 > (3 K / M) max |e|. For Section 6,
gamma = (1 + t)^-p, up to t = 10^12.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, Expectation, at_least, at_most, check
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest

# Indices of the exponents p = 0 and 0.5, for which the integral of gamma grows without bound, and of the exponents
# p = 1.5 and 2, for which it is bounded.
SLOW_DECAYS, FAST_DECAYS = (0, 1), (3, 4)
LAST_STEP_OF_HEADS = 10**6
ABOVE_ZERO = Expectation("> 0", np.nextafter(0, 1), np.inf)


@claim(
    statement="theorem-2-a",
    says="Smallest dz/dt of a distinct token over tokens, problems and times at which Assumption 2 holds",
    basis=PAPER,
    source="Theorem 2 (a)",
)
def distinct_gain(weak_common: Run) -> Check:
    return _over_instances(weak_common, weak_common.series["slowest_distinct"])


@claim(
    statement="theorem-2-b",
    says="Smallest -dz/dt of the single common token over problems and times at which Assumption 2 holds",
    basis=PAPER,
    source="Theorem 2 (b)",
)
def common_loses(weak_common: Run) -> Check:
    return _over_instances(weak_common, -weak_common.series["fastest_common"])


def _over_instances(run: Run, rates: Array) -> Check:
    """Check that rates (records, problems, 1) are positive at the times t > 0 before Assumption 2 first fails."""
    margin = run.series["assumption_2"][..., 0]
    valid = np.logical_and.accumulate(margin > 0, axis=0)[1:]
    remark = f"{valid.any(0).sum()} problems, {valid.sum()} of {valid.size} times"
    return check(rates[1:, :, 0][valid].min(initial=np.inf), ABOVE_ZERO)._replace(remark=remark)


@claim(
    says="With two common tokens, one that is fifty times likelier in one class gains attention: its largest dz/dt",
    basis=DERIVED,
    source="equation 97 by hand: its z grows where (f_n'f_n') f_nl exceeds f_n'l. The text only says that 'For "
    "multiple CTs to shrink, the condition can be a bit involved'",
)
def unequal_common_gains(unequal_common: Run) -> Check:
    return check(largest(unequal_common["fastest_common"].during(1, unequal_common.last_step)), at_least(0))


@claim(
    statement="section-5-prior",
    says="Heads, of 40 with random initial logits, that end with most attention on the likeliest token of a class, and "
    "on the second likeliest; their probabilities are in the ratio of 1 to 0.95",
    basis=CHOSEN,
    source="Section 5: 'can be suppressed in either way'; that one head each way is enough is our reading",
)
def either_wins(random_logits: Run) -> Check:
    winners = random_logits["winner"].at(LAST_STEP_OF_HEADS)
    return check([(winners == token).sum() for token in (0, 1)], at_least(1))


@claim(
    statement="section-6-slow-decay",
    says="For p = 0 and 0.5: growth of B from t = 10^6 to 10^12 minus that from 10^3 to 10^6, and growth of the "
    "dominant token's share from 10^6 to 10^12",
    basis=CHOSEN,
    source="Section 6; B grows without bound if it grows like ln(ln(t)) or faster, and both intervals double ln(t)",
)
def goes_on(decays: Run) -> Check:
    exponents, shares = (_changes(decays, series, (3, 6, 12)) for series in ("exponent", "top_share"))
    found = [[exponents[flow][1] - exponents[flow][0], shares[flow][1]] for flow in SLOW_DECAYS]
    return check(np.array(found), at_least(0))


@claim(
    statement="section-6-fast-decay",
    says="For p = 1.5 and 2: change of the dominant token's share from t = 10^10 to 10^12 over that from 10^8 to 10^10",
    basis=CHOSEN,
    source="Section 6; what is fixed changes ever less",
)
def freezes(decays: Run) -> Check:
    changes = _changes(decays, "top_share", (8, 10, 12))
    return check([abs(changes[flow][1] / changes[flow][0]) for flow in FAST_DECAYS], at_most(1))


def _changes(run: Run, series: str, powers: tuple[int, ...]) -> Array:
    """Return the changes of a series between successive times 10^k, k in ``powers``: (exponents p, len(powers) - 1)."""
    # Record 0 is t = 0, record 1 is t = 1, and each decade has eight records.
    return np.diff(run[series].values[[1 + 8 * power for power in powers]], axis=0).T
