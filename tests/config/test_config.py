"""A bad configuration is refused in one line: the file, the key, what is wrong, what is allowed."""

import copy
import functools
import math
import re
import shutil
import subprocess
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from attention_dynamics.attention.models.model import Model
from attention_dynamics.choices import format_value
from attention_dynamics.claims.claim import SCALES
from attention_dynamics.config import yaml_file
from attention_dynamics.config.drawable import check_texts
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.experiment import COMMAND, published_digests
from attention_dynamics.config.experiment_digests import current_digests
from attention_dynamics.config.layers import with_panels
from attention_dynamics.config.load import Config, load_config
from attention_dynamics.config.yaml_file import load_yaml
from attention_dynamics.margins.reference import Reference
from attention_dynamics.measures.measure import Measure
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.pipeline.shards import without_shard
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.registry import kinds
from conftest import ROOT, fresh
from helpers.published_config import CONFIG_FOLDER, published_config
from helpers.refusals import refusal

PAPER = "max_margin"


def read(file: Path) -> dict:
    """Return the content of a file, with each panel as a figure of its own."""
    content = load_yaml(file)
    return {**content, "figures": with_panels(content["figures"], file.name)} if "figures" in content else content


# Paper -> file -> content.
SHIPPED = {
    folder.name: {file.stem: read(file) for file in sorted(folder.glob("*.yaml"))}
    for folder in sorted(CONFIG_FOLDER.iterdir())
    if folder.is_dir()
}
PARTS = ("problems", "runs", "figures")
REMOVED = object()

PROBLEM = "problems.single_input_global"
RUN = "runs.single_global"
FIGURE = "figures.fig1a"
GRID = "runs.basin.start.p"
PANEL = "figures.ext_precision.plot.panel.0"
OPTIMIZERS = ", ".join(kinds(Optimizer))
A_NAME = "is not a name (at most 100 lower-case letters, digits and underscores, starting with a letter)"
A_MAPPING = "is not a mapping of keys to values"


def keys(path: str) -> list[str | int]:
    return [int(key) if key.isdigit() else key for key in path.split(".")]


def change_value(tree, path: list, value):
    """Return a copy with another value at a path."""
    head, *rest = path
    tree = copy.copy(tree)
    if value is REMOVED and not rest:
        del tree[head]
    else:
        tree[head] = change_value(tree[head], rest, value) if rest else value
    return tree


def file_of(path: str, paper: str = PAPER) -> str:
    """Return the file that a path leads into: of a block the one that defines it, of other keys shared.yaml."""
    part, *rest = path.split(".")
    blocks = {file: content.get(part, {}) for file, content in SHIPPED[paper].items() if part in PARTS and rest}
    files = (file for file, names in blocks.items() if rest[0] in names)
    return next(files, "shared")


def shipped(path: str, paper: str = PAPER):
    tree = SHIPPED[paper][file_of(path, paper)]
    for key in keys(path):
        tree = tree[key]
    return tree


def catch_refusal(overrides=None) -> str:
    line = refusal(load_config, Path("config"), overrides or {})
    assert len(line) < 1000
    return line


class Folder:
    """A copy of config/ with one paper below the working directory."""

    def use(self, paper: str) -> None:
        for path in Path("config").iterdir():
            if path.is_dir():
                shutil.rmtree(path)
        shutil.copytree(CONFIG_FOLDER / paper, Path("config", paper))

    def write(self, name: str, content) -> None:
        """Write "config" or "<paper>/<file>"."""
        file = Path("config", f"{name}.yaml")
        file.parent.mkdir(exist_ok=True)
        file.write_text(yaml.dump(content, Dumper=yaml.CSafeDumper))

    def change(self, path: str, value, paper: str = PAPER, file: str = "") -> None:
        """Change the file that a path leads into, or another one."""
        file = file or file_of(path, paper)
        self.write(f"{paper}/{file}", change_value(SHIPPED[paper][file], keys(path), value))

    def load(self, **overrides) -> Config:
        return load_config(Path("config"), overrides)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    shutil.copy(ROOT / "config" / "config.yaml", "config")
    folder = Folder()
    folder.use(PAPER)
    return folder


def case(path, value, *wanted, at=None, file=PAPER):
    """Return a value at a path of a paper's files, or of config.yaml, and the expected message."""
    shown = "removed" if value is REMOVED else repr(value)[:30]
    return pytest.param(file, path, value, at or path, wanted, id=f"{path}={shown}")


def unknown(block, *allowed, at=None, file=PAPER):
    path = f"{block}.unheard" if block else "unheard"
    return case(path, 1, "'unheard' is not one of", *allowed, at=f"{at}.unheard" if at else None, file=file)


UNKNOWN_KEYS = [
    unknown("", "scale, shards, device, precision, data, data_mirror", file="config"),
    unknown("", "problems, runs, figures, title, arxiv, explore, defaults, scales"),
    case("a\nb", 1, "'a\\nb' is not one of problems", at="a b"),
    unknown(PROBLEM, "kind, inputs, settings"),
    unknown("problems.multiple_inputs", "centres, scores, n, spread, seed"),
    unknown(f"{PROBLEM}.inputs.0", "tokens, scores, label"),
    unknown(f"{PROBLEM}.references.gmm", "kind, select"),
    unknown(RUN, "kind, steps, record_every, record_digits, model, loss, optimizer, head_optimizer, start, precision"),
    unknown("runs.constant_step.optimizer", "kind, step_size"),
    unknown("runs.joint_relaxed_float32.head_optimizer", "kind, step_size, decay, epsilon"),
    case(f"{RUN}.start.q", [[0, 1]], "'q' is not one of p, W, v"),
    unknown(GRID, "x, y, spacing", at="runs.basin.start.p"),
    case("runs.basin.measures.unheard", {}, "'unheard' is not one of", ", ".join(kinds(Measure)),
         at="runs.basin.measures.unheard"),
    unknown("runs.basin.measures.limit", "cone, radius, converged", at="runs.basin.measures.limit"),
    unknown(FIGURE, "title, shows, fidelity, note, asserts, measured, runs, plot, panels"),
    unknown(f"{FIGURE}.plot", "kind, xlim, ylim, zoom, last_step"),
    case(f"{FIGURE}.plot.ylimm", [0, 1], "'ylimm' is not one of kind, xlim, ylim", "(did you mean 'ylim'?)"),
    case(f"{FIGURE}.claims", {}, "'claims' is not one of title, shows"),
    unknown(PANEL, "title, runs, reference, trajectories, ylim"),
    case("defaults.unheard", {}, "'unheard' is not one of problems, runs", at="defaults"),
    unknown("defaults.runs", "steps", "(from defaults in config/max_margin/shared.yaml)", at="runs.joint_relaxed"),
    case("scales.unheard", {}, "'unheard' is not one of smoke, laptop, workstation, paper", at="scales"),
    case("scales.laptop", {"unheard": 1}, "unknown key", at="unheard"),
]  # fmt: skip

