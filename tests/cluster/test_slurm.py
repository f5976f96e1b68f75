"""A real Slurm: the same bytes as without it."""

import re
import shutil
import socket
from pathlib import Path

import pytest
import yaml
from cluster_runs import finish, running_slurm, submit

from conftest import ROOT, Repository, fresh, keep, random_problems_only
from helpers.data_files import write_files
from helpers.text_files import table

# Put before the script of a rule. An isolated node has no route, and a loopback of its own, where nothing listens.
FAIL_WITH_NETWORK = """
import errno, socket
for address, error in {{("192.0.2.1", 443): errno.ENETUNREACH, ("127.0.0.1", {port}): errno.ECONNREFUSED}}.items():
    with socket.socket() as connection:
        assert connection.connect_ex(address) == error
"""
FAIL_WITHOUT_NETWORK = """
import socket
socket.create_connection(("127.0.0.1", {port})).close()
"""


@pytest.fixture(scope="module")
def slurm():
    """A Slurm for this module."""
    with running_slurm() as slurm:
        yield slurm


@pytest.fixture
def isolated_slurm():
    """A Slurm whose jobs have no network."""
    with running_slurm(isolated=True) as slurm:
        yield slurm


@pytest.mark.parametrize("kept", [("shared", "fig3"), pytest.param(("shared", "fig"), marks=pytest.mark.long)])
def test_cluster_run_gives_same_bytes(slurm, tmp_path, kept):
    """Published figures of Scan and snap at the scale for tests, where a training takes seconds too.

    kept: how the names of their files begin. Every job on the cluster starts Snakemake, which takes longest.
    """
    local, remote = (fresh(tmp_path / name, ("scan_and_snap",)) for name in ("local", "remote"))
    for repository in (local, remote):
        repository.edit("config/config.yaml", "scale: laptop", "scale: smoke")
        for file in repository.root.glob("config/scan_and_snap/*.yaml"):
            if not file.name.startswith(kept):
                file.unlink()
                claims = f"workflow/attention_dynamics/papers/scan_and_snap/{file.stem}_claims.py"
                (repository.root / claims).unlink(missing_ok=True)
    # As docs/clusters.md has it.
    for key, brief in {"groups": "train=training", "group-components": "training=12"}.items():
        remote.edit("profiles/slurm/config.yaml", f"\n{key}: [", f"\n{key}: [{brief}, ")
    remote.edit("profiles/slurm/config.yaml", "attempt * 240\n", "attempt * 10\n    turn: 1\n")
    # Figures are drawn where Snakemake runs, from what is compared here.
    printed = finish(submit(remote, slurm, "figures/claims.csv"))
    assert "Submitted array job" not in printed
    finished = re.findall(r"^ *(\d+) of (\d+)  \w+", printed, re.MULTILINE)
    assert finished == [(str(number), str(len(finished))) for number in range(1, len(finished) + 1)]
    local.snakemake("figures/claims.csv")
    assert len(local.digests()) > 12
    assert local.digests() == remote.digests()


# A table of tokens in the plane, trained on without a figure.
OWN_DATA = """
problems:
  points: {kind: file, path: data/points.csv}
runs:
  joint:
    kind: gradient_descent
    problem: points
    model: prompt_attention
    loss: logistic
    optimizer: {kind: gd, step_size: 0.5}
    start: {p: [[0, 0]], v: [[0, 0]]}
    steps: 20
    measures: {norm: {}}
"""
POINTS = """dataset,input,label,optimal,x1,x2
s,a,1,1,1,1
s,a,1,0,0,0
t,a,-1,1,1,-1
t,a,-1,0,0.5,0
"""
OWN_DATA_TARGETS = tuple(f"results/laptop/mine/points/{k}-of-2/joint/measures.npz" for k in (1, 2))


