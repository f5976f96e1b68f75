"""Plug-ins from outside the package: files beside the configuration."""

import importlib
import shutil
import sys
from pathlib import Path

import pytest

from attention_dynamics import registry
from attention_dynamics.comparison.cell import compute_plugin_cell
from attention_dynamics.config.load import load_config
from attention_dynamics.deep.optim import DeepOptimizer
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.pipeline import external_plugins, fingerprint
from attention_dynamics.pipeline.comparison import ComparisonJobs
from attention_dynamics.pipeline.external_plugins import check_imports, files_in, use_plugins
from attention_dynamics.pipeline.fingerprint import closure
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.plots.plot import call, papers, plot_function
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.registry import PACKAGE, kinds
from conftest import ROOT
from helpers.published_config import CONFIG_FOLDER
from helpers.refusals import refusal

OPTIMIZER = '''"""Mine."""

from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.types import Positive


class Mine(Optimizer, kind="{kind}"):
    """Multiplies the parameter."""

    speed: Positive

    def update(self, gradient, state, parameter, context):
        return parameter * self.speed, state
'''
MINE = OPTIMIZER.format(kind="mine")
FUNCTION = '"""Mine."""\n\n\ndef step(parameter, gradient, moment, *, speed):\n    return parameter * speed\n'
PAPERS = "attention_dynamics.papers."
DRAW = "def draw(runs):\n    return runs\n"


@pytest.fixture
def config(tmp_path, monkeypatch):
    """The folder of a configuration with a folder of plug-ins."""
    monkeypatch.setenv(registry.PLUGINS, "")
    monkeypatch.setattr(external_plugins, "_active_folder", [])
    (tmp_path / "config" / "plugins").mkdir(parents=True)
    forget()
    yield tmp_path / "config"
    forget()
    for name, module in list(sys.modules.items()):
        # A folder without __init__.py has a path and no file.
        places = [getattr(module, "__file__", None), *(getattr(module, "__path__", ()) if PAPERS in name else ())]
        if any(Path(place or "").is_relative_to(tmp_path) for place in places):
            del sys.modules[name]


def forget() -> None:
    for function in (fingerprint.module_file, fingerprint._files, fingerprint._code_and_imports):
        function.cache_clear()
    importlib.invalidate_caches()


def write(config: Path, name: str, text: str) -> Path:
    file = config / "plugins" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_file_in_plugins_folder_is_component_with_its_helpers(config):
    text = MINE.replace("parameter * self.speed", "twice(parameter * self.speed)")
    file = write(config, "optim/mine.py", f"from attention_dynamics.optim._helper import twice\n{text}")
    helper = write(config, "optim/_helper.py", "def twice(x):\n    return 2 * x\n")
    text = MINE.replace("optim.optimizer import Optimizer", "deep.optim import DeepOptimizer")
    text = text.replace("update(self, gradient, state, parameter, context)", "build(self, parameters, steps_per_epoch)")
    deep = write(config, "deep/optim/mine.py", text.replace("(Optimizer", "(DeepOptimizer"))
    use_plugins(config)
    assert "mine" in kinds(Optimizer)
    assert {"mine", "sgd"} <= set(kinds(DeepOptimizer))
    mine, of_networks = (base.of({"kind": "mine", "speed": 2.0}) for base in (Optimizer, DeepOptimizer))
    assert mine.update(None, {}, 3, None) == (12, {})
    assert mine.model_dump() == {"kind": "mine", "speed": 2.0}
    for one, files in ((mine, {file, helper}), (of_networks, {deep, PACKAGE / "deep/optim.py"})):
        assert files <= set(closure(None, [type(one).__module__]).values())