WRONG_TYPES = [
    case("scale", 3, "smoke, laptop, workstation, paper", file="config"),
    case("device", None, "cpu, cuda", file="config"),
    case("title", 3, "3 is not text"),
    case("title", ["x" * 50] * 50, "..."),
    case("arxiv", 2306.13596, "is not text"),
    case("problems", None, A_MAPPING),
    case("problems", [1], A_MAPPING),
    case(PROBLEM, None, A_MAPPING),
    case("runs", 3, A_MAPPING),
    case(RUN, "single_local", A_MAPPING),
    case("figures", "all", A_MAPPING),
    case(FIGURE, 3, A_MAPPING),
    case("defaults", None, A_MAPPING),
    case("defaults.runs", [], A_MAPPING),
    case("scales", [], A_MAPPING),
    case("scales.smoke", 3, A_MAPPING),
    case("scales.laptop", None, A_MAPPING),
    case(f"{RUN}.steps", "1000", "is not a valid integer"),
    case(f"{RUN}.steps", True, "is not a valid integer"),
    case(f"{RUN}.steps", 1.5, "is not a valid integer"),
    case(f"{RUN}.problem", 3, "3 is not text"),
    case(f"{RUN}.optimizer", "gd", "this key is required", at=f"{RUN}.optimizer.step_size"),
    case(f"{RUN}.optimizer", 3, A_MAPPING),
    case("runs.constant_step.optimizer.step_size", "0.1", "is not a valid number"),
    case("runs.constant_step.optimizer.step_size", True, "is not a valid number"),
    case("runs.joint_all.head_optimizer", [], A_MAPPING),
    case(f"{RUN}.start", [[0, 1]], A_MAPPING),
    case(f"{RUN}.start.p", 3, "is not a valid list"),
    case(f"{RUN}.start.p", [0, 1], "is not a valid list", at=f"{RUN}.start.p.0"),
    case(f"{RUN}.start.p.0.1", "a", "is not a valid number"),
    case(f"{RUN}.measures", {"norm": True}, A_MAPPING, at=f"{RUN}.measures.norm"),
    case(f"{PROBLEM}.lmm_set", "yes", "is not a valid boolean"),
    case(f"{PROBLEM}.inputs.0.label", "1", "is not one of -1, 1"),
    case(f"{PROBLEM}.inputs.0.scores.0", None, "is not a valid number or text"),
    case(f"{PROBLEM}.references", [], A_MAPPING),
    case(f"{PROBLEM}.references.lmm.select", 3, "is not one of optimal or a valid list"),
    case("problems.multiple_inputs.seed", 1.0, "is not a valid integer"),
    case(f"{FIGURE}.runs", "single_global", "is not a valid list"),
    case(f"{FIGURE}.plot", "fig1", A_MAPPING),
    case(f"{FIGURE}.plot.xlim", 3, "is not a valid list"),
]

OUT_OF_RANGE = [
    case("runs.constant_step.optimizer.step_size", 0, "greater than 0"),
    case("runs.constant_step.optimizer.step_size", -0.1, "greater than 0"),
    case("runs.constant_step.optimizer.step_size", math.nan, "a finite number"),
    case("runs.constant_step.optimizer.step_size", math.inf, "a finite number"),
    case("runs.single_global_float32.optimizer.epsilon", -1e-9, "greater than or equal to 0"),
    case(f"{RUN}.steps", 0, "greater than or equal to 1"),
    case(f"{RUN}.record_every", -1, "greater than or equal to 1"),
    case(f"{RUN}.record_digits", 0, "greater than or equal to 1"),
    case(f"{RUN}.start.p", {"of_problem": [0]}, "problem single_input_global provides 0 starts for p",
         at=f"{RUN}.start.p.of_problem"),
    case(f"{RUN}.start.p", {"of_problem": "all"}, "is not a valid list", at=f"{RUN}.start.p.of_problem"),
    case("runs.tied_basin.external_references", {"other": {"run": "tied", "reference": "own"}},
         "'tied' is not one of tied_starts, tied_path", at="runs.tied_basin.external_references.other.run"),
    case(f"{PROBLEM}.references.gmm", {"kind": "lp_attention_svm", "exponent": 1}, "greater than 1",
         at=f"{PROBLEM}.references.gmm.exponent"),
    case(f"{PROBLEM}.references.gmm", {"kind": "lp_label_svm", "exponent": 10.5}, "less than or equal to 10",
         at=f"{PROBLEM}.references.gmm.exponent"),
    case(f"{RUN}.optimizer", {"kind": "gd", "step_size": [0.1, 0.2]}, "needs one number per start, 6 in all",
         at=f"{RUN}.optimizer.step_size"),
    case(f"{RUN}.optimizer", {"kind": "gd", "step_size": [0.1, -0.2]}, "greater than 0",
         at=f"{RUN}.optimizer.step_size.1"),
    case(f"{RUN}.start", {}, "of length 1 or more"),
    case(f"{RUN}.start.p", [], "of length 1 or more"),
    case(f"{RUN}.start.p.0.0", -math.inf, "a finite number"),
    case(f"{GRID}.spacing", 0, "greater than 0", at="runs.basin.start.p.spacing"),
    case(f"{GRID}.spacing", 1e-9, "more than 1000000 points", at="runs.basin.start.p"),
    case(f"{GRID}.x", [1e30, -1e30], "[low, high]", at="runs.basin.start.p"),
    case(f"{GRID}.x", [-1e30, 1e30], "more than 1000000 points", at="runs.basin.start.p"),
    case("runs.basin.measures.limit.converged", 1.5, "less than or equal to 1",
         at="runs.basin.measures.limit.converged"),
    case(f"{PROBLEM}.inputs.0.tokens", [], "of length 1 or more"),
    case(f"{PROBLEM}.inputs.0.tokens.0", [1, 2, 3], "of length 2 or less"),
    case("problems.two_scores.settings.C", [], "of length 1 or more"),
    case("problems.multiple_inputs.n", 0, "greater than or equal to 1"),
    case(f"{PROBLEM}.references.lmm.select.0", -1, "greater than or equal to 0"),
    case(f"{FIGURE}.runs", [], "of length 1 or more"),
    case(f"{FIGURE}.plot.xlim", [1], "of length 2 or more"),
]  # fmt: skip

UNKNOWN_NAMES = [
    case("scale", "huge", "smoke, laptop, workstation, paper", file="config"),
    case("device", "tpu", "cpu, cuda", "did you mean 'cpu'?", file="config"),
    case("precision", "bfloat", "float32, bfloat16", "did you mean 'bfloat16'?", file="config"),
    case(f"{PROBLEM}.kind", "cube", ", ".join(kinds(ProblemSource))),
    case(f"{PROBLEM}.references.gmm.kind", "svc", ", ".join(kinds(Reference))),
    case(f"{PROBLEM}.references.gmm.select", "best", "one of optimal or a valid list"),
    case(f"{RUN}.model", {"kind": "mlp"}, ", ".join(kinds(Model)), at=f"{RUN}.model.kind"),
    case(f"{RUN}.loss", "logistik", "correlation, exponential, logistic", "did you mean 'logistic'?"),
    case("runs.constant_step.optimizer.kind", "rmsprop", OPTIMIZERS),
    case("runs.constant_step.optimizer.kind", ["gd"], f"['gd'] is not one of {OPTIMIZERS}"),
    case("runs.joint_relaxed_float32.head_optimizer.kind", 3, f"3 is not one of {OPTIMIZERS}"),
    case(f"{RUN}.precision", "float16", "stable, float64, float32"),
    case(f"{RUN}.measures", {"speed": {}}, ", ".join(kinds(Measure)), at=f"{RUN}.measures.speed"),
    case(f"{FIGURE}.fidelity", "good", "exact, declared, reconstructed, stand-in, extension"),
    case(f"{FIGURE}.plot.kind", "pie", "is not <module>.<function> or <paper>.<module>.<function>"),
    case(f"{FIGURE}.plot.kind", "fig11.draw", "'fig11' is not one of convergence, ext_", "(did you mean 'fig1'?)"),
    case(f"{FIGURE}.plot.kind", "fast_rate.fig1.draw", "'fast_rate' is not one of fast_rates, max_margin",
         "(did you mean 'fast_rates'?)"),
    case(f"{FIGURE}.plot.kind", "max_margin.fig3.draw_path", "is not one of draw_all, draw_paths, draw_probabilities",
         "(did you mean 'draw_paths'?) (in max_margin.fig3.draw_path)"),
    case(f"{FIGURE}.plot", REMOVED, "required", at=f"{FIGURE}.plot.xlim"),
    case(f"{FIGURE}.runs", ["single_global", "single_local"], "max_margin.fig1.draw draws one run, not 2"),
    case(f"{RUN}.problem", "../x", f"'../x' {A_NAME}"),
    case(f"{RUN}.problem", "", f"'' {A_NAME}"),
    case(f"{FIGURE}.runs.0", "a/b", f"'a/b' {A_NAME}"),
]  # fmt: skip

