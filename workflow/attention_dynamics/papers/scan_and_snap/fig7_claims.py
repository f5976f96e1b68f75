"""Claims about Fig 7: attention of decoders on text becomes sparse and freezes as they are trained at learning rate 5.

The attention is that of the lowest layer, at the steps SNAPSHOTS. The unit is a seed. A map is that of one segment of
the validation text; an entropy is the mean over the whole validation text. "Freezes" is read as: changes less per
logarithm of time than before, as in Section 1: "slowly (i.e., logarithmically over time)".
"""

from itertools import pairwise

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Estimate, Sample, estimate_mean

SNAPSHOTS = (0, 500, 1000, 1500)
TEXT = (
    "on a laptop the 1,000 most frequent words of Python's documentation, on a workstation the 5,000 most frequent "
    "ones of WikiText-2"
)


@claim(
    statement="fig7-freezes",
    says="Change of the mean entropy from step 0 to 1500; size of its change per logarithm of time from 1000 to 1500 "
    f"minus that from 500 to 1000; each with one layer and with three. Text: {TEXT}",
    basis=CHOSEN,
    source="Section 8",
    scales=FULL_SCALES,
)
def freezes(decoder_shallow: Run, decoder_deep: Run) -> Check:
    cases = {}
    for depth, run in (("one layer", decoder_shallow), ("three layers", decoder_deep)):
        first, earlier, later, last = (run.series["attention_entropy"][run.at(step), 0] for step in SNAPSHOTS)
        cases[f"{depth}, sparse"] = _mean(last - first, run)
        cases[f"{depth}, freezes"] = _slower(np.abs(later - earlier), np.abs(last - later), run)
    return check(cases.values(), at_most(0), cases)


@claim(
    statement="fig7-freezes",
    says="Share of its attention that a position moves, on average, per logarithm of time from step 1000 to 1500 minus "
    f"that from 500 to 1000, with one layer and with three. Text: {TEXT}",
    basis=CHOSEN,
    source="Section 8: 'attentions ... freeze', read as about the map itself",
    scales=FULL_SCALES,
)
def map_freezes(decoder_shallow: Run, decoder_deep: Run) -> Check:
    cases = {}
    for depth, run in (("one layer", decoder_shallow), ("three layers", decoder_deep)):
        maps = [run.series["attention_map"][run.at(step), 0] for step in SNAPSHOTS[1:]]
        moved = [np.abs(late - early).sum(-1).mean(-1) / 2 for early, late in pairwise(maps)]
        earlier, later = moved
        cases[depth] = _slower(earlier, later, run)
    return check(cases.values(), at_most(0), cases)


def _slower(earlier: Array, later: Array, run: Run) -> Estimate:
    """Return the mean over the seeds of later / ln(1500 / 1000) - earlier / ln(1000 / 500), changes per ln of time.

    later, earlier: (seeds,), changes from step 1000 to 1500 and from step 500 to 1000.
    """
    return _mean(later / np.log(1.5) - earlier / np.log(2), run)


def _mean(values: Array, run: Run) -> Estimate:
    return estimate_mean(Sample(values, tuple(run.training.seeds), "seed"))