# Modules of the library, of whose names there can be no plug-in.
TAKEN = [
    ("attention", "growth"), ("optim", "gd"), ("optim", "gradient"), ("deep/networks", "vit"),
    ("theory", "image_training"), ("papers/max_margin", "fig4"), ("papers/max_margin", "fig4_claims"),
]  # fmt: skip
# File, its text, and what is said of it.
WRONG_FILES = [
    ("optim/mine.py", FUNCTION, "has no class of kind 'mine'; write `class Mine(Optimizer, kind=\"mine\")`"),
    ("problems/mine.py", "def build():\n    pass\n", 'write `class Mine(ProblemSource, kind="mine")`'),
    ("measures/my_own.py", "def measure(run):\n    pass\n", 'write `class MyOwn(Measure, kind="my_own")`'),
    ("optim/mine.py", OPTIMIZER.format(kind="yours"), "has no class of kind 'mine' (its kinds: yours; the kind is the"),
    *(("optim/mine.py", text, "has no class of kind 'mine'") for text in ("", '# kind="mine"')),
    ("optim/my-own.py", MINE, "'my-own' is not a kind (lower-case letters"),
    ("optimizers/mine.py", MINE, "'optimizers' is not one of problems, sequences/problems, deep/problems, margins"),
    ("mine.py", MINE, "'.' is not one of problems"),
    ("plots/mine.py", DRAW, "'plots' is not one of problems"),
    *((f"{folder}/{name}.py", MINE, f"{folder} already has {name}; choose another name") for folder, name in TAKEN),
]


def test_file_without_component_is_refused(config):
    for file, text, wrong in WRONG_FILES:
        path = write(config, file, text)
        line = refusal(use_plugins, config)
        assert line.startswith(f"{path}: ")
        assert wrong in line
        path.unlink()


UNIMPORTABLE = "cannot be imported ("
WITHOUT_TYPE = (
    f"{UNIMPORTABLE}PydanticUserError: A non-annotated attribute was detected: `speed = 0.1`; write the type of every "
    "field, as in step_size: PositivePerStart = 0.1)"
)
PARAMETERS = "Mine.update needs the parameters (self, gradient, state, parameter, context)"
# Text of a component, and what is said of it.
UNUSABLE = [
    (f"{MINE}\ndef broken(:\n", f"{UNIMPORTABLE}SyntaxError"),
    (f"import not_there\n{MINE}", f"{UNIMPORTABLE}ModuleNotFoundError"),
    (f"{MINE}\n1 / 0\n", f"{UNIMPORTABLE}ZeroDivisionError"),
    (f"{MINE}\nraise SystemExit(3)\n", f"{UNIMPORTABLE}SystemExit"),
    (f"{MINE}\nraise RuntimeError('a\\n' * 100_000)\n", f"{UNIMPORTABLE}RuntimeError: a a a"),
    *((MINE + long, UNIMPORTABLE) for long in ("-" * 100_000 + "1\n", "1 + " * 20_000 + "1\n", "1\0\n", "(" * 5000)),
    (MINE.replace("speed: Positive", "speed = 0.1"), WITHOUT_TYPE),
    (MINE.replace("gradient, state, parameter, context", "gradient"), PARAMETERS),
    (MINE.replace("def update", "def updaet"), "Mine has no method update(self, gradient, state, parameter, context)"),
]


@pytest.mark.parametrize(("text", "wrong"), UNUSABLE)
def test_unusable_module_of_component_is_named(config, text, wrong):
    path = write(config, "optim/mine.py", text)
    use_plugins(config)
    line = refusal(Optimizer.of, {"kind": "mine", "speed": 1.0}, error=ImportError)
    assert line.startswith(f"{path}: {wrong}")
    assert len(line) < 3000
    try:
        compile(text, "mine.py", "exec")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        with pytest.raises(SyntaxError, match=r"mine\.py"):
            closure(None, ["attention_dynamics.optim.mine"])


@pytest.mark.slow
def test_plugin_that_ends_its_process_is_named(config):
    write(config, "optim/broken.py", "class Broken(Optimizer, kind=\n")
    write(config, "optim/mine.py", MINE)
    use_plugins(config)
    check_imports()
    endings = {"os._exit(0)": 0, "os.kill(os.getpid(), 9)": -9, "os.execv('/bin/true', ['true'])": 0}
    for ending, code in endings.items():
        path = write(config, "papers/max_margin/mine.py", f"import os\n\n{ending}\n")
        assert refusal(check_imports) == f"{path}: ends the process that imports it (exit code {code})"


@pytest.fixture
def compared(config):
    """A configuration with the comparison of optimizers and its papers."""
    for name in ("config.yaml", "max_margin", "fast_rates", "mirror_descent", "compare"):
        (config / name).symlink_to(ROOT / "config" / name)
    return config


