"""Claims about Figs 6, 11 and 12: entropy and recall of attention on distinct tokens, by size and learning rates.

A size such as 1/2 gives the numbers of query (last) tokens and of next tokens; each next token has one class. A ratio
is eta_Y / eta_Z. Sentences of the paper are judged on the seeds 11 to 110 of fig6_seeds.csv, which the authors did not
use (``benchmarks/fig6_seeds.py`` computes them). The unit of samples is a seed. Results of one seed for
different sizes are not independent, because their sequences of random numbers begin with the same numbers.
"""

from collections.abc import Callable

import numpy as np
import scipy  # Not scipy.stats: SciPy loads it on first use, and loading takes longer than judging most claims.

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Runs
from attention_dynamics.series.confidence import Estimate, Sample, estimate_mean
from attention_dynamics.series.fits import fit_line
from attention_dynamics.series.published import published
from attention_dynamics.series.statistics import deviation

SIZES = {f"{last}/{2 * last}": last for last in (1, 3, 5, 10)}
ETA_Z = (0.5, 1, 2, 3)
RATIOS = (1, 2, 5, 10)
SEEDS = tuple(range(11, 111))
DATA = "100 new seeds, settings of the published logs"
DROP = "drop in recall from the threshold 0.9/M to 1.3/M"

# Function that maps values (sizes, seeds, eta_Z, ratios) to a trend or difference along one of the last two axes. This
# axis is removed, and the other one remains.
Effect = Callable[[Array], Array]


@claim(
    statement="fig6-means",
    says="Means and standard deviations over the published seeds 1 to 10 of the entropy of attention on distinct "
    "tokens: 16 means and 16 deviations of each of the sizes 1/2, 3/6, 5/10 and 10/20",
    basis=AUTHORS_CODE,
    source="published with the code",
    scales=FULL_SCALES,
)
def published_numbers(runs: Runs) -> Check:
    numbers, found, expected = published(__file__, "fig6_entropy"), [], []
    for size, last in SIZES.items():
        run = runs[f"medium_{last}"]
        pairs = [pair.at(run.last_step) for pair in run["distinct_entropy"].group_by_start()]
        found += [np.mean(pairs, axis=1), [deviation(pair) for pair in pairs]]
        expected += [numbers[f"{statistic} {size}"] for statistic in ("mean", "deviation")]
    return check(map(np.array, found), near(np.concatenate(expected), within=0.001, published=True))


@claim(
    statement="fig6-entropy",
    says="Slope of the entropy on ln(eta_Z) at a fixed ratio, and minus its slope on ln(eta_Y) at a fixed eta_Z over "
    f"the ratios 2, 5 and 10: means over 16 cells each, size by ratio and size by eta_Z; {DATA}",
    basis=CHOSEN,
    source="Section 8; the threshold, about 2, is from v4; that eta_Z grows at a fixed ratio is our reading, as the "
    "figure has a line for each eta_Z over the ratio",
    scales=FULL_SCALES,
)
def entropy() -> Check:
    values = _values("entropy")
    falls = _whole_and_cells(values, lambda grid: _slope(grid, 2, ETA_Z), "falls, ratio", RATIOS)
    rises = _whole_and_cells(values[..., 1:], lambda grid: -_slope(grid, 3, RATIOS[1:]), "rises, eta_Z =", ETA_Z)
    return check([falls[0], rises[0]], at_most(0), falls[1] | rises[1])


@claim(
    statement="fig6-entropy",
    says="Entropy with eta_Z doubled and the same eta_Y, minus that before: mean over the four such pairs and the four "
    f"sizes; {DATA}",
    basis=CHOSEN,
    source="Section 8: 'goes down ... with larger' eta_Z, read at a fixed eta_Y",
    scales=FULL_SCALES,
)
def falls_at_fixed_decoder_rate() -> Check:
    values = _values("entropy")
    # eta_Z from 0.5 to 1 and from 1 to 2. At a fixed eta_Y the ratio is halved: from 2 to 1, and from 10 to 5.
    doubled = values[:, :, 1:3, ::2] - values[:, :, :2, 1::2]
    return check(_mean(doubled), at_most(0))


@claim(
    statement="fig6-threshold",
    says=f"Entropy at the ratio 2 minus that at the ratio 1: mean over 16 cells, size by eta_Z; {DATA}",
    basis=CHOSEN,
    source="the sentence has a threshold of about 2, and that the entropy does not rise below it is our reading",
    scales=FULL_SCALES,
    explanation="With one query token the entropy rises from the ratio 1 on, in the published data too; with more it "
    "is smallest at 2.",
)
def threshold() -> Check:
    whole, cells = _whole_and_cells(_values("entropy"), lambda grid: grid[..., 1] - grid[..., 0], "eta_Z =", ETA_Z)
    return check(whole, at_most(0), cells)