MISSING = [
    case(f"{PROBLEM}.kind", REMOVED, "required"),
    case(f"{PROBLEM}.inputs", REMOVED, "required"),
    case(f"{RUN}.problem", REMOVED, "required"),
    case(f"{RUN}.loss", None, A_MAPPING),
    case(f"{RUN}.start", REMOVED, "required"),
    case(f"{RUN}.optimizer", {"kind": "gd"}, "required", at=f"{RUN}.optimizer.step_size"),
    case(f"{RUN}.head_optimizer", {"step_size": 1}, "required", at=f"{RUN}.head_optimizer.kind"),
    case(f"{RUN}.model", {"kind": "weight_attention"}, "required", at=f"{RUN}.model.query"),
    case(f"{GRID}.y", REMOVED, "required", at="runs.basin.start.p.y"),
    # A run of another kind than the defaults inherits nothing from them.
    case("runs.random_small.measures", REMOVED, "this key is required"),
    *(case(path, None, A_MAPPING) for path in ("runs.several", "figures.fig1a", "problems.multiple_inputs")),
    case(f"{FIGURE}.title", REMOVED, "required"),
    case(f"{FIGURE}.runs", REMOVED, "required"),
    case(f"{FIGURE}.plot.xlim", REMOVED, "required"),
]

OTHER_FILE, OF_OTHER_FILE = next((file, problem) for file, content in SHIPPED[PAPER].items() if file != "shared"
                                 for problem in content.get("problems", {}))  # fmt: skip
DANGLING = [
    case(f"{RUN}.problem", "single_input", "single_input_global, single_input_local", "did you mean"),
    case(f"{FIGURE}.runs", ["constant_step"], "'constant_step' belongs to fig4.yaml; move it to shared.yaml"),
    case("runs.constant_step.problem", OF_OTHER_FILE,
         f"{OF_OTHER_FILE!r} belongs to {OTHER_FILE}.yaml; move it to shared.yaml"),
    case(f"{FIGURE}.runs", ["nobody"], "several, vit, single_global"),
    case("runs.basin.measures.limit.cone", "head", "gmm, lmm", at="runs.basin.measures.limit.cone"),
    case("figures.fig2.plot.grid", "several", "basin, in_cone"),
    case("figures.fig2.plot.cone", "head", "gmm, lmm"),
    case("figures.fig4b.plot.series", "norm_v", "correlation_gmm, logistic, norm_p"),
    case(f"{PANEL}.runs", ["several"], "single_global_float64", at=f"{PANEL}.runs.0"),
    case(f"{PANEL}.reference", "nobody", "gmm, head, lmm, relaxed"),
]  # fmt: skip

