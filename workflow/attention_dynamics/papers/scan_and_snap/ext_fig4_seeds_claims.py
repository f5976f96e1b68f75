"""Claims about our extension of Fig 4 to many seeds and to 2000 iterations: abstract, Sections 1 and 8.

There are 100 seeds, and 30 in the run ``long``. No seed is in the published logs. Each seed gives one data set, which
is the same for all pairs of learning rates. eta_Z = 1 unless a claim gives another value. Classes have ten distinct
tokens, whose probabilities P have the ratios 1 : 2 : ... : 10.
"""

from collections.abc import Callable

import numpy as np
import scipy  # Not scipy.stats: SciPy loads it on first use, and loading takes longer than judging most claims.

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, format_numbers
from attention_dynamics.papers.scan_and_snap.rate_pairs import (
    at_rates,
    mean_over_seeds,
    own_shares_at_rates,
    shares_at_rates,
)
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.sequences.token_composition import common_mass
from attention_dynamics.series.confidence import Estimate
from attention_dynamics.series.fits import fit_line
from attention_dynamics.series.series import Steps
from attention_dynamics.series.statistics import change

RATIOS = (1, 2, 5, 10)
SCALED = (0.5, 1, 2, 3)
# Each interval goes from an iteration to twice that iteration. Of all these intervals between 10 and 640, entropy and
# composition change most in EARLIER (on seeds 1 to 5, for eta_Y = 1 and 10).
EARLIER, LAST = (10, 20), (1000, 2000)
# Its arguments are a run, eta_Y, and the first and last iteration of an interval. It returns a number for each seed,
# (seeds,).
Statistic = Callable[[Run, float, int, int], Array]


@claim(
    statement="discriminative-bias",
    says="Logarithm of the share of the common tokens over that at the start, with eta_Y = 10: mean over classes and "
    "iterations 2 to 98",
    basis=CHOSEN,
    source="abstract; that the decoder learns ten times faster than attention, and the share of all common tokens "
    "together, are our readings",
    scales=FULL_SCALES,
)
def moves_to_distinct(seeds: Run) -> Check:
    def change_of_mass(eta_Y: float) -> Estimate:
        mass = np.log(common_mass(seeds.problem.classes, shares_at_rates(seeds, eta_Y=eta_Y)))
        return mean_over_seeds((mass[1:] - mass[0]).mean((0, 2)), seeds)

    *others, fastest = map(change_of_mass, RATIOS)
    return check(fastest, at_most(0))._replace(remark=_others(others))


@claim(
    statement="frequency-bias",
    says="Kendall's tau, over the ten distinct tokens of a class, between P and the logarithm of the token's share of "
    "attention over that at the start, with eta_Y = 10: mean over classes and iterations 2 to 98",
    basis=CHOSEN,
    source="abstract; that the decoder learns ten times faster than attention, and the rank correlation, are our "
    "readings",
    scales=FULL_SCALES,
)
def rare_tokens_lose(seeds: Run) -> Check:
    def order(eta_Y: float) -> Estimate:
        shares = np.log(own_shares_at_rates(seeds, eta_Y=eta_Y))
        gains = shares[1:] - shares[0]
        likelier, rarer = np.triu_indices(gains.shape[-1], 1)[::-1]
        return mean_over_seeds(np.sign(gains[..., likelier] - gains[..., rarer]).mean((0, 2, 3)), seeds)

    *others, fastest = map(order, RATIOS)
    return check(fastest, at_least(0))._replace(remark=_others(others))


@claim(
    statement="frequency-bias",
    says="Kendall's tau, over the ten distinct tokens of a class, between P and the iteration at which the token's "
    "share is largest, with eta_Y = 10: mean over classes, 0 where all are largest at one iteration",
    basis=CHOSEN,
    source="abstract: 'progressively', read as an order in time",
    scales=FULL_SCALES,
)
def rare_tokens_lose_first(seeds: Run) -> Check:
    largest = own_shares_at_rates(seeds, eta_Y=10).argmax(0)
    order = np.arange(largest.shape[-1])
    tau = [[_tau(order, row) for row in classes] for classes in largest]
    return check(mean_over_seeds(np.mean(tau, axis=1), seeds), at_least(0))


