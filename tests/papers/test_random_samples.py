"""Random problems of Max-margin Fig 9 and of feasibility, against samples of an independent implementation."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from attention_dynamics.compute import compute_run
from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.measures.feasibility import Feasibility
from attention_dynamics.measures.selection import Selection
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.training import Training
from conftest import ROOT
from helpers.published_config import published_config

pytestmark = pytest.mark.slow

# There are 21 comparisons; two samples of one population differ so much once in 10,000.
SIGNIFICANCE = 1e-4
# Shares of 1000 trials, and medians over the saturated ones, with other seeds; n = 4, T = 6.
SAMPLE = pd.read_csv(ROOT / "tests/data/fig9_sample.csv", comment="#").set_index("d")


def p_value(hits: int, size: int, share: float, other_size: int) -> float:
    """The p-value of Fisher's exact test that two samples have the same share."""
    others = round(share * other_size)
    return scipy.stats.fisher_exact([[hits, size - hits], [others, other_size - others]]).pvalue


@pytest.mark.parametrize("d", [2, 5, 10, 50])
def test_selections_are_as_frequent_as_in_independent_sample(d):
    run, trials = published_config().papers["max_margin"].runs["random_small"], 300
    problem = RandomSphere(trials=trials, n=4, T=6, d=d, seed=5).build()
    measured = compute_run(
        problem, run.training, own_references={"selected": AttentionSVM()}, measures=[Selection(reference="selected")]
    )
    last = {name: values[-1].ravel() for name, values in measured.series.items()}
    for name in ("saturated", "locally_optimal", "globally_optimal", "negative_gap"):
        assert p_value(int(np.nansum(last[name])), trials, SAMPLE[name][d], 1000) > SIGNIFICANCE, name
    gaps = last["score_gap"][last["saturated"] == 1]
    # At d = 2 few problems are saturated.
    assert d == 2 or np.nanmedian(gaps) == pytest.approx(SAMPLE["median_gap"][d], rel=0.2)


def test_random_labels_are_feasible_as_often_as_in_independent_sample():
    untrained = Training.of({"kind": "untrained"})
    for d, share in {2: 0.03, 5: 0.04, 10: 0.41, 20: 1.0, 50: 1.0}.items():
        problem = RandomSphere(trials=100, n=6, T=8, d=d, seed=11).build()
        measures = [Feasibility(reference="gmm")]
        measured = compute_run(problem, untrained, references={"gmm": AttentionSVM()}, measures=measures)
        feasible = int(measured.series["reference_feasible"][-1].sum())
        assert p_value(feasible, 100, share, 100) > SIGNIFICANCE, d
