"""Digests and seeds of experiments in the manifest."""

import pytest

from attention_dynamics.config.experiment import experiment_seeds
from attention_dynamics.config.load import load_config
from attention_dynamics.pipeline.jobs import Jobs
from helpers.published_config import CONFIG_FOLDER, published_config


def test_seeds_of_problems_and_trainings_are_listed():
    config = published_config()
    training = config.papers["fast_rates"].runs["small_sgd"].training
    assert experiment_seeds(config.papers["fast_rates"], "fig7") == {"seeds": sorted(training.seeds)}
    source = config.papers["mirror_descent"].problems["near_svm"].source
    expected = {"first_seed": [source.first_seed], "noise_seed": [source.noise_seed]}
    assert expected.items() <= experiment_seeds(config.papers["mirror_descent"], "ext_theorems").items()


@pytest.mark.slow
def test_changed_experiment_changes_digest_in_manifest():
    def listed(overrides):
        figures = Jobs(load_config(CONFIG_FOLDER, overrides)).get("manifest").spec["figures"]
        return {f"{one['paper']}/{one['figure']}": one for one in figures}

    before = listed({})
    name = "random_n4_t6"
    after = listed({"max_margin": {"problems": {name: {"seed": 987654}}}})
    changed = {figure for figure in before if before[figure]["experiment_sha256"] != after[figure]["experiment_sha256"]}
    assert "max_margin/fig9a" in changed
    assert not any(figure.startswith("scan_and_snap") for figure in changed)
    assert "987654" in after["max_margin/fig9a"]["seeds"]