def _tau(order: Array, values: Array) -> float:
    # SciPy returns NaN if all values are equal. A class without an order counts as 0.
    return float(scipy.stats.kendalltau(order, values).statistic) if np.ptp(values) else 0.0


def _others(estimates: list[Estimate]) -> str:
    return f"with eta_Y = 1, 2 and 5: {format_numbers([one.value for one in estimates])}"


@claim(
    statement="no-winner-takes-all",
    says="Share of attention that moves between tokens per iteration, from iteration 1000 to 2000 minus from 10 to 20: "
    "mean over classes, and over eta_Y = 1 and 10",
    basis=CHOSEN,
    source="abstract; the earlier interval is where most moves on seeds 1 to 5",
    scales=FULL_SCALES,
)
def decelerates(long: Run) -> Check:
    return _later_minus_earlier(long, lambda run, eta_Y, a, b: _moved(run, eta_Y, a, b) / (b - a))


@claim(
    statement="section-1-frozen",
    says="Size of the change of the entropy on distinct tokens from iteration 1000 to 2000 minus that from 10 to 20, "
    "the same factor of time: mean over eta_Y = 1 and 10",
    basis=CHOSEN,
    source="Section 1: 'slowly (i.e., logarithmically over time)' is read as a smaller change per logarithm of time; "
    "the earlier interval is where most changes on seeds 1 to 5",
    scales=FULL_SCALES,
)
def freezes(long: Run) -> Check:
    return _later_minus_earlier(
        long, lambda run, eta_Y, a, b: np.abs(change(at_rates(run, "distinct_entropy", eta_Y=eta_Y), a, b))
    )


@claim(
    statement="no-winner-takes-all; section-1-frozen",
    says="Share of attention that moves between tokens from iteration 1000 to 2000 minus that from 10 to 20, the same "
    "factor of time: mean over classes, and over eta_Y = 1 and 10",
    basis=CHOSEN,
    source="abstract and Section 1, read as about the weights themselves; the earlier interval is where most moves on "
    "seeds 1 to 5",
    scales=FULL_SCALES,
)
def composition_freezes(long: Run) -> Check:
    return _later_minus_earlier(long, _moved)


def _later_minus_earlier(long: Run, statistic: Statistic) -> Check:
    """Check that a statistic is at most as large in the interval LAST as in EARLIER.

    The check is about the mean over the seeds and eta_Y = 1 and 10. Its cases are the means for each eta_Y.
    """
    found = {eta_Y: statistic(long, eta_Y, *LAST) - statistic(long, eta_Y, *EARLIER) for eta_Y in (1, 10)}
    cases = {f"eta_Y = {eta_Y}": mean_over_seeds(values, long) for eta_Y, values in found.items()}
    return check(mean_over_seeds(np.mean(list(found.values()), axis=0), long), at_most(0), cases)


def _moved(run: Run, eta_Y: float, first: int, last: int) -> Array:
    """Return the total variation distance between the shares c_n at two iterations: the mean over classes, (seeds,)."""
    shares = shares_at_rates(run, eta_Y=eta_Y)
    return np.asarray(np.abs(shares[run.at(last)] - shares[run.at(first)]).sum(-1).mean(-1) / 2)