def test_entry_of_plugin_in_comparison_is_trained_and_stated(compared):
    write(compared, "optim/mine.py", MINE.replace("speed", "step_size"))
    use_plugins(compared)
    entry = {"optimizer": {"kind": "mine", "step_size": 1.0}, "box": [0.01, 100.0]}
    jobs = ComparisonJobs(load_config(compared, {"compare": {"optimizers": {"mine": entry}}}))
    assert jobs.get("optimize", "compare/antipodal/mine").spec["entry"]["box"] == [0.01, 100.0]
    table = jobs.get("comparison", "compare/mine").spec
    assert table["boxes"]["mine"] == ["step_size", 0.01, 100.0]
    assert table["optimizers"].count("mine") == 1


def test_plugin_with_syntax_error_stops_nothing_else(compared):
    file = write(compared, "optim/broken.py", "class Broken(Optimizer, kind=\n")
    use_plugins(compared)
    error = "'(' was never closed (broken.py, line 1)"
    jobs = ComparisonJobs(load_config(compared, {}))
    assert jobs.get("optimize", "compare/antipodal/broken").spec["plugin"]["code"] == error
    cell = compute_plugin_cell("broken", RandomSphere(trials=2, n=2, T=3, d=4, seed=1).build(), 5)
    assert str(cell["message"]) == f"error: {file}: cannot be imported (SyntaxError: {error})"


def write_claim(figure: str, parameter: str) -> str:
    """Return a module with a claim about a figure whose function takes one parameter, or several."""
    head = "from attention_dynamics.claims.claim import CHOSEN, claim\n\n\n"
    decorated = f'@claim("{figure}", says="x", basis=CHOSEN, source="y")\ndef steep({parameter}):\n    return None\n'
    return head + decorated


OWN = """
problems: {points: {kind: random_sphere, trials: 2, n: 2, T: 3, d: [4], seed: 1}}
defaults:
  runs:
    {kind: gradient_descent, problem: points, model: prompt_attention, loss: logistic, start: {p: [[0]]}, steps: 5,
     measures: {norm: {}}}
runs:
  constant_step: {optimizer: {kind: gd, step_size: 1}}
  normalized_step: {optimizer: {kind: normalized_gd, step_size: 1}}
figures:
  fig1:
    {title: Norms, shows: norms, fidelity: extension, runs: [normalized_step, constant_step], plot: {width: 3}}
"""


@pytest.fixture
def paper(config) -> Path:
    """A reader's own paper: a figure that is drawn and judged by plug-ins."""
    shutil.copy(ROOT / "config/config.yaml", config)
    write(config, "../mine/fig1.yaml", OWN)
    write(config, "papers/mine/fig1.py", "def draw(runs, *, width: int):\n    return width\n")
    return config


def load(config: Path):
    use_plugins(config)
    return load_config(config, {}).papers["mine"]


def test_plugins_draw_and_judge_new_paper(paper):
    write(paper, CLAIMS, write_claim("fig1", "constant_step, runs, scale"))
    loaded = load(paper)
    assert (loaded.title, loaded.arxiv) == ("mine", "")
    assert [claim.name for claim in loaded.claims["fig1"]] == ["steep"]
    assert loaded.figures["fig1"].plot.kind == "mine.fig1.draw"
    assert call("mine.fig1.draw", "draw", {}, {"width": 3}) == 3


def test_plugin_draws_figure_of_library_paper(config):
    write(config, "papers/max_margin/mine.py", DRAW)
    use_plugins(config)
    assert plot_function("max_margin.mine.draw")(1) == 1


