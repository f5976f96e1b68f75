"""A batch of random problems split over jobs: the same claims and figures, byte for byte."""

import re

import pytest

from conftest import Repository, fresh, random_problems_only

# Pages that name files of shards, or show settings.
PAGES_WITH_PATHS = re.compile(r"figures/(settings|.*/.*)\.html")


@pytest.fixture
def whole(tmp_path) -> Repository:
    """Random problems, computed in one piece."""
    repository = fresh(tmp_path / "whole")
    repository.configure(random_problems_only)
    repository.snakemake("figures/all")
    return repository


def published(repository: Repository) -> dict[str, str]:
    """Return the digests of figures, claims and manifest, without intermediates and pages that contain paths."""
    return {
        name: digest
        for name, digest in repository.digests().items()
        if not PAGES_WITH_PATHS.fullmatch(name) and (name.startswith("figures/") or "/claims/" in name)
    }


def test_shards_do_not_change_figures_or_claims(whole, tmp_path):
    repository = Repository.copied(whole.root, tmp_path / "split")
    # The shards have unequal sizes; the tests of random problems have shards of a single trial.
    shards = 3
    planned = repository.planned("figures/all", "--config", f"shards={shards}")
    stages = {job.split()[0] for job in planned}
    assert stages == {"data", "train", "selected_svm", "measure", "draw", "judge", "ledger", "manifest", "gallery"}
    repository.snakemake("figures/all", "--config", f"shards={shards}")
    trained = repository.root.glob("results/laptop/max_margin/random_n4_t6/*/random_small/train.npz")
    assert sorted(file.parts[-3] for file in trained) == [f"{k}-of-{shards}" for k in range(1, shards + 1)]
    assert len(published(whole)) > 10
    assert published(repository) == published(whole)