def repository_to_split(folder: Path) -> Repository:
    """Return a repository with what shards can split: random problems, a file of tokens, a comparison."""
    repository = fresh(folder)
    repository.configure(random_problems_only)
    repository.write("config/mine/shared.yaml", OWN_DATA)
    repository.write("data/points.csv", POINTS)
    file = repository.root / "config/compare/all.yaml"
    shutil.copytree(ROOT / "config/compare", file.parent)
    settings = yaml.safe_load(file.read_text())
    optimizers = {name: settings["optimizers"][name] for name in ("gd", "normalized_gd")}
    problems = {"random": {"problem": "max_margin/random_n4_t6", "set": {"d": 5, "trials": 6}}}
    settings = {"steps": 20, "tuning_seeds": 3, "problems": problems, "optimizers": optimizers}
    file.write_text(yaml.safe_dump(settings, sort_keys=False))
    return repository


def digests_without_times(repository: Repository) -> dict[str, str]:
    """Return the digests of the files that contain no measured times."""
    timed = re.compile(r"results/.*/cpu\.json|figures/compare/(?!all\.csv)")
    return {name: digest for name, digest in repository.digests().items() if not timed.match(name)}


def test_cluster_runs_shards_as_two_arrays_with_same_bytes(slurm, tmp_path):
    """Tests in tests/workflow check that shards do not change figures."""
    local, remote = (repository_to_split(tmp_path / name) for name in ("local", "remote"))
    targets = ("figures/claims.csv", "figures/compare/all.csv", *OWN_DATA_TARGETS, "--config", "shards=2")
    printed = finish(submit(remote, slurm, *targets))
    # One array has the trainings of all papers, the other those of the comparison.
    assert printed.count("Submitted array job") == 2
    assert len(list(remote.root.glob("results/laptop/max_margin/random_n4_t6/*-of-2/random_small/train.npz"))) == 2
    assert len(list(remote.root.glob("results/laptop/compare/random/*-of-2/*/cell.npz"))) == 4
    local.snakemake(*targets)
    assert digests_without_times(local) == digests_without_times(remote)


def text_classifiers_only(paper: dict) -> None:
    """Reduce a paper to the weights of two text classifiers after two epochs."""
    keep(paper, problems=("imdb",), runs=("imdb_1_1", "imdb_2"), figures=("fig_imdb_weights",))
    for run in paper["runs"].values():
        run |= {"epochs": 2, "seeds": [0]}


def test_jobs_without_network_train_on_fetched_data(isolated_slurm, tmp_path):
    """Downloads run where Snakemake runs; nodes of many clusters reach nothing but Slurm and the shared folder."""
    repository = fresh(tmp_path / "offline", ("mirror_descent",))
    repository.configure(text_classifiers_only, "mirror_descent", claims={})
    reviews = [(k % 2, k, 5, f"review {k} is {('bad', 'good')[k % 2]}") for k in range(80)]
    content = table(("label", "id", "rating", "text"), reviews)
    mirror = write_files(tmp_path / "mirror", {f"imdb_{part}.csv": content for part in ("train", "test")})
    config = ("--config", "data=mirror", f"data_mirror={mirror}")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        checks = {"data": FAIL_WITH_NETWORK, "train": FAIL_WITH_NETWORK, "dataset": FAIL_WITHOUT_NETWORK}
        for rule, check in checks.items():
            script = repository.root / f"workflow/scripts/{rule}.py"
            script.write_text(check.format(port=port) + script.read_text())
        fetched = finish(submit(repository, isolated_slurm, "fetch", *config))
        printed = finish(submit(repository, isolated_slurm, "figures/mirror_descent/fig_imdb_weights.pdf", *config))
    assert "imdb (mirror): 80 + 80 texts in 2 classes" in fetched
    assert "dataset from-mirror/imdb" in fetched
    assert "dataset from-mirror/imdb" not in printed
    assert "Submitted array job" in printed
    assert (repository.root / "figures/mirror_descent/fig_imdb_weights.pdf").is_file()
