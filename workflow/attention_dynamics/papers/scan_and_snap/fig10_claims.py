"""Claims about Fig 10: the larger the learning rate, the sparser the attention of a decoder trained on text."""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.run import Runs
from attention_dynamics.series.confidence import Estimate, Sample, estimate_mean
from attention_dynamics.series.fits import fit_line

RATES = (1, 2, 3, 4, 5)
DATA = {"WikiText-2": "decoder", "WikiText-103": "wikitext103"}


@claim(
    statement="fig10-falls",
    says="Slope on the learning rate, 1 to 5, of the mean entropy of attention on the validation text at the end, for "
    "WikiText-2 and WikiText-103. On a laptop these are Python's documentation, its 1,000 and its 3,000 most frequent "
    "words; a workstation has the 5,000 most frequent words of WikiText-2 only",
    basis=CHOSEN,
    source="Appendix G: 'drops ... when the learning rate becomes larger', read as a slope; the number of steps is "
    "ours, the paper trains until convergence",
    scales=FULL_SCALES,
)
def falls(runs: Runs) -> Check:
    cases = {name: _slope(runs, run) for name, run in DATA.items() if f"{run}_1" in runs}
    return check(cases.values(), at_most(0), cases)


def _slope(runs: Runs, name: str) -> Estimate:
    """Return the mean over the seeds of the slope of the entropy at the last step over the learning rate.

    Each seed has one slope, because runs with the same seed have the same initial weights and batches.
    """
    of_rate = [runs[f"{name}_{rate}"] for rate in RATES]
    entropies = [one["attention_entropy"].at(one.last_step) for one in of_rate]
    slopes = fit_line(np.repeat(np.array(RATES, float)[:, None], len(entropies[0]), 1), np.array(entropies)).slope
    return estimate_mean(Sample(slopes, tuple(of_rate[0].training.seeds), "seed"))