CONTRADICTIONS = [
    case(f"{PROBLEM}.references.lmm.select", [3], "1 token indices below 3"),
    case(f"{PROBLEM}.references.lmm.select", [0, 1], "1 token indices below 3"),
    case(f"{PROBLEM}.references.lmm_set", {"kind": "attention_svm"}, "reserved"),
    case("problems.random_n4_t6.T", 1, "single token (T = 1)", at="runs.random_small.references.selected"),
    case(f"{PROBLEM}.inputs", [{"tokens": [[0, 1]], "scores": [1]}], "single token", at=f"{PROBLEM}.lmm_set"),
    case("problems.constraints.T", 1, "must be at least 2 and 3", at="problems.constraints", file="fast_rates"),
    case("problems.linear.T", 1, "no inputs", at="problems.linear", file="mirror_descent"),
    case("problems.near_svm.T", 1, "must be at least 2", file="mirror_descent"),
    case("problems.from_zero.T", 1, "token (T = 1)", at="problems.from_zero.references.q175", file="mirror_descent"),
    case("problems.two_scores.lmm_set", True, "a single problem with a fixed head"),
    case("problems.all_support_vectors.lmm_set", True, "a single problem with a fixed head"),
    case(f"{RUN}.start.p", [[0, 0, 0, 0]], "4 coordinates", "single_input_global has 3"),
    case(f"{RUN}.start.p", [[0, 1], [0]], "the same number of coordinates"),
    case(f"{RUN}.start.v", [[0, 1]], "a fixed head", at=f"{RUN}.start"),
    case("runs.joint_all.start.v", REMOVED, "trainable head: add points for v", at="runs.joint_all.start"),
    case("runs.joint_all.start.p", REMOVED, "the key p is missing", at="runs.joint_all.start"),
    case("runs.joint_all.start.v", [[0, 1], [1, 0]], "'p': 1, 'v': 2", at="runs.joint_all.start"),
    case(f"{PROBLEM}.inputs.0.scores", [1, 2], "2 scores but 3 tokens", at=f"{PROBLEM}.inputs"),
    case(f"{PROBLEM}.inputs", [], "of length 1 or more"),
    case(f"{RUN}.training", {"kind": "gradient_descent"}, "'training' is not one of kind, steps"),
    case(f"{PROBLEM}.source", {"kind": "scored_tokens"}, "'source' is not one of kind, inputs"),
    case(f"{RUN}.measures", {"mine": {"kind": "norm"}}, "the key is the kind", at=f"{RUN}.measures.mine"),
    case(f"{RUN}.measures", {"norm": "probability"}, "the key is the kind", at=f"{RUN}.measures.norm"),
    case("problems.two_scores.inputs.0.tokens", [[0, 0]], "the same number of tokens", at="problems.two_scores.inputs"),
    case("problems.two_scores.settings", {"D": [1]}, "'C' is not one of the settings", at="problems.two_scores.inputs"),
    case("problems.two_scores.settings", {"C": [1], "D": [1, 2]}, "the same length"),
    case("shards", 0, "0 is not greater than or equal to 1", file="config"),
    case("problems.random_n4_t6.d", [2, 5, 2], "a dimension is listed twice"),
    case("problems.random_n4_t6.d", [], "length 1"),
    case("problems.random_n4_t6.d", 0, "0 is not greater"),
    case("runs.random_small.problem", "all_support_vectors", "a trainable head"),
    case("runs.random_small.loss", "logistic", "unknown key", "steps, step_size, precision, epsilon"),
    case("runs.random_small.references.selected.select", [0, 0, 0, 0], "remove select",
         at="runs.random_small.references.selected"),
    case("runs.random_small.references.selected.kind", "tied_svm", "tied_svm cannot be a reference of a run",
         at="runs.random_small.references.selected"),
    case("runs.single_local.measures", {"selection": {"reference": "gmm"}}, "'gmm' is not one of (there are none)",
         at="runs.single_local.measures.selection.reference"),
    case("runs.random_small.measures.rates", {}, "needs the setting loss, which runs of kind span_descent do not have"),
    case("runs.random_small.measures.norm_bounds", {"reference": "selected"}, "needs the setting optimizer"),
    case("runs.fan_1b.start.p", {"of_problem": [0]}, "provide no starts", at="runs.fan_1b.start.p.of_problem"),
    case("runs.fan_1b.start.p", [[0, 0], [0, 1]], "not both zero", at="runs.fan_1b.start.p"),
    case("runs.fan_1b.start.p", [[1, 0, 5]], "two coordinates", at="runs.fan_1b.start.p"),
    case("runs.fan_1b.radii", [1, 5, 5], "radii must increase", at="runs.fan_1b.radii"),
    case("runs.fan_1b.cone", {"half_angle": 3, "radius": 2}, "begins at radius 2", at="runs.fan_1b.radii"),
    case("runs.fan_1b.cone", None, "must be set together", at="runs.fan_1b.start"),
    case("runs.joint_3a_one.loss", "exponential", "logistic loss"),
    case("runs.joint_3a_one.head_ratio", REMOVED, "give its ratio"),
    case("runs.path_1b.problem", "random_n4_t6", "not planar", at="runs.path_1b.problem"),
    case(f"{RUN}.references", {"mine": {"kind": "attention_svm"}}, "needs a run with one start"),
    case("runs.constant_step.references", {"gmm": {"kind": "attention_svm"}}, "taken by a reference of problem",
         at="runs.constant_step.references.gmm"),
    case("runs.random_small.measures.selection.reference", "gmm", "'gmm' is not one of selected"),
    case("problems.multiple_inputs.scores", [1], "one number per centre, 7 in all, got 1"),
    case("runs.sgd.steps", 200, "at most 100, the number of batches of problem small", file="scan_and_snap"),
    case("runs.sgd.eta_Z", [1], "as many learning rates as eta_Y, 2, got 1", file="scan_and_snap"),
    case("runs.growth.problem", "small", "has sequences, but this kind of run needs", file="scan_and_snap"),
    case("runs.growth.references", {"a": {"kind": "attention_svm"}}, "cannot have references", file="scan_and_snap"),
    case("problems.small.references", {"a": {"kind": "attention_svm"}}, "this one has sequences",
         file="scan_and_snap"),
    case("runs.growth.measures", {"composition": {}}, "measures sequences, but problem sizes_1000_10 has vocabulary",
         at="runs.growth.measures.composition", file="scan_and_snap"),
    case("runs.sgd.measures", {"norm": {}}, "measures tokens", at="runs.sgd.measures.norm", file="scan_and_snap"),
    case("problems.sizes_50.lmm_set", True, "this one has vocabulary", file="scan_and_snap"),
    case("figures.table_imdb.plot.kind", "fig_vit.draw", "does not define tabulate, which tables need",
         at="figures.table_imdb.plot", file="mirror_descent"),
    case("runs.joint_2", {"kind": "lp_regularization_path", "problem": "two_sequences", "loss": "logistic",
                          "exponent": 2, "radii": [1], "measures": {}}, "a trainable head",
         at="runs.joint_2.problem", file="mirror_descent"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "path", "value", "at", "wanted"),
    UNKNOWN_KEYS + WRONG_TYPES + OUT_OF_RANGE + UNKNOWN_NAMES + MISSING + DANGLING + CONTRADICTIONS,
)
def test_bad_value_is_refused(folder, file, path, value, at, wanted):
    if file == "config":
        folder.write("config", change_value(load_yaml(ROOT / "config/config.yaml"), keys(path), value))
        place = "config/config.yaml"
    else:
        if file != PAPER:
            folder.use(file)
        folder.change(path, value, file)
        place = f"config/{file}/{file_of(at, file)}.yaml"
    message = catch_refusal()
    assert message.startswith(f"{place}: {at}: ")
    for words in wanted:
        assert words in message


@pytest.mark.parametrize("part", ["problems", "runs", "figures", f"{PROBLEM}.references"])
def test_invalid_name_is_refused(folder, part):
    file = "fig2" if part in ("runs", "figures") else "shared"
    content = SHIPPED[PAPER][file]
    for key in keys(part):
        content = content[key]
    block = next(iter(content.values()))
    for name in ("../x", "a/b", "..", "", "a b", "a\n", "A", "1a", "x" * 300):
        folder.write(f"{PAPER}/{file}", change_value(SHIPPED[PAPER][file], [*keys(part), name], block))
        message = catch_refusal()
        assert message.startswith(f"config/max_margin/{file}.yaml: ")
        assert f"{format_value(name)} {A_NAME}" in message


