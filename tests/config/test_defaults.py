"""Defaults of a file or a paper, and panels of a figure: what a block is completed with, and mistakes in them."""

import shutil
from pathlib import Path

import pytest

from attention_dynamics.config.load import load_config
from conftest import ROOT
from helpers.refusals import refusal

SHARED = """
defaults:
  problems: {kind: random_sphere, trials: 3, n: 2, T: 3, d: [4], seed: 1}
  runs: {kind: gradient_descent, model: prompt_attention, loss: logistic, start: {p: [[0]]}, measures: {norm: {}}}
problems:
  data: {}
  equal: {kind: equal_labels, trials: 4, n: 2, T: 3, d: [4], seed: 2}
scales:
  smoke:
    defaults:
      problems: {trials: 2}
"""
FIG1 = """
defaults:
  runs:
    problem: data
    steps: 100
    optimizer: {kind: gd, step_size: 1}
runs:
  one: {}
  two: {steps: 300, measures: {correlation: {}}}
  normalized: {optimizer: {kind: normalized_gd, step_size: 0.5}}
figures:
  fig1:
    title: Both
    shows: both series
    fidelity: extension
    runs: [one, two]
    plot: {kind: max_margin.fig4.draw, series: norm_p, ylabel: norm, ylim: [0, 9], last_step: 5}
    panels:
      a: {title: First, runs: [one]}
      b:
        title: Second
        plot: {kind: max_margin.fig4.draw, series: norm_p, ylabel: size, ylim: [0, 5], last_step: 5}
scales:
  smoke:
    defaults:
      runs: {steps: 10, optimizer: {step_size: 2}}
    runs:
      two: {loss: exponential}
    figures:
      fig1: {panels: {b: {plot: {ylim: [0, 1]}}}}
      fig1a: {note: short}
"""


@pytest.fixture(autouse=True)
def paper(tmp_path, monkeypatch) -> Path:
    """Return the folder of a paper, in config/ below the working directory."""
    monkeypatch.chdir(tmp_path)
    folder = Path("config/mine")
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "config/config.yaml", "config")
    (folder / "shared.yaml").write_text(SHARED)
    (folder / "fig1.yaml").write_text(FIG1)
    return folder


def load(scale: str = "laptop", **mine):
    return load_config(Path("config"), {"scale": scale, "mine": mine}).papers["mine"]


def refused(scale: str = "laptop", **mine) -> str:
    return refusal(load_config, Path("config"), {"scale": scale, "mine": mine})


def test_block_has_defaults_of_its_file_then_of_paper():
    runs = load().runs
    assert {name: run.training.steps for name, run in runs.items()} == {"one": 100, "two": 300, "normalized": 100}
    assert {run.training.loss.kind for run in runs.values()} == {"logistic"}
    # A key of the block replaces the default as a whole.
    assert [list(run.measures) for run in runs.values()] == [["norm"], ["correlation"], ["norm"]]
    assert runs["normalized"].training.optimizer.model_dump()["kind"] == "normalized_gd"


def test_block_of_other_kind_has_no_defaults_of_a_kind(paper):
    problems = load().problems
    assert [problem.source.trials for problem in problems.values()] == [3, 4]
    (paper / "fig1.yaml").write_text(FIG1.replace("one: {}", "one: {kind: span_descent, step_size: 1}"))
    message = refused()
    assert "fig1.yaml: runs.one.optimizer: unknown key: " in message
    assert message.endswith("(from defaults in config/mine/fig1.yaml)")
    kind = "    kind: gradient_descent\n    problem: data\n"
    (paper / "fig1.yaml").write_text(FIG1.replace("    problem: data\n", kind))
    changed = load(runs={"two": {"kind": "span_descent", "problem": "data", "step_size": 1, "steps": 7,
                                 "measures": {"norm": {}}}})  # fmt: skip
    assert changed.runs["two"].training.model_dump()["steps"] == 7


def test_overlay_changes_defaults_and_blocks():
    paper = load("smoke")
    assert [problem.source.trials for problem in paper.problems.values()] == [2, 4]
    assert {name: run.training.steps for name, run in paper.runs.items()} == {"one": 10, "two": 300, "normalized": 10}
    assert {name: run.training.optimizer.step_size for name, run in paper.runs.items()} == {
        "one": 2, "two": 2, "normalized": 0.5,
    }  # fmt: skip
    assert {name: run.training.loss.kind for name, run in paper.runs.items()} == {
        "one": "logistic", "two": "exponential", "normalized": "logistic",
    }  # fmt: skip


def test_command_line_overrides_key_from_defaults():
    new = {"problem": "data", "steps": 5, "optimizer": {"kind": "gd", "step_size": 4}}
    runs = load("smoke", runs={"one": {"optimizer": {"step_size": 3}}, "new": new}).runs
    assert (runs["one"].training.optimizer.step_size, runs["two"].training.optimizer.step_size) == (3, 2)
    # It belongs to shared.yaml.
    assert (runs["new"].training.steps, runs["new"].training.loss.kind) == (5, "logistic")


