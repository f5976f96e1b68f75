"""Figures: reproducible files, vector fonts, honest labels, type that can be read in print, colors of one table."""

import ast
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from string import ascii_lowercase
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from attention_dynamics.compute import compute_run
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.plots.labels import tag
from attention_dynamics.plots.numbers import drawn_numbers
from attention_dynamics.plots.plot import draw
from attention_dynamics.plots.renderings import HEADER, save
from attention_dynamics.plots.style import FULL_WIDTH, HALF_WIDTH, INK, MIN_FONT_SIZE, PANEL, paper_style
from attention_dynamics.problems.problem import Problem
from attention_dynamics.registry import PACKAGE
from attention_dynamics.regularization.regularization_path import RegularizationPath
from attention_dynamics.run import Run
from attention_dynamics.training import Iterated, Training
from helpers.figure_checks import find_outside, find_overlaps, find_unknown_colors, visible_texts
from helpers.picture_digest import describe_change, load_baseline, picture_digest, save_baseline
from helpers.published_config import published_config

# All figures are computed and drawn.
pytestmark = pytest.mark.slow

# Of a training by gradient steps the beginning is enough, but for figures that fit what comes after 2000 steps, or draw
# their last arrow at 13,000.
STEPS = 200
LATE = {
    "fast_rates/fig2": 2500, "fast_rates/fig3": 2500, "fast_rates/fig5": 2500, "fast_rates/ext_linear_baseline": 2500,
    "mirror_descent/fig_direction": 13000,
}  # fmt: skip
# Of a global path of minimizers two records are enough to draw a line; figures of local ones mark some of the radii.
RADII = 2
# Small batches and coarse grids.
CONFIG = published_config("smoke")
JOBS = Jobs(CONFIG)
FIGURES = CONFIG.figures()
FORMATS = ("pdf", "png", "svg")
# Levels of 255.
MAX_SHADE_DIFFERENCE = 8


def drawing(figure: str) -> dict:
    return JOBS.get("draw", figure).spec


# One figure of every plot.
PLOTS = {drawing(id)["plot"]: id for id in FIGURES}

by_figure = pytest.mark.parametrize("figure", FIGURES)
# Writing all formats takes longest: these tests take one figure of each paper, and the sweeps take the others.
OF_EACH_PAPER = {id.split("/")[0]: id for id in reversed(FIGURES)}.values()
by_paper = pytest.mark.parametrize(
    "figure", [id if id in OF_EACH_PAPER else pytest.param(id, marks=pytest.mark.long) for id in FIGURES]
)


@cache
def problem_of(id: str) -> Problem:
    """The problem of a run."""
    paper, problem = id.split("/")[:2]
    source = CONFIG.papers[paper].problems[problem].source
    return source.build(**JOBS.get("data", id.rpartition("/")[0]).spec["location"])


@cache
def late_runs() -> dict[str, int]:
    """Return the number of steps for each run of the figures in LATE, by id."""
    shown = [(figure.split("/")[0], run["name"], most) for figure, most in LATE.items()
             for run in drawing(figure)["runs"]]  # fmt: skip
    return {id: most for paper, run, most in shown for id in JOBS.shards_of(paper, run)}


def block_of(id: str):
    return CONFIG.papers[id.split("/")[0]].runs[id.rpartition("/")[2]]


def training_of(id: str) -> Training:
    """The training as configured, or its beginning: enough for every element of the plots to be there."""
    training, most = block_of(id).training, late_runs().get(id, STEPS)
    if isinstance(training, Iterated):
        short = {name: min(getattr(training, name), most) for name in ("steps", "record_every")}
        training = training.model_copy(update=short)
    if isinstance(training, RegularizationPath) and not training.cone:
        training = training.model_copy(update={"radii": training.radii[:RADII]})
    return training


@cache
def trained(id: str) -> Run:
    """The run with the references of the tokens that it selects, without measures."""
    block = block_of(id)
    return compute_run(problem_of(id), training_of(id), own_references=block.references, saturated=block.saturated)


@cache
def run(paper: str, name: str) -> Run:
    """The run with all its references and its measures."""
    (id,) = JOBS.shards_of(paper, name)
    folder, block = id.rpartition("/")[0], block_of(id)
    of_problem = CONFIG.papers[paper].problems[block.problem]
    external = {
        key: trained(f"{folder}/{other.run}").references[other.reference]
        for key, other in block.external_references.items()
    }
    return compute_run(
        problem_of(id), training_of(id), measures=block.measures.values(), references=of_problem.references,
        own_references=block.references, external_references=external, saturated=block.saturated,
        lmm_set=of_problem.lmm_set,
    )  # fmt: skip