@claim(
    "fig11",
    "fig12",
    statement="fig11-12-sparser",
    says=f"Slope of the {DROP}, on ln(eta_Y) at a fixed eta_Z, and minus its slope on ln(eta_Z) at a fixed ratio: "
    f"means over 16 cells each, size by eta_Z and size by ratio; {DATA}",
    basis=CHOSEN,
    source="Appendix G; the thresholds and the measure are inferred from the axes of the figures",
    scales=FULL_SCALES,
)
def slower_descent() -> Check:
    values = _values("drop")
    faster = _whole_and_cells(values, lambda grid: _slope(grid, 3, RATIOS), "smaller eta_Y, eta_Z =", ETA_Z)
    larger = _whole_and_cells(values, lambda grid: -_slope(grid, 2, ETA_Z), "larger eta_Z, ratio", RATIOS)
    return check([faster[0], larger[0]], at_least(0), faster[1] | larger[1])


@claim(
    "fig11",
    statement="fig11-12-match",
    says=f"Spearman's correlation of entropy and {DROP}, over the 16 pairs of learning rates of a seed: mean over the "
    f"four sizes; {DATA}",
    basis=CHOSEN,
    source="Appendix G; the thresholds and the measure are inferred from the axes of the figures",
    scales=FULL_SCALES,
)
def matches_entropy() -> Check:
    ranks = [
        scipy.stats.rankdata(_values(series).reshape(len(SIZES), len(SEEDS), -1), axis=-1)
        for series in ("entropy", "drop")
    ]
    x, y = (rank - rank.mean(-1, keepdims=True) for rank in ranks)
    correlation = (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))
    cells = {size: _mean(one[None]) for size, one in zip(SIZES, correlation, strict=True)}
    return check(_mean(correlation), at_least(0), cells)


def _values(series: str) -> Array:
    """Return the stored numbers of ``series``, "entropy" or "drop", for SEEDS: (sizes, seeds, eta_Z, ratios).

    Raises ValueError unless, for each size, the smallest seeds in the file are SEEDS.
    """
    table = published(__file__, "fig6_seeds")
    names = [f"{series} {ratio} {eta_Z}" for eta_Z in ETA_Z for ratio in RATIOS]
    found = []
    for last in SIZES.values():
        order = np.argsort(np.where(table["last"] == last, table["seed"], np.inf))[: len(SEEDS)]
        if tuple(table["seed"][order]) != SEEDS:
            raise ValueError(f"fig6_seeds.csv has not the seeds {SEEDS[0]} to {SEEDS[-1]} for {last} query tokens")
        found.append(np.stack([table[name][order] for name in names], axis=1).reshape(len(SEEDS), len(ETA_Z), -1))
    return np.array(found)


def _slope(values: Array, axis: int, rates: tuple[float, ...]) -> Array:
    """Return least-squares slopes over the logarithm of ``rates``, which vary along ``axis``. This axis is removed."""
    columns = np.moveaxis(values, axis, 0)
    flat = columns.reshape(len(rates), -1)
    line = fit_line(np.broadcast_to(np.log(rates)[:, None], flat.shape), flat)
    return line.slope.reshape(columns.shape[1:])


def _whole_and_cells(
    values: Array, effect: Effect, name: str, rates: tuple[float, ...]
) -> tuple[Estimate, dict[str, Estimate]]:
    """Return the mean effect over all cells, and a dict with the mean effect in each cell: one size and one rate.

    The keys are texts such as "1/2, <name> <rate>". values: (sizes, seeds, eta_Z, ratios). rates: the values of eta_Z
    or the ratios along the axis that ``effect`` keeps.
    """
    effects = effect(values)
    cells = {
        f"{size}, {name} {rate:g}": _mean(effects[k, :, i][None])
        for k, size in enumerate(SIZES)
        for i, rate in enumerate(rates)
    }
    return _mean(effects), cells


def _mean(effects: Array) -> Estimate:
    """Return the mean of effects, (sizes, seeds, ...). The unit is a seed, with its mean over the other axes."""
    by_seed = np.moveaxis(effects, 1, 0).reshape(len(SEEDS), -1).mean(1)
    return estimate_mean(Sample(by_seed, SEEDS, "seed"))