def test_panel_has_keys_of_its_figure():
    figures = load().figures
    assert list(figures) == ["fig1", "fig1a", "fig1b"]
    assert [figure.title for figure in figures.values()] == ["Both", "First", "Second"]
    assert [figure.runs for figure in figures.values()] == [("one", "two"), ("one",), ("one", "two")]
    assert [figure.plot.settings.ylim for figure in figures.values()] == [(0, 9), (0, 9), (0, 5)]


def test_overlay_and_command_line_change_panel_as_figure():
    figures = load("smoke", figures={"fig1a": {"title": "Mine"}, "fig1": {"panels": {"b": {"title": "Ours"}}}}).figures
    assert [figure.title for figure in figures.values()] == ["Both", "Mine", "Ours"]
    assert [figure.note for figure in figures.values()] == ["", "short", ""]
    assert [figure.plot.settings.ylim for figure in figures.values()] == [(0, 9), (0, 9), (0, 1)]


SMOKE = "    defaults:\n      runs: {steps: 10, optimizer: {step_size: 2}}\n"
A_MAPPING = "is not a mapping of keys to values"
PANEL = "      a: {title: First, runs: [one]}"
# File, text in it, what takes its place, and the message after the name of the file.
MISTAKES = [
    ("fig1", "    steps: 100", "    stepps: 100", "runs.one.stepps: unknown key: 'stepps' is not one of kind, steps,",
     "(did you mean 'steps'?) (from defaults in config/mine/fig1.yaml)"),
    ("fig1", "    steps: 100", "    steps: 0", "runs.one.steps: 0 is not greater than or equal to 1 (from defaults in"),
    ("fig1", "    problem: data", "    problem: dat", "runs.one.problem: 'dat' is not one of data, equal"),
    ("fig1", "    problem: data", "    kind: descent", "defaults.runs.kind: 'descent' is not one of"),
    ("fig1", "defaults:\n  runs:", "defaults:\n  rnus:", "defaults: 'rnus' is not one of problems, runs"),
    ("fig1", "defaults:\n  runs:", "defaults:\n  figures:", "defaults: 'figures' is not one of problems, runs"),
    ("fig1", "defaults:\n  runs:", "dfaults:\n  runs:", "dfaults: unknown key: 'dfaults' is not one of problems,",
     "(did you mean 'defaults'?)"),
    ("fig1", "    defaults:\n      runs: {", "    defaults:\n      run: {", "defaults: 'run' is not one of problems,"),
    ("fig1", SMOKE, "    defaults: 3\n", f"defaults: 3 {A_MAPPING}"),
    ("shared", "trials: 3,", "trial: 3,", "problems.data.trial: unknown key: 'trial' is not one of kind, trials,"),
    ("shared", "trials: 3,", "trials: 0,", "problems.data.trials: 0 is not greater than or equal to 1 (from"),
    ("fig1", "    panels:", "    panls:", "figures.fig1.panls: unknown key: 'panls' is not one of title, shows,",
     "(did you mean 'panels'?)"),
    ("fig1", PANEL, "      a: 3", f"figures.fig1.panels.a: 3 {A_MAPPING}"),
    ("fig1", PANEL, "      a:", f"figures.fig1.panels.a: None {A_MAPPING}"),
    ("fig1", "runs: [one]}", "run: [one]}", "figures.fig1a.run: unknown key: 'run' is not one of title, shows,"),
    ("fig1", "runs: [one]}", "panels: {}}", "figures.fig1.panels.a.panels: a panel has none of its own"),
    ("fig1", "      a: {", "      A: {", "figures.fig1A: 'fig1A' is not a name"),
    ("fig1", "    panels:", "    panels: [a]\n    x:", f"figures.fig1.panels: ['a'] {A_MAPPING}"),
    ("fig1", "figures:\n", "figures:\n  fig1a: {}\n", "figures.fig1.panels.a: figures.fig1a is already defined"),
]  # fmt: skip


def test_mistake_is_refused_with_place(paper):
    for name, old, new, *wanted in MISTAKES:
        file = paper / f"{name}.yaml"
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))
        message = refused("smoke" if "    defaults:" in old else "laptop")
        assert message.startswith(f"{file}: ")
        assert all(part in message for part in wanted), message
        file.write_text(text)


def test_panel_of_name_in_other_file_is_refused(paper):
    figure = FIG1[FIG1.index("    title") : FIG1.index("    panels")].replace("[one, two]", "[own]")
    run = "{problem: data, steps: 9, optimizer: {kind: gd, step_size: 1}}"
    (paper / "fig2.yaml").write_text(f"runs:\n  own: {run}\nfigures:\n  fig1b:\n{figure}")
    assert "fig2.yaml: figures.fig1b: fig1.yaml already defines figures.fig1b" in refused()


def test_defaults_and_scales_on_command_line_are_refused():
    for key in ("defaults", "scales"):
        assert refused(**{key: {}}).startswith(f"--config: mine.{key}: only a paper's files have this key; change")
