"""A figure in YAML and a Python program that are copied from the interactive page give the page's paths."""

import ast
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from attention_dynamics.compute import compute_run
from attention_dynamics.config.load import load_config
from attention_dynamics.plots.plot import draw
from conftest import ROOT
from helpers import chromium
from helpers.explore_script import LOSSES, OPTIMIZERS, opened_page, page_settings

pytestmark = chromium.NEEDED
# Of every optimizer one.
SEEDS = range(len(OPTIMIZERS))
LAST = "starts.map(start => [...descend(makeProblem(inputs, joint), settings, start, steps, steps).p.slice(-2)])"


@pytest.fixture(scope="module")
def evaluate():
    """Evaluate an expression in the page."""
    with opened_page() as evaluate:
        yield evaluate


def experiment(seed):
    """A random state of the page; short enough that no path is chaotic."""
    rng = np.random.default_rng(seed)
    n, T, joint = int(rng.integers(1, 4)), int(rng.integers(2, 6)), bool(seed % 2)
    settings = {**OPTIMIZERS[seed % len(OPTIMIZERS)], "loss": LOSSES[seed % 3]}
    if joint and settings["optimizer"] == "polyak":
        settings["loss"] = "logistic"
    if seed == 1:
        settings["precision"] = "float64"
    start = {"p": rng.standard_normal(2).tolist()} | ({"v": [1e-7, -1.5]} if joint else {})
    inputs = [
        {
            "tokens": rng.standard_normal((T, 2)).tolist(),
            "scores": rng.uniform(size=T).tolist(),
            "label": int(rng.choice([-1, 1])),
        }
        for _ in range(n)
    ]
    starts = [start, {**start, "p": [1, 0.25]}]
    return {
        "inputs": inputs, "joint": joint, "settings": page_settings(**settings), "starts": starts,
        "steps": int(rng.integers(10, 30)),
    }  # fmt: skip


def page(evaluate, state, expression):
    return evaluate(f"(({{inputs, joint, settings, starts, steps}}) => {expression})({json.dumps(state)})")


@pytest.mark.parametrize("seed", SEEDS)
def test_copied_program_gives_the_path_of_the_page(evaluate, seed, capsys):
    state = experiment(seed)
    program = evaluate(f"toPython({json.dumps(state)})")
    exec(compile(program, "copied", "exec"), {})
    assert np.array(ast.literal_eval(capsys.readouterr().out)) == pytest.approx(
        np.array(page(evaluate, state, LAST)), rel=1e-9, abs=1e-9
    )


@pytest.fixture(scope="module")
def configured(evaluate, tmp_path_factory):
    """The configuration with the figures of all states."""
    folder = shutil.copytree(ROOT / "config", tmp_path_factory.mktemp("copied") / "config")
    for seed in SEEDS:
        text = evaluate(f'toYaml({json.dumps(experiment(seed))}, "ext_copied_{seed}")')
        (folder / "max_margin" / f"ext_copied_{seed}.yaml").write_text(text)
    return load_config(folder, {}).papers["max_margin"]


@pytest.mark.parametrize("seed", SEEDS)
def test_copied_figure_gives_the_path_of_the_page(evaluate, configured, seed):
    state, run = experiment(seed), configured.runs[f"ext_copied_{seed}"]
    problem = configured.problems[run.problem].source.build()
    last = run.training.train(problem)["p"][-1, 0, :, :2]
    assert last == pytest.approx(np.array(page(evaluate, state, LAST)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", [2, 3])
def test_copied_figure_is_drawn(configured, seed):
    name = f"ext_copied_{seed}"
    run, block = configured.runs[name], configured.problems[name]
    done = compute_run(block.source.build(), run.training, references=block.references)
    figure = draw(configured.figures[name].plot.kind, {name: done}, {})
    labels = {line.get_label() for line in figure.axes[0].lines}
    assert ("$v(t)$" in labels) == experiment(seed)["joint"]
    assert "$p(t)$" in labels


def test_copied_program_runs_by_itself(evaluate, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(evaluate(f"toPython({json.dumps(experiment(0))})"))
    path = os.pathsep.join([str(ROOT / "workflow"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stderr
    assert len(ast.literal_eval(done.stdout)) == 2