RUMOUR = "from attention_dynamics.claims.claim import claim\nclaim('fig1', says='', basis='rumour', source='')\n"
DRAWING, CLAIMS, FILE = "papers/mine/fig1.py", "papers/mine/fig1_claims.py", "../mine/fig1.yaml"
CLAIM = write_claim("fig1", "runs")
KIND = "figures.fig1.plot.kind: "
# File, its text, and what is said of it.
MISMATCHED = [
    (DRAWING, "def draw(runs):\n    pass\n", "figures.fig1.plot.width: unknown key: 'width' is not one of kind"),
    (DRAWING, "def draw(runs, *, height: int):\n    pass\n", "fig1.plot.width: unknown key: 'width' is not one of"),
    (DRAWING, "def paint(runs):\n    pass\n", f"{KIND}'draw' is not one of (there are none) (in mine.fig1.draw)"),
    (DRAWING, "def draw(runs, *, width):\n    pass\n", "mine.fig1.draw: parameter width needs a type annotation"),
    (DRAWING, "def draw(:\n", f"{DRAWING}: {UNIMPORTABLE}SyntaxError"),
    (DRAWING, "import not_there\n", f"{DRAWING}: {UNIMPORTABLE}ModuleNotFoundError"),
    (FILE, OWN.replace("width: 3", "kind: fig.draw"), f"{KIND}'fig' is not one of fig1 (did you mean 'fig1'?)"),
    (FILE, OWN.replace("width: 3", "kind: min.fig1.draw"), f"{KIND}'min' is not one of fast_rates, max_margin, mine, "),
    (CLAIMS, write_claim("fig1", "constant_stp"), f"{CLAIMS}: steep: run 'constant_stp' is not one of normalized_step, "
     "constant_step (did you mean 'constant_step'?)"),
    (CLAIMS, write_claim("fig2", "runs"), f"{CLAIMS}: steep: figure 'fig2' is not one of fig1 (did you mean 'fig1'?)"),
    (CLAIMS, f"{CLAIM}again = steep\n", f"{CLAIMS}: steep: fig1 already has a claim with this name"),
    (CLAIMS, "def steep(:\n", f"{CLAIMS}: {UNIMPORTABLE}SyntaxError"),
    (CLAIMS, RUMOUR,
     f"{CLAIMS}: {UNIMPORTABLE}ValueError: 'rumour' is not a basis; choose one of paper, authors_code, "),
    ("papers/mine/fig1a_claims.py", CLAIM,
     "papers/mine/fig1a_claims.py: mine has no file fig1a.yaml, so these claims would not be judged"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "text", "wrong"), MISMATCHED)
def test_mismatched_drawing_or_claim_is_refused_before_jobs(paper, file, text, wrong):
    write(paper, file, text)
    assert wrong in refusal(load, paper)


def test_published_numbers_belong_to_jobs_of_their_figures(paper):
    write(paper, CLAIMS, CLAIM)
    use_plugins(paper)

    def specs(file, number):
        """Return the published numbers of the jobs after a change of a file."""
        write(paper, f"papers/mine/{file}", f"norm\n{number}\n")
        jobs = Jobs(load_config(paper, {}))
        return [jobs.get(stage, "mine/fig1").spec["published"] for stage in ("draw", "judge")]

    assert specs("fig10_norms.csv", 1) == [{}, {}]
    drawn, judged = specs("fig1_norms.csv", 1)
    assert (drawn, [*judged]) == ({}, ["fig1_norms.csv"])
    assert specs("fig10_norms.csv", 2) == [{}, judged]
    drawn, rejudged = specs("fig1_norms.csv", 2)
    assert (drawn, rejudged.keys()) == ({}, judged.keys())
    assert rejudged != judged


def test_published_numbers_belong_to_drawing_job(paper):
    drawing = "from attention_dynamics.series.published import published\n\n\ndef draw(runs, *, width: int):\n"
    write(paper, DRAWING, f"{drawing}    return published(__file__, 'fig1')\n")
    write(paper, "papers/mine/fig1.csv", "norm\n1\n")
    use_plugins(paper)
    assert Jobs(load_config(paper, {})).get("draw", "mine/fig1").spec["published"].keys() == {"fig1.csv"}


def test_unknown_plugin_folder_is_refused(config, tmp_path):
    use_plugins(config)
    assert "uses the plug-ins of another folder" in refusal(use_plugins, tmp_path)


def test_editor_files_are_not_plugins(config):
    file = write(config, "optim/mine.py", MINE)
    (config / "plugins/optim/.#mine.py").symlink_to("nobody@nowhere")
    copies = (
        "optim/.ipynb_checkpoints/mine-checkpoint.py", "optim/#mine.py#", "optim/mine.py~", ".git/hooks/mine.py",
        "papers/.ipynb_checkpoints/fig4-checkpoint.py", "papers/max_margin/._fig4_claims.py",
    )  # fmt: skip
    for name in copies:
        write(config, name, "{]")
    use_plugins(config)
    assert files_in(config / "plugins") == [file]
    assert papers() == list(load_config(CONFIG_FOLDER, {}).papers)
