"""Figures: reproducible files, vector fonts, honest labels, and nothing cut off at the edge."""

import ast
from functools import cache
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.table import Table
from PIL import Image

from attention_dynamics.compute import compute_run
from attention_dynamics.config.load import load_config
from attention_dynamics.deep.determinism import reproducible
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.plots.plot import draw
from attention_dynamics.plots.style import paper_style, save
from attention_dynamics.problems.problem import Problem
from attention_dynamics.registry import PACKAGE
from attention_dynamics.run import Run
from attention_dynamics.training import Iterated, Training

# Of a training by gradient steps the beginning is enough, but for figures that fit what comes after 2000 steps, or draw
# their last arrow at 13,000.
STEPS = 200
LATE = {
    "fast_rates/fig2": 2500, "fast_rates/fig3": 2500, "fast_rates/fig5": 2500, "mirror_descent/fig_joint_path": 2500,
    "mirror_descent/fig_direction": 13000,
}  # fmt: skip
# Small batches and coarse grids.
CONFIG = load_config(Path(__file__).parents[1] / "config", {"scale": "smoke"})
JOBS = Jobs(CONFIG)
FIGURES = CONFIG.figures()
FORMATS = ("pdf", "png", "svg")


def drawing(figure: str) -> dict:
    return JOBS.get("draw", figure).spec


# One figure of every plot.
PLOTS = {drawing(id)["plot"]: id for id in FIGURES}

by_figure = pytest.mark.parametrize("figure", FIGURES)


@cache
def problem_of(id: str) -> Problem:
    """The problem of a run."""
    paper, problem = id.split("/")[:2]
    source = CONFIG.papers[paper].problems[problem].source
    return source.build(**JOBS.get("data", id.rpartition("/")[0]).spec["location"])


@cache
def late_runs() -> dict[str, int]:
    """How many steps of the runs in LATE's figures are made, by their ids."""
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
    return training


@cache
def trained(id: str) -> Run:
    """The run with the references of the tokens that it selects, without measures."""
    reproducible("cpu")
    block = block_of(id)
    return compute_run(
        problem_of(id), training_of(id), own_references=block.references, saturated=block.saturated
    )  # fmt: skip


@cache
def run(paper: str, name: str) -> Run:
    """The run with all its references and its measures."""
    reproducible("cpu")
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
        baseline=trained(f"{folder}/{block.baseline}").trajectory if block.baseline else None,
        lmm_set=of_problem.lmm_set,
    )  # fmt: skip


def draw_and_save(figure: str, folder: Path):
    spec = drawing(figure)
    runs = {one["name"]: run(spec["paper"], one["name"]) for one in spec["runs"]}
    with paper_style():
        drawn = draw(spec["plot"], runs, spec["settings"])
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


def contents(folder: Path) -> dict[str, bytes]:
    return {form: (folder / f"figure.{form}").read_bytes() for form in FORMATS}


@cache
def laid_out(drawn):
    """The renderer that the figure's extents are measured with, after its layout is done."""
    with paper_style():
        canvas = FigureCanvasAgg(drawn)
        canvas.draw()
        return canvas.get_renderer()


def test_every_plot_of_the_library_is_drawn_here():
    plots = {
        f"{file.parent.name}.{file.stem}.{node.name}"
        for file in (PACKAGE / "papers").glob("*/*.py")
        for node in ast.parse(file.read_text()).body
        # Helpers whose names begin with draw take something else first.
        if isinstance(node, ast.FunctionDef) and node.name.startswith("draw") and node.args.args[0].arg == "runs"
    }
    assert PLOTS.keys() == plots


@pytest.mark.parametrize("figure", PLOTS.values())
def test_drawn_again_it_is_the_same_bytes(saved, figure, tmp_path):
    _, folder = saved(figure)
    draw_and_save(figure, tmp_path)
    assert contents(tmp_path) == contents(folder)


def test_the_user_s_own_settings_do_not_show(saved, tmp_path):
    _, folder = saved("max_margin/fig4a")
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "black", "savefig.dpi": 50, "pdf.compression": 0}):
        draw_and_save("max_margin/fig4a", tmp_path)
        assert mpl.rcParams["font.size"] == 20
    assert contents(tmp_path) == contents(folder)


@by_figure
def test_the_pdf_embeds_its_fonts_as_outlines(saved, figure):
    pdf = contents(saved(figure)[1])["pdf"]
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


@by_figure
def test_every_file_says_what_the_figure_is(saved, figure):
    spec, (_, folder) = drawing(figure), saved(figure)
    files = contents(folder)
    stamp = f"{figure} ({spec['fidelity']} · "
    assert stamp in files["svg"].decode()
    # PDF escapes parentheses, and spells text beyond ASCII in UTF-16.
    assert stamp.encode("utf-16-be").replace(b"(", rb"\(") in files["pdf"]
    with Image.open(folder / "figure.png") as image:
        assert stamp in image.info["Description"]
        assert image.info["Title"] == spec["title"]


@by_figure
def test_the_fidelity_is_printed_on_the_figure(saved, figure):
    spec, (drawn, _) = drawing(figure), saved(figure)
    printed = " ".join(drawn.get_supxlabel().split())
    assert printed.startswith(spec["fidelity"])
    assert spec["note"] in printed
    assert printed.endswith(f"{CONFIG.settings.scale} scale")
    assert drawn.get_suptitle() == spec["title"]


@by_figure
def test_nothing_is_cut_off_at_the_edge(saved, figure):
    drawn, _ = saved(figure)
    everything = drawn.get_tightbbox(laid_out(drawn))
    width, height = drawn.get_size_inches()
    assert everything.x0 >= 0
    assert everything.y0 >= 0
    assert everything.x1 <= width
    assert everything.y1 <= height


@by_figure
def test_legends_do_not_cover_each_other(saved, figure):
    drawn, _ = saved(figure)
    renderer = laid_out(drawn)
    boxes = [legend.get_window_extent(renderer) for legend in drawn.findobj(Legend)]
    # Heat maps and tables have their labels beside the cells.
    assert boxes or drawn.findobj(AxesImage) or drawn.findobj(Table)
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]
