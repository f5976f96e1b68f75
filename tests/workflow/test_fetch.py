"""Published data sets are fetched and checked before jobs start, and networks ask for a GPU."""

import re

import pytest
import yaml

from conftest import ROOT, fresh
from helpers.data_files import write_files
from helpers.text_files import MIRRORS, REVIEWS, table

DATA = "results/smoke/mirror_descent/imdb/from-mirror/data.npz"
# As lines of progress name them.
CHECK, BUILD = "dataset from-mirror/imdb", "data mirror_descent/imdb/from-mirror"


@pytest.fixture
def mirror(tmp_path):
    return write_files(tmp_path / "mirror", MIRRORS["imdb"][1])


@pytest.fixture
def repository(tmp_path):
    """Figures of IMDb only."""
    repository = fresh(tmp_path / "repository", ("mirror_descent",))
    repository.configure(without_images, "mirror_descent")
    return repository


def without_images(paper):
    paper["figures"] = {name: block for name, block in paper["figures"].items() if not name.startswith("fig_vit")}


def jobs(printed):
    """Return the jobs that ran, as the lines of progress name them."""
    return re.findall(r"^\d+ of \d+  (\S+ \S+)  ", printed, re.MULTILINE)


def test_fetch_describes_sets_or_names_what_is_missing(repository, mirror):
    assert "all data come with the installed packages" in repository.snakemake("fetch").stdout
    config = ("--config", "scale=smoke", "data=mirror", "data_mirror=../mirror")
    printed = repository.snakemake("fetch", *config).stdout
    assert jobs(printed) == [CHECK]
    assert "\nimdb (mirror): 4 + 2 texts in 2 classes, " in printed
    (mirror / "imdb_test.csv").unlink()
    assert "imdb_test.csv.gz: is missing" in repository.snakemake("fetch", "-R", "dataset", *config, ok=False).stdout
    mirror.rename(mirror.with_name("renamed"))
    printed = repository.snakemake("fetch", "-R", "dataset", *config, ok=False).stdout
    assert f"data_mirror: {mirror}: there is no such folder" in printed
    assert "rule dataset" not in printed


def test_data_are_built_again_only_after_their_set_changed(repository, mirror, monkeypatch):
    config = ("--config", "scale=smoke", "data=mirror", f"data_mirror={mirror}")
    assert jobs(repository.snakemake(DATA, *config).stdout) == [CHECK, BUILD]
    monkeypatch.setenv("HOME", str(mirror.parent))
    again = ("fetch", "--forcerun", "dataset", *config[:-1], "data_mirror=~/mirror")
    assert jobs(repository.snakemake(*again).stdout) == [CHECK]
    assert jobs(repository.snakemake(DATA, *config).stdout) == []
    rows = [(label, k, 5, f"{text}!") for k, (label, text) in enumerate(REVIEWS["train"])]
    (mirror / "imdb_train.csv").write_bytes(table(("label", "id", "rating", "text"), rows))
    repository.snakemake(*again)
    assert jobs(repository.snakemake(DATA, *config).stdout) == [BUILD]


def test_only_networks_on_gpu_ask_for_it_and_a_missing_one_stops_a_run(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    repository = fresh(tmp_path / "repository")
    targets = ("figures/max_margin/fig4a.pdf", "figures/max_margin/fig6.pdf")
    for device, expected in {"cpu": "0", "cuda": "1"}.items():
        config = ("--workflow-profile", "profiles/slurm-gpu", "--config", "scale=smoke", f"device={device}")
        printed = repository.snakemake("-n", *targets, *config).stdout
        asked = dict(re.findall(r"output: results/smoke/max_margin/(\S+)/train.npz.*?gpu=(\d)", printed, re.DOTALL))
        assert asked["multiple_inputs/normalized_step"] == "0"
        assert asked["cifar10/from-embedded/vit"] == expected
    for jobs in ((), ("-j1",), ("--jobs", "2", "--cores", "1")):
        printed = repository.refusal(targets[0], *jobs, "--config", "device=cuda")
        assert "device: cuda: PyTorch finds no GPU on this machine" in printed
        assert not (repository.root / "results").exists()


def test_profile_with_gpu_differs_only_in_arrays():
    """An array of trainings gets what its first job needs, a GPU or none."""
    usual, gpu = (
        yaml.safe_load((ROOT / f"profiles/{name}/config.yaml").read_text()) for name in ("slurm", "slurm-gpu")
    )
    assert usual.pop("slurm-array-jobs") == "train, optimize"
    assert gpu.pop("slurm-array-jobs") == "optimize"
    assert gpu == usual
