"""Verdicts with other seeds: which seeds change, and which verdicts count as different."""

import pytest

from attention_dynamics.config.experiment import experiment_seeds
from attention_dynamics.pipeline.robustness import (
    PUBLISHED_SEED,
    compare_claims,
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


def test_other_verdicts_are_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figure = random_figures(CONFIG)[0]

    def save(variant, *verdicts):
        for name in CONFIG.figures():
            rows = [
                {
                    "claim": f"c{k}",
                    "verdict": verdict,
                    "measured": variant or "here",
                    "setting": "paper",
                    "published": False,
                }
                for k, verdict in enumerate(verdicts)
            ]
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
    page = render(rows, [], ["seeds_1"])
    assert "fails: seeds" in page
    assert "2 have another verdict, 1 the opposite" in page