@claim(
    statement="section-1-learning-rates",
    says="Slope of the entropy on distinct tokens at iteration 98 on ln(eta_Z) with eta_Y = 2 eta_Z; minus its slope "
    "on ln(eta_Y); slope on ln(eta_Y) of the logarithm of the iteration before which attention moves most",
    basis=CHOSEN,
    source="Section 1; the phase transition is read as the iteration before which attention moves most",
    scales=FULL_SCALES,
)
def learning_rates(seeds: Run, scaled: Run) -> Check:
    sparse = [at_rates(scaled, "distinct_entropy", eta_Y=2 * eta_Z, eta_Z=eta_Z).at(98) for eta_Z in SCALED]
    dense = [at_rates(seeds, "distinct_entropy", eta_Y=eta_Y).at(98) for eta_Y in RATIOS]
    moves = [np.abs(np.diff(shares_at_rates(seeds, eta_Y=eta_Y), axis=0)).sum(-1).mean(-1) for eta_Y in RATIOS]
    phase = [np.log(seeds.steps[1:][one.argmax(0)]) for one in moves]
    cases = {
        "larger rates, sparser": mean_over_seeds(_slope(SCALED, sparse), scaled),
        "larger eta_Y, denser": mean_over_seeds(-_slope(RATIOS, dense), seeds),
        "larger eta_Y, earlier": mean_over_seeds(_slope(RATIOS, phase), seeds),
    }
    return check(cases.values(), at_most(0), cases)


def _slope(rates: tuple[float, ...], values: list[Array]) -> Array:
    """Return the slopes of values (rates, seeds) over the logarithm of the rates, (seeds,)."""
    return fit_line(np.repeat(np.log(rates)[:, None], len(values[0]), 1), np.array(values)).slope


@claim(
    statement="fig4-sgd",
    says="Change of the entropy on distinct tokens from iteration 0 to 98 for eta_Y = 1 and for 10; logarithm of the "
    "number of iterations to the mean final loss for eta_Y = 1, that for eta_Y = 10 minus that for 1; minus the "
    "difference of the entropies at iteration 98, for eta_Y = 10 minus for 1",
    basis=CHOSEN,
    source="Section 8; 'becomes sparse' is read as sparser than at the start, and a seed that does not reach the loss "
    "counts as 100 iterations",
    scales=FULL_SCALES,
)
def sgd(seeds: Run) -> Check:
    slow, fast = (at_rates(seeds, "distinct_entropy", eta_Y=eta_Y) for eta_Y in (1, 10))
    losses = [at_rates(seeds, "loss", eta_Y=eta_Y) for eta_Y in (1, 10)]
    target = losses[0].during(90, 98).values.mean()
    reached = [np.log(np.minimum(_first_at_most(one.values, one.steps, target), 100)) for one in losses]
    means = [np.log(one.during(2, 98).values.mean(0)) for one in losses]
    cases = {
        "sparser, eta_Y = 1": mean_over_seeds(change(slow, 0, 98), seeds),
        "sparser, eta_Y = 10": mean_over_seeds(change(fast, 0, 98), seeds),
        "faster": mean_over_seeds(reached[1] - reached[0], seeds),
        "less sparse": mean_over_seeds(slow.at(98) - fast.at(98), seeds),
    }
    found = check(cases.values(), at_most(0), cases)
    return found._replace(
        remark=f"logarithm of the ratio of mean losses: {format_numbers((means[1] - means[0]).mean())}"
    )


def _first_at_most(values: Array, steps: Steps, level: float) -> Array:
    """Return the first steps, (seeds,), at which values (records, seeds) are at most ``level``; infinity for none."""
    reached = values <= level
    return np.where(reached.any(0), steps[reached.argmax(0)], np.inf)


@claim(
    statement="fig4-sgd",
    says="Change of the entropy over all 20 tokens of a class from iteration 0 to 98, for eta_Y = 1 and 10: mean over "
    "classes",
    basis=CHOSEN,
    source="Section 8: 'attention becomes sparse', read as about all tokens",
    scales=FULL_SCALES,
)
def all_tokens(seeds: Run) -> Check:
    entropies = [scipy.special.entr(shares_at_rates(seeds, eta_Y=eta_Y)).sum(-1).mean(-1) for eta_Y in (1, 10)]
    return check([mean_over_seeds(one[seeds.at(98)] - one[0], seeds) for one in entropies], at_most(0))
