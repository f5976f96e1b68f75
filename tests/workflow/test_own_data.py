"""Files of tokens and labels in the workflow: the example of docs/own_data.md, reruns after edits, and shards."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attention_dynamics.problems.token_files import read_problem
from attention_dynamics.store import load_arrays, load_json
from conftest import ROOT, Repository, fresh

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"Save this as `([^`]+)`.*?^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = (ROOT / "docs/own_data.md").read_text()
FIGURE, CLAIMS = "figures/mine/digits.pdf", "results/laptop/claims/mine/digits.json"
RUN = "results/laptop/mine/images/normalized"
# A table in the plane, for the drawing that needs no code.
PLANE = """
problems:
  points: {kind: file, path: data/points.csv, references: {gmm: {kind: attention_svm}}}
runs:
  joint:
    kind: gradient_descent
    problem: points
    model: prompt_attention
    loss: logistic
    optimizer: {kind: gd, step_size: 0.5}
    start: {p: [[0, 0]], v: [[0, 0]]}
    steps: 20
    measures: {correlation: {}}
figures:
  plane:
    title: Points
    shows: paths of p and v
    fidelity: extension
    runs: [joint]
    plot: {kind: max_margin.paths.draw}
"""
POINTS = pd.DataFrame({
    "input": ["a", "a", "b", "b"], "label": [1, 1, -1, -1], "optimal": [1, 0, 1, 0], "x1": [1, 0, 1, 0.5],
    "x2": [1, 0, -1, 0],
})  # fmt: skip
DIGITS_JOBS = {
    "data mine/images/data", "train mine/images/normalized/train", "selected_svm mine/images/normalized/svm",
    "measure mine/images/normalized/measures", "draw mine/digits", "judge mine/digits",
}  # fmt: skip


def set_arrays(repository: Repository, **changes) -> None:
    """Replace arrays of the file of digits."""
    file = repository.root / "data/digits.npz"
    with np.load(file) as arrays:
        np.savez(file, **{**arrays, **changes})


@pytest.fixture(scope="module")
def computed(tmp_path_factory) -> Repository:
    """A repository with the example of the page and points in the plane, after the commands of the page."""
    repository = fresh(tmp_path_factory.mktemp("own_data") / "repository", ())
    saved = SAVED.findall(PAGE)
    assert len(saved) == 3
    for file, text in saved:
        repository.write(file, text)
    (script,) = [text for language, text in BLOCK.findall(PAGE) if "np.savez" in text]
    subprocess.run([sys.executable, "-c", script], cwd=repository.root, check=True)
    commands = re.findall(r"^snakemake (\S+)$", PAGE, re.MULTILINE)
    assert commands == [FIGURE, CLAIMS]
    for target in commands:
        repository.snakemake(target)
    repository.write("config/mine/plane.yaml", PLANE)
    POINTS.to_csv(repository.root / "data/points.csv", index=False)
    repository.snakemake("figures/mine/plane.pdf")
    return repository


@pytest.fixture
def repository(computed, tmp_path) -> Repository:
    return Repository.copied(computed.root, tmp_path / "repository", (*os.listdir(computed.root),))


def test_page_gives_trajectories_directions_figure_and_claim(computed):
    p, solved = load_arrays(computed.root / RUN / "train.npz"), load_arrays(computed.root / RUN / "svm.npz")
    assert p["p"].shape == (31, 20, 1, 8)
    assert solved["references/selected/direction"].shape == (20, 8)
    listed = re.findall(r"^\| `((?:results|figures)/[^`]+)`", PAGE, re.MULTILINE)
    assert len(listed) == 4
    assert all((computed.root / file).is_file() for file in listed)
    (claim,) = load_json(computed.root / CLAIMS)
    assert claim["unit"] == "data set"
    assert float(claim["low"]) < float(claim["estimate"]) < float(claim["high"])
    assert claim["verdict"] == "holds"


def test_page_reads_problem_in_python(computed, monkeypatch):
    monkeypatch.chdir(computed.root)
    (block,) = [text for _, text in BLOCK.findall(PAGE) if "read_problem" in text]
    variables: dict = {}
    exec(block, variables)
    built = load_arrays(computed.root / "results/laptop/mine/images/data.npz")
    for name in ("tokens", "labels", "head", "optimal"):
        np.testing.assert_array_equal(getattr(variables["problem"], name), built[name])


def test_refusal_is_that_of_page(repository):
    (line,) = [text.strip() for language, text in BLOCK.findall(PAGE) if language == "text"]
    set_arrays(repository, labels=np.tile([0, 0, 0, 1, 1, 1], (20, 1)))
    assert line in repository.refusal("-n", FIGURE).splitlines()


def test_edit_reruns_what_depends_on_file_and_touch_nothing(repository):
    targets = (FIGURE, CLAIMS, "figures/mine/plane.pdf")
    assert repository.planned(*targets) == set()
    for file in ("digits.npz", "points.csv"):
        content = (repository.root / "data" / file).read_bytes()
        # A file of its own with the same content and another date.
        (repository.root / "data" / file).unlink()
        (repository.root / "data" / file).write_bytes(content)
    assert repository.planned(*targets) == set()
    repository.edit("data/points.csv", "-1,0,0.5", "-1,0,0.25")
    jobs = {"data", "svm", "train", "measure", "draw"}
    planned = repository.planned(*targets)
    assert {job.split()[0] for job in planned} == jobs
    assert not any("images" in job or "digits" in job for job in planned)
    before = repository.digests()
    repository.snakemake("figures/mine/plane.pdf")
    assert repository.planned(*targets) == set()
    changed = {Path(name).name for name, digest in repository.digests().items() if before[name] != digest}
    assert {"data.npz", "train.npz", "plane.pdf"} <= changed
    set_arrays(repository, labels=np.tile([1, 1, 1, -1, -1, -1], (20, 1)))
    assert repository.planned(*targets) == DIGITS_JOBS
    # An edit back to what the results were made from.
    set_arrays(repository, labels=np.tile([-1, -1, -1, 1, 1, 1], (20, 1)))
    assert repository.planned(*targets) == set()


def test_shards_do_not_change_results(repository):
    before = repository.digests()
    repository.snakemake(FIGURE, CLAIMS, "--config", "shards=3")
    assert len(list((repository.root / "results/laptop/mine/images").glob("*-of-3/normalized/train.npz"))) == 3
    after = repository.digests()
    assert {name for name in before if after[name] != before[name] and not name.startswith("results/drawn")} == set()


def test_table_in_plane_gives_same_problem(computed):
    built = load_arrays(computed.root / "results/laptop/mine/points/data.npz")
    problem = read_problem(computed.root / "data/points.csv")
    np.testing.assert_array_equal(built["tokens"], problem.tokens)
    assert problem.optimal.tolist() == [[0, 0]]
