"""Figures: reproducible files, vector fonts, honest labels, and nothing cut off at the edge."""

from functools import cache
from pathlib import Path

import pytest

from attention_dynamics.margins.references import tabulate
from attention_dynamics.measures.run import Run
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.config import load_config
from attention_dynamics.pipeline.specs import Specs
from attention_dynamics.plots.style import paper_style, save
from attention_dynamics.problems.problem import Problem
from attention_dynamics.training import single_threaded, train_run

PAPER = "max_margin"
CONFIG = load_config(Path(__file__).parents[1] / "config", {"scale": "smoke"})
SPECS = Specs(CONFIG)
FIGURES = [id for id in CONFIG.ids("figures") if id.startswith(f"{PAPER}/")]
STEPS = 200
FORMATS = ("pdf", "png", "svg")

by_figure = pytest.mark.parametrize("figure", FIGURES)


@cache
def problem_of(id: str) -> Problem:
    spec = SPECS.get("data", id)
    return plugins.PROBLEM.call(spec["kind"])(**spec["arguments"])


@cache
def trajectory(id: str) -> dict:
    """The run as configured, but short."""
    single_threaded()
    spec = SPECS.get("train", id)
    short = {name: min(spec[name], STEPS) for name in ("steps", "record_every")}
    return train_run(problem_of(id.rpartition("/")[0]), spec | short)


@cache
def run(name: str) -> Run:
    """The same with its references and measures."""
    id = CONFIG.run_id(PAPER, name)
    problem = problem_of(id.rpartition("/")[0])
    references = {}
    for one in SPECS.get("svm", id.rpartition("/")[0])["references"]:
        module = plugins.REFERENCE.load(one["kind"])
        references[one["name"]] = tabulate(
            problem, lambda *where: module.solve(*where, **one["arguments"]), module.PARAMETER
        )
    spec = SPECS.get("measure", id)
    counterpart = CONFIG.papers[PAPER].runs[name].counterpart
    compared = trajectory(CONFIG.run_id(PAPER, counterpart)) if counterpart else None
    bare = Run(problem, references, trajectory(id), spec["settings"], counterpart=compared)
    series = {}
    for measure, arguments in spec["measures"].items():
        series |= plugins.MEASURE.call(measure)(bare, **arguments)
    return Run(problem, references, bare.trajectory, spec["settings"], series)


def draw_and_save(figure: str, folder: Path):
    spec = SPECS.get("draw", figure)
    runs = {one["name"]: run(one["name"]) for one in spec["runs"]}
    with paper_style():
        drawn = plugins.plot(PAPER).call(spec["plot"])(runs, **spec["arguments"])
        save(drawn, [str(folder / f"figure.{form}") for form in FORMATS], spec)
    return drawn


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Figure id -> the figure and the folder with its files."""

    @cache
    def of(figure):
        folder = tmp_path_factory.mktemp("figure")
        return draw_and_save(figure, folder), folder

    return of


@by_figure
def test_drawn_again_it_is_the_same_bytes(saved, figure, tmp_path):
    _, folder = saved(figure)
    draw_and_save(figure, tmp_path)
    for form in FORMATS:
        assert (tmp_path / f"figure.{form}").read_bytes() == (folder / f"figure.{form}").read_bytes()
