"""A run that is compared with the SVM of the tokens that another run selects."""

import numpy as np
import pytest

from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from conftest import fresh


def two_runs(paper: dict) -> None:
    """Configure two data sets and two exponents for 50 steps; each run is compared with the other's SVM."""

    def run(exponent: float, start: int, own: str, other: str) -> dict:
        return {
            "problem": "hundred",
            "optimizer": {"kind": "mirror_descent", "exponent": exponent, "step_size": 0.1},
            "start": {"W": {"of_problem": [start]}},
            "steps": 50,
            "record_every": 50,
            "references": {own: {"kind": "lp_attention_svm", "exponent": exponent}},
            "external_references": {other: {"run": f"run_{other}", "reference": other}},
        }

    paper["problems"] = {"hundred": {**paper["problems"]["hundred"], "datasets": 2}}
    paper["runs"] = {"run_q2": run(2, 1, "q2", "q3"), "run_q3": run(3, 2, "q3", "q2")}
    figure = paper["figures"]["fig_bregman"]
    plot = {**figure["plot"], "paths": ["run_q2", "run_q3"], "references": {"q2": 2, "q3": 3}}
    plot.pop("published")
    paper["figures"] = {"fig_bregman": {**figure, "plot": plot, "runs": ["run_q2", "run_q3"]}}
    paper.pop("scales")


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    repository = fresh(tmp_path_factory.mktemp("external") / "repository", ("mirror_descent",))
    repository.configure(two_runs, "mirror_descent", claims={})
    repository.snakemake("figures/mirror_descent/all")
    return repository


def load(repository, path: str) -> dict:
    with np.load(repository.root / "results/laptop/mirror_descent/hundred" / path, allow_pickle=False) as arrays:
        return dict(arrays)


def test_divergence_is_from_svm_of_other_run(repository):
    w = load(repository, "run_q2/train.npz")["W"][-1, :, 0]
    external = load(repository, "run_q3/svm.npz")["references/q3/weights"]
    expected = 1 - (mirror_image(w, 2) * external).sum(-1) / lp_norm(w, 2) / lp_norm(external, 2)
    measured = load(repository, "run_q2/measures.npz")
    np.testing.assert_allclose(measured["bregman_q3"][-1, :, 0], expected, rtol=1e-10)
    assert (measured["bregman_q2"][-1] != measured["bregman_q3"][-1]).all()


def test_new_training_remeasures_only_referring_runs(repository):
    repository.edit("config/mirror_descent/shared.yaml", "exponent: 3\n", "exponent: 3.5\n")
    planned = repository.planned("figures/mirror_descent/fig_bregman.pdf")
    place = "mirror_descent/hundred"
    assert {job for job in planned if not job.startswith("draw")} == {
        f"train {place}/run_q3/train", f"selected_svm {place}/run_q3/svm", f"measure {place}/run_q3/measures",
        f"measure {place}/run_q2/measures",
    }  # fmt: skip