KEYS_TO_VALUES = "must be a mapping of keys to values"
# Nine times nine times ... values, and two times two times ...
ALIASES = [f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in pairwise("abcdefghi")]
DOUBLED = ["a: &a0 [x, x]", *(f"b{k}: &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, 60)), "title: *a59"]
BAD_YAML = [
    ("a:\n\tb: 1", "line 2: "),
    ("a: [1\n", "line 2: "),
    ("a: 1\nb: 2\na: 3", "line 3: duplicate key 'a'"),
    ("a: {b: 1, b: 2}", "line 1: duplicate key 'b'"),
    ("1: a", "line 1: key 1 is not text"),
    ("no: a", "line 1: key False is not text"),
    ("[a]: b", "line 1: key ['a'] is not text"),
    ("- a", f"{KEYS_TO_VALUES}, not list"),
    ("a", f"{KEYS_TO_VALUES}, not str"),
    ("", f"{KEYS_TO_VALUES}, not NoneType"),
    ("# only a comment", f"{KEYS_TO_VALUES}, not NoneType"),
    (b"\x00\x01\xff", "is not a text file"),
    ("title: \x00", "cannot be read"),
    ("a: *b", "line 1: found undefined alias"),
    ("a: 1\n---\nb: 2", "line 2: but found another document"),
    ("a: !!python/object:os.system b", "line 1: could not determine a constructor"),
    ("a: !!bool maybe", "cannot be read"),
    ("a: !!int ''", "line 1: '' is not the same number"),
    ("a: 2023-99-99", "month must be in 1..12"),
    (f"a: {2**63}", "line 1: this integer does not fit into 64 bits"),
    (f"a: 0x{'f' * 5000}", "line 1: this integer does not fit into 64 bits"),
    (f"a: {'9' * 5000}", "4300 digits"),
    ("title: &a {b: *a}", "has more than 100 blocks within each other"),
    ("title: &a [*a]", "has more than 100 blocks within each other"),
    (f"{'? ' * 1001}x", "line 1: has more than 100 blocks within each other"),
    ("[" * 25_000, "line 1: has more than 100 blocks within each other"),
    ('["]", ' * 25_000 + "]" * 25_000, "line 1: has more than 100 blocks within each other"),
    (f"a: {'[' * 101}{']' * 101}", "has more than 100 blocks within each other"),
    *(
        (f"a: 1\nb: {number}", f"line 2: {number!r} is not the same number in YAML 1.1 and 1.2")
        for number in ("010", "09", "0o10", "1:30", "1:30.5", "1_000", "1_0.5", "0b11", "-0x1F", "0x_1F", "+0_1")
    ),
    *(
        (f"a: 1\nb: {number}", f"line 2: {number} is too small or too large")
        for number in ("1e400", "-1e-400", ".1e999", "0.01e-330")
    ),
    ("title: &a {<<: *a}", "title: {} is not text"),
    ("a: {<<: 3}", "line 1: expected a mapping"),
    # Each was a malformed input that somebody thought of without looking at the checks.
    ("42\n", f"{KEYS_TO_VALUES}, not int"),
    (b"runs: {\xe9t\xe9: 1}\n", "is not a text file"),
    ("runs: {}\n".encode("utf-16"), ""),
    ("runs: " + "{a: " * 5000 + "1" + "}" * 5000, "within each other"),
    ("runs: !thing {a: 1}\n", "could not determine a constructor"),
    ('figures:\n  fig4: {title: "never ends}\n', ""),
    ("runs: {~: {}}\n", "key None is not text"),
    ("runs:\n  ? [a, b]\n  : {}\n", "is not text"),
    ("a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(ALIASES) + "runs: *i\n", ""),
    ("# much\n" * 300_000, ""),
    ("\n".join(DOUBLED), ""),
]  # fmt: skip


def test_bad_yaml_is_refused(folder):
    for text, wanted in BAD_YAML:
        Path("config/max_margin/shared.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        message = catch_refusal()
        assert message.startswith("config/max_margin/shared.yaml: ")
        assert wanted in message


def test_check_of_repeated_blocks_needs_little_memory(monkeypatch):
    monkeypatch.setattr(yaml_file, "MAX_VALUES", 1000)
    block = [1] * 100
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError, match="a: has more than"):
            yaml_file.check_nesting([block] * 500, "a")
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()


SCALARS = [
    ("a: [10, -3, 0, +7, 0x1F, 0.5, .5, -0.0, 00.5]", {"a": [10, -3, 0, 7, 31, 0.5, 0.5, 0.0, 0.5]}),
    ("a: [1e3, 1E-3, 1e-3, 1E5, -2.5e+1, .5e1, 1.e2]", {"a": [1000, 0.001, 0.001, 1e5, -25.0, 5.0, 100.0]}),
    ("a: [e3, 1e, 1e-3x, 1-3]", {"a": ["e3", "1e", "1e-3x", "1-3"]}),
    ("a: &a {b: 1, c: 2}\nd: {<<: *a, b: 3}", {"a": {"b": 1, "c": 2}, "d": {"b": 3, "c": 2}}),
    ("x: {y: {z: &z {<<: &a {b: 1, c: 2}, b: 3}}}\nd: {<<: *z, c: 4}",
     {"x": {"y": {"z": {"b": 3, "c": 2}}}, "d": {"b": 3, "c": 4}}),
    (f"a: [{2**63 - 1}, {-(2**63)}]", {"a": [2**63 - 1, -(2**63)]}),
]  # fmt: skip


def test_yaml_scalars_are_read_as_people_write_them(tmp_path):
    file = tmp_path / "a.yaml"
    for text, content in SCALARS:
        file.write_text(text)
        assert load_yaml(file) == content


def test_hidden_folder_is_no_paper_and_settings_may_lie_beside_config(folder):
    for name in ("..x", ".ipynb_checkpoints"):
        Path("config", name).mkdir()
        Path("config", name, "fig1.yaml").write_text("no: yaml: ]")
        assert name not in folder.load().papers
    for name in ("my", "on-the-cluster", "smoke (2)"):
        folder.write(name, {"scale": "smoke", PAPER: {"runs": {}}, "config_folder": "other"})
        assert folder.load().settings.scale == "laptop"


IN_PAPER = "files of a paper are in config/<paper>/, and in one for --configfile 'figures' is not one of data,"
# File that is in the wrong place, or has a wrong name -> what is said of it.
MISPLACED = {
    "mine": IN_PAPER,
    "fig4~": IN_PAPER,
    f"{PAPER}/fig4 (copy)": "'fig4 (copy)' is not a name (at most 100 letters, digits and underscores); rename it,",
    f"{PAPER}/fig4-checkpoint": "'fig4-checkpoint' is not a name",
    f"{PAPER}/#fig4": "'#fig4' is not a name",
    f"{PAPER}.bak/fig4": f"'{PAPER}.bak' is not a name",
    f"{PAPER}~/fig4": f"'{PAPER}~' is not a name",
    "variants/eight-inputs": "'eight-inputs' is not a name",
    "compare/all (copy)": "'all (copy)' is not a name",
    **{f"{name}/fig1": "" for name in ("a b", "a-b", "1st", "é", "x" * 200)},
}


def test_misplaced_file_is_refused_with_its_name(folder):
    for name, wanted in MISPLACED.items():
        folder.write(name, SHIPPED[PAPER]["fig4"])
        assert catch_refusal().startswith(f"config/{name}.yaml: {wanted}")
        Path("config", f"{name}.yaml").unlink()
    Path("config/max_margin/fig99.yml").touch()
    assert "config/max_margin/fig99.yml: name it fig99.yaml; files that end with .yml are not read" in catch_refusal()


def test_unreadable_file_or_missing_folder_is_refused(folder):
    for name in ("config", f"{PAPER}/shared", f"{PAPER}/fig1"):
        file = Path("config", f"{name}.yaml")
        content = file.read_text()
        file.unlink()
        file.symlink_to("nowhere")
        assert catch_refusal() == f"{file}: cannot be read (No such file or directory)"
        file.unlink()
        file.write_text(content)
    shutil.rmtree("config")
    assert catch_refusal() == "--config: config_folder=config: there is no such folder"


def of_paper(part: str, name: str, **block):
    """Return an override of a block of the paper."""
    return {PAPER: {part: {name: block}}}


FIG1 = "config/max_margin/fig1.yaml with --config: runs.several."
SHARED = "config/max_margin/shared.yaml with --config: "
MEMORY = "a job needs about"
# Overrides, and what is said of them.
BAD_OVERRIDES = [
    ({"scal": "smoke"}, "--config: 'scal' is not one of data, data_mirror, device, max_margin, max_memory_gb,"),
    ({"scale": "huge"}, "config/config.yaml with --config: scale: 'huge' is not one of smoke, laptop"),
    ({"precision": "bfloat16"}, "config.yaml with --config: precision: bfloat16 needs device: cuda, got device: cpu"),
    ({PAPER: "smoke"}, f"--config: max_margin: 'smoke' {A_MAPPING}"),
    ({PAPER: None}, f"--config: max_margin: None {A_MAPPING}"),
    ({PAPER: "{runs: {several: {steps: 3}}"}, "is not a mapping of keys to values (is a bracket missing?)"),
    ({PAPER: {"title": None}}, f"{SHARED}title: None is not text"),
    (of_paper("runs", "several", steps="0"), f"{FIG1}steps: 0 is not greater than or equal to 1"),
    (of_paper("runs", "several", loss="hinge"), f"{FIG1}loss: 'hinge' is not one of correlation"),
    (of_paper("runs", "mine", problem="nothing"), f"{SHARED}runs.mine.steps: this key is required"),
    (of_paper("runs", "new", kind="gradient_descent", problem="multiple_inputs"),
     "runs.new.steps: this key is required, and so are optimizer, start"),
    (of_paper("runs", "constant_stp", optimizer={"step_size": 1}),
     f"{SHARED}runs.constant_stp.optimizer.kind: this key is required (no file of this paper has runs.constant_stp)"),
    (of_paper("runs", "single_global", measures=None), f"measures: None {A_MAPPING}"),
    ({PAPER: {"runs": []}}, f"--config: max_margin.runs: [] {A_MAPPING}"),
    (of_paper("runs", "several", steps="010"), f"{FIG1}steps: '010' is not a valid integer"),
    (of_paper("runs", "several", steps="1:30"), f"{FIG1}steps: '1:30' is not a valid integer"),
    (of_paper("runs", "several", steps="[" * 25_000), f"{FIG1}steps: '[[["),
    (functools.reduce(lambda inner, _: {PAPER: inner}, range(3000), {}), "--config: has more than 100 blocks within"),
    ({PAPER: {"rnus": {}}}, f"{SHARED}rnus: unknown key: 'rnus' is not one of"),
    # What would fill the memory, or overflow.
    (of_paper("runs", "constant_step", steps=10**11), f"runs.constant_step: {MEMORY} "),
    (of_paper("problems", "random_n4_t6", trials=10**10), MEMORY),
    (of_paper("problems", "random_n4_t6", n=10**5), MEMORY),
    (of_paper("problems", "random_n4_t6", T=10**9), MEMORY),
    (of_paper("runs", "basin", start={"p": {"spacing": 0.02}}, record_every=1), MEMORY),
    (of_paper("runs", "constant_step", steps=10**14), "is not less than or equal to 1e+12"),
    (of_paper("runs", "constant_step", optimizer={"step_size": 1e300}), "not less than or equal to 1e+30"),
    (of_paper("problems", "random_n4_t6", seed=2**40), "is not less than or equal to"),
    (of_paper("problems", "multiple_inputs", spread=1e308), "not less than or equal to 1e+30"),
    (of_paper("figures", "fig4a", plot={"ylim": [1, 1]}), "the second larger than the first"),
    # Malformed blocks that somebody thought of without looking at the checks.
    (of_paper("runs", "constant_step", steps=1e400), ""),
    (of_paper("runs", "constant_step", steps="\uff11e"), ""),
    (of_paper("runs", "constant_step", optimizer={"kind": "../gd"}), ""),
    (of_paper("runs", "constant_step", optimizer={"kind": "__init__"}), ""),
    (of_paper("runs", "constant_step", start={"p": [[]]}), ""),
    (of_paper("runs", "constant_step", start={"p": {"x": [0, 1], "y": [0, 1], "spacing": 1e-300}}), ""),
    (of_paper("runs", "constant_step", **{"": 1}), ""),
    (of_paper("problems", "random_n4_t6", n=10**6, T=10**6), ""),
    (of_paper("problems", "random_n4_t6", d=[10**12]), ""),
    (of_paper("problems", "multiple_inputs", references={"lmm_set": "attention_svm"}), ""),
    (of_paper("figures", "fig4a", plot={"kind": ".."}), ""),
    (of_paper("figures", "fig4a", plot={"kind": "fig4.os"}), ""),
    (of_paper("figures", "fig4a", plot={"shown": 10**15}), ""),
    (of_paper("figures", "fig4a", runs=[["constant_step"]]), ""),
]  # fmt: skip
# Likewise of other papers.
LARGE = {
    "mirror_descent": [("problems", "hundred", {"d": 10**4}, MEMORY)],
    "scan_and_snap": [
        ("problems", "small", {"batch": 10**9}, MEMORY),
        ("runs", "growth", {"points": 10**10}, MEMORY),
        ("problems", "small", {"num_last": 10**9}, "classes are too many"),
        ("problems", "one_common", {"classes": 10**9}, "is not less than or equal to 100"),
    ],
}
# Setting -> values that it cannot have.
WRONG_SETTINGS = {
    "scale": ["big", "Laptop", 3, "smoke,laptop", ["laptop"], {"a": 1}],
    "shards": [0, -1, 1001, 99_999_999_999, 1.5, "many", [2], {"a": 1}],
    "device": ["gpu", "cuda:0", 1, ["cpu"], True],
    "precision": ["float16", "bfloat16", 16, ["float32"], None],
    "data": ["internet", "mirror", 0, ["embedded"]],
    "data_mirror": ["/somewhere", 5, ["a"], {"a": 1}],
    PAPER: [1, "runs", ["runs"], {"runs": 1}, {"nothing": {}}, {"problems": {"../x": {}}}],
}


def test_bad_override_is_refused(folder):
    for overrides, wanted in BAD_OVERRIDES:
        assert wanted in catch_refusal(overrides)
    for key, values in WRONG_SETTINGS.items():
        for value in values:
            message = catch_refusal({key: value})
            assert re.search(rf"--config: (.* )?{key}\b|/{key}/\w+\.yaml with --config: ", message)
    for paper, rows in LARGE.items():
        folder.use(paper)
        for part, name, block, wanted in rows:
            assert wanted in catch_refusal({paper: {part: {name: block}}})


def test_shards_and_limit_make_room(folder):
    small = of_paper("problems", "random_n4_t6", trials=10**5)
    assert "more than max_memory_gb: 4;" in catch_refusal(small)
    folder.load(**small, shards=100)
    folder.load(**small, max_memory_gb=100)


@pytest.mark.parametrize("scale", SCALES)
def test_shipped_configuration_loads_at_every_scale(scale):
    loaded = load_config(CONFIG_FOLDER, {"scale": scale})
    assert loaded.settings.scale == scale
    figures = {f"{paper}/{name}" for paper, files in SHIPPED.items() for content in files.values()
               for name in content.get("figures", {})}  # fmt: skip
    assert set(loaded.figures()) == figures
    assert len(loaded.figures()) == len(figures)
    for paper, problem, run in (without_shard(id)[0].split("/") for id in Jobs(loaded).runs):
        assert loaded.papers[paper].runs[run].problem == problem


def test_figures_are_sorted_by_number():
    figures = list(published_config().papers[PAPER].figures)
    assert figures.index("fig2") < figures.index("fig9a") < figures.index("fig10")


def test_overlay_changes_only_its_scale(folder):
    spacing = {
        scale: folder.load(scale=scale).papers[PAPER].runs["basin"].training.start["p"].spacing for scale in SCALES
    }
    assert spacing == {"smoke": 0.5, "laptop": 0.1, "workstation": 0.1, "paper": 0.1}


def test_run_reference_accepts_other_norm(folder):
    folder.change("runs.random_small.references.selected", {"kind": "lp_attention_svm", "exponent": 3})
    own = folder.load().papers[PAPER].runs["random_small"].references["selected"]
    assert (own.kind, own.exponent) == ("lp_attention_svm", 3.0)


def test_omitted_setting_has_default(folder):
    folder.write("config", {})
    assert folder.load().settings.model_dump(exclude_none=True) == {
        "scale": "laptop", "shards": 1, "device": "cpu", "precision": "float32",
        "data": "embedded", "max_memory_gb": 4.0,
    }  # fmt: skip


def test_command_line_text_is_parsed(folder):
    run = {"optimizer": {"kind": "gd", "step_size": "1e-3"}, "steps": "500", "record_digits": "null"}
    paper = folder.load(max_margin={"runs": {"several": run}, "figures": {"fig1c": {"title": "a: b"}}}).papers[PAPER]
    assert paper.runs["several"].training.optimizer.model_dump() == {"kind": "gd", "step_size": 0.001}
    assert paper.runs["several"].training.steps == 500
    assert paper.runs["several"].training.record_digits is None
    assert paper.figures["fig1c"].title == "a: b"


def test_override_changes_block_of_other_file(folder):
    overrides = {"problems": {"multiple_inputs": {"n": 2}}, "runs": {"constant_step": {"steps": 300}}}
    paper = folder.load(max_margin=overrides).papers[PAPER]
    assert paper.problems["multiple_inputs"].source.n == 2
    assert paper.files["fig4"].runs["constant_step"].training.steps == 300
    assert {file for file, place in paper.display_paths.items() if "--config" in place} == {"fig4", "shared"}


def test_command_line_adds_block_to_shared_yaml(folder):
    run = {**shipped("runs.constant_step"), "steps": 200}
    plot = {**shipped("figures.fig4b.plot"), "kind": "fig4.draw"}
    figure = {**shipped("figures.fig4b"), "runs": ["mine"], "plot": plot}
    paper = folder.load(max_margin={"runs": {"mine": run}, "figures": {"mine": figure}}).papers[PAPER]
    assert paper.files["shared"].runs["mine"].training.steps == 200
    assert paper.figures["mine"].runs == ("mine",)


MERGED = {"kind": "normalized_gd", "step_size": 0.1, "decay": 0.0, "epsilon": 0.0}


@pytest.mark.parametrize(
    ("given", "optimizer"),
    [
        ({"step_size": 0.5}, MERGED | {"step_size": 0.5}),
        ({"kind": "normalized_gd", "epsilon": 1.0}, MERGED | {"epsilon": 1.0}),
        ({"kind": "gd", "step_size": 2.0}, {"kind": "gd", "step_size": 2.0}),
    ],
    ids=["merged", "same-kind-merged", "other-kind-replaces"],
)
@pytest.mark.parametrize("by", ["scale", "command line"])
def test_overlay_merges_into_block_of_same_kind(folder, given, optimizer, by):
    overlay = {"runs": {"single_global": {"optimizer": given}}}
    if by == "scale":
        file = file_of(RUN)
        folder.write(f"{PAPER}/{file}", {**SHIPPED[PAPER][file], "scales": {"laptop": overlay}})
        overlay = {}
    loaded = folder.load(max_margin=overlay).papers[PAPER].runs["single_global"].training.optimizer
    assert loaded.model_dump() == optimizer


def test_run_key_replaces_whole_default(folder):
    before = folder.load().papers[PAPER].runs["constant_step"].measures
    assert list(before) == list(shipped("defaults.runs.measures"))
    given = {"norm": {}, "probability": {}, "correlation": {}, "optimal_tokens": {}}
    folder.write(f"{PAPER}/fig4", change_value(SHIPPED[PAPER]["fig4"], keys("runs.constant_step.measures"), given))
    assert folder.load().papers[PAPER].runs["constant_step"].measures.keys() == given.keys()


def test_a_run_that_gets_the_kind_of_the_defaults_inherits_them(folder):
    run = {"kind": "gradient_descent", "problem": "random_n4_t6", "start": {"p": [[0]]}, "steps": 100,
           "optimizer": {"kind": "gd", "step_size": 1}, "measures": shipped("runs.random_small.measures"),
           "references": shipped("runs.random_small.references")}  # fmt: skip
    # Their notes name a setting of the other kind.
    notes = {figure: {"note": "another training"} for figure in ("fig9a", "fig10")}
    loaded = folder.load(max_margin={"runs": {"random_small": run}, "figures": notes})
    assert loaded.papers[PAPER].runs["random_small"].training.model.kind == "prompt_attention"


def test_null_in_overlay_is_value(folder):
    assert folder.load().papers[PAPER].runs["single_global"].training.record_digits is None
    file = file_of(RUN)
    content = change_value(SHIPPED[PAPER][file], keys(f"{RUN}.record_digits"), 3)
    for scale, digits in (("smoke", None), ("laptop", 3)):
        overlay = {"runs": {"single_global": {"record_digits": None}}}
        folder.write(f"{PAPER}/{file}", {**content, "scales": {"smoke": overlay}})
        assert folder.load(scale=scale).papers[PAPER].runs["single_global"].training.record_digits == digits


def test_block_defined_twice_or_null_in_overlay_is_refused(folder):
    for path in ("runs.constant_step", "problems.multiple_inputs", "figures.fig4a"):
        part, name = path.split(".")
        content, block, file = SHIPPED[PAPER]["fig5"], shipped(path), file_of(path)
        if part == "figures":
            block = {**block, "plot": {**block["plot"], "kind": "fig4.draw"}}
        folder.write(f"{PAPER}/fig5", {**content, part: {**content.get(part, {}), name: block}})
        message = catch_refusal()
        assert message.startswith("config/max_margin/fig5.yaml: ")
        assert message.endswith(f"{path}: {file}.yaml already defines {path}; names must be unique within a paper")
        folder.write(f"{PAPER}/fig5", content)
        folder.write(f"{PAPER}/{file}", {**SHIPPED[PAPER][file], "scales": {"laptop": {part: {name: None}}}})
        assert catch_refusal() == f"config/max_margin/{file}.yaml: {path}: None {A_MAPPING}"
        folder.write(f"{PAPER}/{file}", SHIPPED[PAPER][file])


def test_command_line_overrides_scale(folder):
    run = {"runs": {"joint_3a_one": {"radii": [1, 5]}}}
    for overrides, radii in (({}, (1, 10, 100)), ({PAPER: run}, (1, 5))):
        loaded = folder.load(scale="smoke", **overrides).papers[PAPER]
        assert loaded.runs["joint_3a_one"].training.radii == radii
        assert loaded.runs["joint_3a_two"].training.radii == (1, 10, 100)


@pytest.mark.parametrize("key", ["title", "arxiv"])
def test_paper_keys_belong_in_shared_yaml(folder, key):
    folder.write(f"{PAPER}/fig1", {**SHIPPED[PAPER]["fig1"], key: {}})
    assert catch_refusal().startswith(
        f"config/max_margin/fig1.yaml: {key}: unknown key: {key!r} is not one of problems, runs, figures"
    )


def test_figure_accepts_plot_of_other_paper():
    plot = {**shipped("figures.fig4b.plot"), "kind": "max_margin.fig4.draw", "series": "loss", "last_step": 100}
    figure = {"title": "T", "shows": "s", "fidelity": "extension", "runs": ["sgd"], "plot": plot}
    loaded = load_config(CONFIG_FOLDER, {"scan_and_snap": {"figures": {"mine": figure}}})
    assert loaded.papers["scan_and_snap"].figures["mine"].plot.kind == "max_margin.fig4.draw"
    spec = Jobs(loaded).get("draw", "scan_and_snap/mine").spec
    assert "attention_dynamics.papers.max_margin.fig4" in spec["modules"]


def test_figure_without_plot_kind_uses_module_of_its_file(folder):
    paper = folder.load().papers[PAPER]
    assert "kind" not in shipped("figures.fig4a.plot")
    assert paper.figures["fig4a"].plot.kind == "max_margin.fig4.draw"


@pytest.mark.slow
def test_loading_configuration_imports_nothing_heavy():
    code = (
        "import sys; from pathlib import Path; from attention_dynamics.config.load import load_config\n"
        "load_config(Path('config'), {}); print(*sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONPATH": str(ROOT / "workflow")},
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    heavy = {"torch", "pandas", "seaborn", "sklearn", "scipy.integrate", "scipy.special", "numba", "snakemake"}
    assert heavy.isdisjoint(printed.split())


@pytest.mark.workflow
def test_snakemake_reports_bad_configuration_in_one_line(tmp_path):
    repository = fresh(tmp_path / "repository")
    file = repository.root / "config" / "max_margin" / "fig1.yaml"
    good = file.read_text()
    override = "max_margin={runs: {several: {optimizer: {step_size: -1}}}}"
    for text, arguments, wanted in (
        (good.replace("kind: normalized_gd", "kind: normalised_gd", 1), (), "(did you mean 'normalized_gd'?)"),
        (good.replace("runs:\n", "runs:\n\t", 1), (), "config/max_margin/fig1.yaml: line "),
        (good, ("--config", override), "runs.several.optimizer.step_size: -1 is not greater than 0"),
    ):
        file.write_text(text)
        done = repository.snakemake("figures/all", *arguments, ok=False)
        (line,) = (line for line in done.stdout.splitlines() if not line.startswith("Using workflow specific profile"))
        assert done.returncode == 1
        assert wanted in line
    assert not (repository.root / "results").exists()
    assert not any("jobid" in log.read_text() for log in repository.root.glob(".snakemake/log/*"))


def test_exact_figure_has_published_experiment(folder):
    def fidelity(figure, loaded):
        return Jobs(loaded).get("draw", f"max_margin/{figure}").spec["fidelity"]

    seed = {"problems": {"multiple_inputs": {"seed": 3}}}
    assert fidelity("fig1c", folder.load()) == "exact"
    assert fidelity("fig1c", folder.load(max_margin=seed)) == "exact, changed by --config"
    assert fidelity("fig1a", folder.load(max_margin=seed)) == "exact"
    assert fidelity("ext_regpath", folder.load(max_margin=seed)) == "extension, changed by --config"
    assert fidelity("fig1a", folder.load(max_margin={"figures": {"fig1a": {"title": "Other"}}})) == "exact"
    assert fidelity("ext_regpath", folder.load(scale="smoke", max_margin=seed)) == "extension, changed by --config"
    # An edit of the file is a change, too.
    folder.change("problems.multiple_inputs.seed", 3)
    assert fidelity("fig1c", folder.load()) == "exact, changed"
    folder.change(RUN, shipped(RUN) | {"steps": 500})
    assert fidelity("fig1a", folder.load()) == "exact, changed"
    assert fidelity("fig1a", folder.load(scale="smoke")) == "exact, changed"


@pytest.mark.parametrize(
    ("figure", "changes", "laptop", "smoke"),
    [
        ("max_margin/fig4a", {}, "", ""),
        ("max_margin/fig4a", {"runs": {"constant_step": {"optimizer": {"step_size": 0.1}}}}, "changed", "changed"),
        ("mirror_descent/fig_joint_path", {}, "", "shortened"),
        ("mirror_descent/fig_joint_path", {"figures": {"fig_joint_path": {"title": "Ours"}}}, "", "shortened"),
        (
            "mirror_descent/fig_joint_path",
            {"runs": {"joint_exact_2": {"optimizer": {"step_size": 0.3}}}},
            "changed",
            "shortened, changed",
        ),
        ("scan_and_snap/fig6", {}, "", "shortened"),
        ("scan_and_snap/fig6", {"runs": {"medium_3": {"steps": 50}}}, "changed", "shortened, changed"),
        ("scan_and_snap/ext_fig6_zero_start", {"figures": {"fig6": {"title": "Ours"}}}, "changed", "changed"),
    ],
)
def test_fidelity_names_all_that_differs(figure, changes, laptop, smoke):
    for scale, wanted in {"laptop": laptop, "smoke": smoke}.items():
        config = load_config(CONFIG_FOLDER, {"scale": scale, figure.split("/")[0]: changes})
        labels = Jobs(config).get("draw", figure).spec["fidelity"].split(", ")[1:]
        assert labels == wanted.replace("changed", "changed by --config").split(", ") * bool(wanted)


@pytest.mark.parametrize("scale", ["laptop", "smoke"])
def test_committed_digests_match_published_experiments(scale):
    digests = current_digests(published_config(scale).papers)
    assert published_digests()[scale] == digests, f"after a deliberate change: {COMMAND}"


UNDRAWABLE = [
    ("title", r"$\frac{$", r"is not a valid formula \(.*frac"),
    ("note", r"in $\foo$", "is not a valid formula .*Unknown symbol"),
    ("title", "two\nlines", "has a line break"),
    ("title", "\u65e5", "the font has no character"),
    # Snakemake's report would run it.
    ("title", "</script><img onerror=a>", "looks like HTML"),
    ("note", "</script><img onerror=a>", "looks like HTML"),
    ("shows", "x" * 501, "has 501 characters, more than 500"),
    # Matplotlib would draw these as they are, and LaTeX would read a file.
    ("shows", r"$\input{x}$ for 5 $", r"has a \$ without another one"),
    ("note", r"$\text{\input{x}}$", "has a command in"),
    ("note", r"$\text {^^5cinput x}$", "has a command in"),
]


def test_undrawable_text_is_refused(folder, tmp_path):
    cache = tmp_path / "cache"
    check_texts(folder.load().papers, cache)
    good = cache.read_text()
    for key, text, message in UNDRAWABLE:
        folder.change(f"{FIGURE}.{key}", text)
        papers = folder.load().papers
        assert re.search(rf"fig1.yaml: {FIGURE}.{key}: .*{message}", refusal(check_texts, papers, cache))
        assert cache.read_text() == good
    folder.change(f"{FIGURE}.title", r"It costs 5 $, or $\frac{1}{2}$ of \$ 10".replace("5 $,", r"5 \$,"))
    check_texts(folder.load().papers, cache)


def test_problem_of_other_paper_is_named(folder):
    shutil.copytree(CONFIG_FOLDER / "mirror_descent", "config/mirror_descent")
    folder.change("runs.constant_step.problem", "hundred")
    message = "runs.constant_step.problem: 'hundred' belongs to paper mirror_descent; copy its block to this paper"
    assert message in catch_refusal()


def test_plot_of_paper_without_drawings_is_refused(folder):
    figure = {"title": "One", "shows": "one", "fidelity": "extension", "runs": ["several"]}
    folder.write("own/one", {"figures": {"one": figure | {"plot": {"kind": "fig4.draw"}}}})
    message = catch_refusal()
    place = "config/own/one.yaml: figures.one.plot.kind: "
    assert message.startswith(f"{place}paper own has no drawing 'fig4.draw', and none of its own")
    assert "another paper's is one of max_margin.fig4.draw" in message