def draw_and_save(figure: str, folder: Path, formats: Sequence[str] = FORMATS):
    spec = drawing(figure)
    runs = {one["name"]: run(spec["paper"], one["name"]) for one in spec["runs"]}
    with paper_style():
        drawn = draw(spec["plot"], runs, spec["settings"])
        save(drawn, [str(folder / f"figure.{form}") for form in formats], spec)
    return drawn


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Figure id and formats, only PNG unless they are given -> the figure and the folder with its files."""

    @cache
    def of(figure, formats=("png",)):
        folder = tmp_path_factory.mktemp("figure")
        return draw_and_save(figure, folder, formats), folder

    return of


@pytest.fixture(scope="module")
def texts_of(saved):
    """Figure id -> the visible texts; finding them draws the figure."""
    return cache(lambda figure: visible_texts(saved(figure)[0]))


def contents(folder: Path) -> dict[str, bytes]:
    return {form: (folder / f"figure.{form}").read_bytes() for form in FORMATS}


def test_parametrization_covers_all_plots():
    plots = {
        f"{file.parent.name}.{file.stem}.{node.name}"
        for file in (PACKAGE / "papers").glob("*/*.py")
        for node in ast.parse(file.read_text()).body
        # Helpers whose names begin with draw take something else first.
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("draw")
        and node.args.args[0].arg in ("runs", "run")
    }
    # No configured figure has the plot of copies from the interactive page.
    assert PLOTS.keys() | {"max_margin.paths.draw"} == plots


@by_paper
def test_redrawing_gives_same_bytes(saved, figure, tmp_path):
    _, folder = saved(figure, FORMATS)
    draw_and_save(figure, tmp_path)
    assert contents(tmp_path) == contents(folder)


def test_user_rcparams_do_not_change_figure(saved, tmp_path):
    _, folder = saved("max_margin/fig4a", FORMATS)
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "black", "savefig.dpi": 50, "pdf.compression": 0}):
        draw_and_save("max_margin/fig4a", tmp_path)
        assert mpl.rcParams["font.size"] == 20
    assert contents(tmp_path) == contents(folder)


# `make baseline` sets RENEW_BASELINE.
def test_figures_look_like_baseline(saved):
    # Measured times differ from run to run.
    figures = [id for id in FIGURES if not CONFIG.papers[id.split("/")[0]].figures[id.split("/")[1]].measured]
    digests = {figure: picture_digest(saved(figure)[1] / "figure.png") for figure in figures}
    if "RENEW_BASELINE" in os.environ:
        save_baseline(digests)
    baseline = load_baseline()
    changes = [
        f"{figure}: {change}; the picture is {saved(figure)[1] / 'figure.png'}"
        for figure in figures
        if (change := describe_change(baseline[figure], digests[figure]) if figure in baseline else "it is new")
    ]
    changes += [f"{figure}: it is gone" for figure in baseline if figure not in digests]
    assert not changes, "\n".join(["Pictures changed. If they should, run `make baseline` and commit it:", *changes])


@by_paper
def test_files_carry_description_outline_fonts_and_size_of_figure(saved, figure):
    spec, (drawn, folder) = drawing(figure), saved(figure, FORMATS)
    files, stamp = contents(folder), f"{figure} ({spec['fidelity']} · "
    assert stamp in files["svg"].decode()
    # PDF escapes parentheses, and spells text beyond ASCII in UTF-16.
    assert stamp.encode("utf-16-be").replace(b"(", rb"\(") in files["pdf"]
    assert b"/FontFile2" in files["pdf"]
    assert b"/Type3" not in files["pdf"]
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([0-9.]+) ([0-9.]+) \]", files["pdf"])
    assert [float(one) for one in box] == pytest.approx(72 * drawn.get_size_inches(), abs=0.01)
    with Image.open(folder / "figure.png") as image:
        assert stamp in image.info["Description"]
        assert image.info["Title"] == spec["title"]


@by_figure
def test_figure_has_column_width_and_header(saved, figure):
    spec, (drawn, _) = drawing(figure), saved(figure)
    assert FULL_WIDTH >= drawn.get_figwidth() >= HALF_WIDTH
    header = [text.get_text() for text in drawn.findobj(Text) if text.get_gid() == HEADER]
    assert " ".join(header) == " ".join(f"{tag(spec)} {spec['title']}".split())


@by_paper
def test_web_is_print_below_header(saved, figure, tmp_path):
    drawn, folder = saved(figure)
    with paper_style():
        drawn.savefig(tmp_path / "print.png")
    with Image.open(folder / "figure.png") as web, Image.open(tmp_path / "print.png") as printed:
        below = np.asarray(web.convert("RGB"), dtype=int)[-printed.height :]
        same = np.asarray(printed.convert("RGB"), dtype=int)
    assert below.shape == same.shape
    # The lowest pixels of the header's letters may reach into the first rows. Edges are smoothed after a shift by the
    # height of the header, which rounds the shades of a few pixels otherwise.
    assert np.abs(below[3:] - same[3:]).max() <= MAX_SHADE_DIFFERENCE


@by_figure
def test_texts_are_legible_and_do_not_overlap(saved, texts_of, figure):
    drawn, texts = saved(figure)[0], texts_of(figure)
    assert min(text.get_fontsize() for text in texts) >= MIN_FONT_SIZE
    assert not find_overlaps(drawn, texts)
    header, others = ([text for text in texts if (text.get_gid() == HEADER) == wanted] for wanted in (True, False))
    width, height = drawn.get_size_inches()
    assert not find_outside(drawn, others, Bbox([[0, 0], [width, height]]))
    assert not find_outside(drawn, header, Bbox([[0, height], [width, 100]]))


@by_figure
def test_colors_are_of_the_table(saved, texts_of, figure):
    assert not find_unknown_colors(saved(figure)[0], texts_of(figure))


@by_figure
def test_several_panels_have_letters(saved, figure):
    axes = [one for one in saved(figure)[0].axes if one.get_label() == PANEL and one.axison]
    letters = [rf"$\mathbf{{{letter}}}$" for letter in ascii_lowercase[: len(axes)]]
    assert len(axes) == 1 or [one.get_title(loc="left").partition("  ")[0] for one in axes] == letters


@by_figure
def test_csv_file_has_every_point_of_lines(figure, saved):
    if figure in CONFIG.tables():
        return
    drawn, _ = saved(figure)
    table = pd.read_csv(StringIO(drawn_numbers(drawn, drawing(figure))), comment="#")
    written = np.sort(np.concatenate([table[name].dropna() for name in ("y", "low", "high") if name in table]))
    lines = [line for axes in drawn.axes for line in axes.lines if line.get_transform() == axes.transData]
    points = np.ma.filled(np.concatenate([np.empty((0, 2)), *(line.get_xydata() for line in lines)]), np.nan)
    y = points[np.isfinite(points).all(axis=1), 1]
    after = np.searchsorted(written, y).clip(1, len(written) - 1)
    nearest = np.minimum(abs(written[after] - y), abs(written[after - 1] - y))
    # Ten digits are written.
    assert (nearest <= 1e-9 * abs(y)).all()


class UnknownOptimizer:
    """An optimizer of a kind that no table lists, otherwise like another."""

    def __init__(self, other: object) -> None:
        self.kind, self.other = "sign_descent", other

    def __getattr__(self, name: str) -> object:
        return getattr(self.other, name)


@pytest.mark.parametrize(
    "figure", ["max_margin/fig4a", "fast_rates/fig2", "fast_rates/ext_stepsize", "fast_rates/fig6"]
)
def test_unknown_optimizer_is_drawn_under_its_own_name(figure):
    spec = drawing(figure)
    runs = {one["name"]: run(spec["paper"], one["name"]) for one in spec["runs"]}
    first = next(iter(runs))
    field = "deep_optimizer" if hasattr(runs[first].training, "deep_optimizer") else "optimizer"
    unknown = UnknownOptimizer(getattr(runs[first].training, field))
    training = SimpleNamespace(**{**dict(runs[first].training), field: unknown})
    runs[first] = replace(runs[first], training=training)
    with paper_style():
        drawn = draw(spec["plot"], runs, spec["settings"])
    assert any("sign descent" in text.get_text() for text in drawn.findobj(Text))
    assert any(line.get_color() == INK for line in drawn.findobj(Line2D))
