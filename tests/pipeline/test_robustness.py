"""Verdicts with other seeds: which seeds change, and which verdicts count as different."""

import numpy as np
import pytest
from scipy.stats import norm

from attention_dynamics.config.experiment import experiment_seeds
from attention_dynamics.pipeline.robustness import (
    PUBLISHED_SEED,
    compare_claims,
    predict,
    random_figures,
    render,
    shift_paper,
    shifted_seeds,
    verdict_file,
)
from attention_dynamics.store import save_json
from helpers.published_config import published_config

CONFIG = published_config()


def test_every_seed_is_shifted_and_nothing_else():
    settings = {"seed": 3, "seeds": [0, 2], "steps": 5, "data": {"first_seed": 1, "d": 2}, "other_seeds": True}
    assert shifted_seeds(settings, 100) == {"seed": 103, "seeds": [100, 102], "data": {"first_seed": 101}}
    assert shifted_seeds({"steps": 5}, 100) is None


@pytest.mark.slow
@pytest.mark.parametrize("paper", CONFIG.papers.values(), ids=lambda paper: paper.name)
def test_shifted_seeds_are_those_of_figures(paper):
    changes = shift_paper(paper, 1000)
    for figure in paper.figures:
        seeds = {seed for found in experiment_seeds(paper, figure).values() for seed in found}
        shifted = {seed for part in changes.values() for seed in numbers(part)}
        assert {seed + 1000 for seed in seeds} <= shifted
        assert (f"{paper.name}/{figure}" in random_figures(CONFIG)) == bool(seeds)


def numbers(block):
    children = block.values() if isinstance(block, dict) else block if isinstance(block, list) else ()
    return [block] if isinstance(block, int) else [one for child in children for one in numbers(child)]


JUDGED = {"measured": "1", "setting": "paper", "published": False, "expected": ">= 0", "estimate": "1", "low": "0.5",
          "high": "1.5", "unit": "seed"}  # fmt: skip


@pytest.mark.slow
def test_other_verdicts_are_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figure = random_figures(CONFIG)[0]

    def save(variant, *verdicts):
        for name in CONFIG.figures():
            rows = [JUDGED | {"claim": f"c{k}", "verdict": verdict} for k, verdict in enumerate(verdicts)]
            rows += [dict(rows[0], claim="expected_numbers", verdict="fails" if variant else "holds")]
            if name == figure or not variant:
                verdict_file(CONFIG, name, variant).parent.mkdir(parents=True, exist_ok=True)
                save_json(verdict_file(CONFIG, name, variant), rows)

    save("", "holds", "holds", "undecided")
    save("seeds_1", "holds", "fails", "holds")
    rows = compare_claims(CONFIG, ["seeds_1"])
    mine = [row for row in rows if row["figure"] == figure]
    assert [row["differs"] for row in mine] == ["", "opposite", "differs", PUBLISHED_SEED]
    # The other figures could not be judged.
    assert {row["seeds_1"] for row in rows if row["figure"] != figure} == {"not judged"}
    page = render(rows, [], ["seeds_1"], "a machine")
    assert "| holds: 1 | fails: 1 | seed |" in page
    assert "Of 3 with intervals 2 differ under seeds_1, where the intervals predict" in page
    assert "2 have another verdict, 1 the opposite" in page
    assert "is larger by 1. Computed on\na machine." in page


# Expected number, and the range in which a claim holds.
RANGES = {">= 1": (1, np.inf), "> 1": (1, np.inf), "<= 1": (-np.inf, 1), "1 +- 0.5": (0.5, 1.5), "= 1": (1, 1),
          "2 +- 10 %": (1.8, 2.2)}  # fmt: skip


@pytest.mark.parametrize("expected", RANGES)
@pytest.mark.parametrize("value", [0.2, 0.9, 1.1, 1.6])
def test_predicted_verdicts_are_those_of_normal_samples(expected, value):
    half, (low, high) = 0.4, RANGES[expected]
    another = norm(value, np.sqrt(2) * half / 1.96)
    holds = max(0, another.cdf(high - half) - another.cdf(low + half))
    fails = another.cdf(low - half) + another.sf(high + half)
    row = {"expected": expected, "measured": str(value), "estimate": str(value), "low": str(value - half),
           "high": str(value + half)}  # fmt: skip
    predicted = {"holds": (1 - holds, fails), "fails": (1 - fails, holds)}
    predicted["compatible" if expected == "= 1" else "undecided"] = (holds + fails, 0)
    for verdict, shares in predicted.items():
        assert predict(row | {"verdict": verdict}) == pytest.approx(shares, abs=0.02)
    assert predict(row | {"verdict": "reported"}) is None
    assert predict(row | {"verdict": "holds", "estimate": "", "low": "", "high": ""}) is None
