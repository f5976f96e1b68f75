"""A bad configuration is refused in one line: the file, the key, what is wrong, what is allowed."""

import copy
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from attention_dynamics.attention.models.model import Model
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import Config, load_config
from attention_dynamics.config.schema import SCALES
from attention_dynamics.config.yaml_file import load_yaml
from attention_dynamics.measures.measure import Measure
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.pipeline.shards import without_shard
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.registry import kinds
from conftest import ROOT, fresh

PAPER = "max_margin"
SHIPPED = {file.stem: load_yaml(file) for file in sorted((ROOT / "config").glob("*.yaml"))}
REMOVED = object()

PROBLEM = "problems.single_input_global"
RUN = "runs.single_global"
FIGURE = "figures.fig1a"
CLAIM = f"{FIGURE}.claims.converges_by_200"
SERIES = f"{CLAIM}.measured"
QUANTITY = f"{FIGURE}.claims.gmm_objective.measured"
WINDOW = f"{FIGURE}.claims.increases.measured.window"
EXPECTED = f"{CLAIM}.expected"
GRID = "figures.fig2.runs.basin.start.p"
PANEL = "figures.ext_precision.plot.panel.0"
OPTIMIZERS = ", ".join(kinds(Optimizer))
A_NAME = "is not a name (lower-case letters, digits and underscores, starting with a letter)"
A_MAPPING = "is not a mapping of keys to values"


def keys(path: str) -> list[str | int]:
    return [int(key) if key.isdigit() else key for key in path.split(".")]


def changed(tree, path: list, value):
    """A copy with another value at a path."""
    head, *rest = path
    tree = copy.copy(tree)
    if value is REMOVED and not rest:
        del tree[head]
    else:
        tree[head] = changed(tree[head], rest, value) if rest else value
    return tree


def shipped(path: str):
    tree = SHIPPED[PAPER]
    for key in keys(path):
        tree = tree[key]
    return tree


def refusal(overrides=None) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(Path("config"), overrides or {})
    (line,) = str(caught.value).splitlines()
    return line


class Folder:
    """A copy of config/ below the working directory."""

    def write(self, name: str, content) -> None:
        Path("config", f"{name}.yaml").write_text(yaml.dump(content, Dumper=yaml.CSafeDumper))

    def change(self, path: str, value, name: str = PAPER) -> None:
        self.write(name, changed(SHIPPED[name], keys(path), value))

    def load(self, **overrides) -> Config:
        return load_config(Path("config"), overrides)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    for name in ("config", PAPER):
        shutil.copy(ROOT / "config" / f"{name}.yaml", "config")
    return Folder()


def case(path, value, *wanted, at=None, file=PAPER):
    shown = "removed" if value is REMOVED else repr(value)[:30]
    return pytest.param(file, path, value, at or path, wanted, id=f"{path}={shown}")


def unknown(block, *allowed, at=None, file=PAPER):
    path = f"{block}.unheard" if block else "unheard"
    return case(path, 1, "'unheard' is not one of", *allowed, at=f"{at}.unheard" if at else None, file=file)


UNKNOWN_KEYS = [
    unknown("", "scale, shards, device, data, data_mirror", file="config"),
    unknown("", "title, arxiv, problems, runs, figures"),
    case("a\nb", 1, "'a\\nb' is not one of title", at="a b"),
    unknown(PROBLEM, "kind, inputs, settings"),
    unknown("problems.multiple_inputs", "centres, scores, n, spread, seed"),
    unknown(f"{PROBLEM}.inputs.0", "tokens, scores, label"),
    unknown(f"{PROBLEM}.references.gmm", "kind, select"),
    unknown(RUN, "kind, steps, record_every, record_digits, model, loss, optimizer, head_optimizer, start, precision"),
    unknown("runs.constant_step.optimizer", "kind, step_size"),
    unknown("runs.joint_relaxed_float32.head_optimizer", "kind, step_size, decay, epsilon"),
    unknown("figures.ext_lemma1.runs.weights_trained.model", "kind, query, transposed",
            at="runs.weights_trained.model"),
    case(f"{RUN}.start.q", [[0, 1]], "'q' is not one of p, v"),
    unknown(GRID, "x, y, spacing", at="runs.basin.start.p"),
    case("figures.fig2.runs.basin.measures.unheard", {}, "'unheard' is not one of", ", ".join(kinds(Measure)),
         at="runs.basin.measures.unheard"),
    unknown("figures.fig2.runs.basin.measures.limit", "cone, radius, converged", at="runs.basin.measures.limit"),
    unknown(FIGURE, "title, shows, fidelity, note, runs, claims, plot"),
    unknown(f"{FIGURE}.plot", "kind, xlim, ylim, shown"),
    unknown(PANEL, "title, runs, reference, trajectories, ylim"),
    unknown(CLAIM, "says, source, basis, measured, expected, scales, data, explanation"),
    unknown(SERIES, "run, series, minus, versus, trajectories, starts, where, among, by, each_start, differences"),
    unknown(QUANTITY, "run, reference, quantity"),
    unknown(EXPECTED, "at_least, at_most, equals, near, within, within_percent"),
    case(f"{SERIES}.quantity", "norm", at=f"{SERIES}.series"),
    case(f"{QUANTITY}.series", "norm_p", "unknown key"),
    case("defaults.unheard", {}, "'unheard' is not one of run, figure", at="defaults"),
    unknown("defaults.run", "steps", at="runs.constant_step"),
    case("scales.unheard", {}, "'unheard' is not one of smoke, laptop, workstation, paper", at="scales"),
    case("scales.laptop", {"unheard": 1}, "unknown key", at="unheard"),
]  # fmt: skip

WRONG_TYPES = [
    case("scale", 3, "smoke, laptop, workstation, paper", file="config"),
    case("device", None, "cpu, cuda", file="config"),
    case("title", 3, "3 is not text"),
    case("title", ""),
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
    case("defaults.run", [], A_MAPPING),
    case("scales", [], A_MAPPING),
    case("scales.smoke", 3, A_MAPPING),
    case("scales.laptop", None, A_MAPPING),
    case(f"{RUN}.steps", "1000", "is not a valid integer"),
    case(f"{RUN}.steps", True, "is not a valid integer"),
    case(f"{RUN}.steps", 1.5, "is not a valid integer"),
    case(f"{RUN}.problem", 3, "3 is not text"),
    case(f"{RUN}.optimizer", "gd", "this key is required", at=f"{RUN}.optimizer.step_size"),
    case(f"{RUN}.optimizer", 3, A_MAPPING),
    case(f"{RUN}.optimizer", {"step_size": "0.1"}, "is not a valid number", at=f"{RUN}.optimizer.step_size"),
    case(f"{RUN}.optimizer", {"step_size": True}, "is not a valid number", at=f"{RUN}.optimizer.step_size"),
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
    case(f"{FIGURE}.claims", [], A_MAPPING),
    case(CLAIM, None, A_MAPPING),
    case(f"{CLAIM}.explanation", 3, "is not text"),
    case(f"{CLAIM}.measured", None, A_MAPPING),
    case(f"{CLAIM}.expected", 0.99, A_MAPPING),
    case(f"{EXPECTED}.at_least", True, "is not a valid number"),
    case(EXPECTED, {"near": "x", "within": 1}, "is not a valid number or a valid list", at=f"{EXPECTED}.near"),
    case(EXPECTED, {"near": [1, "x"], "within": 1}, "is not a valid number", at=f"{EXPECTED}.near.1"),
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
    case(f"{RUN}.external_references", {"other": {"run": "several", "reference": "own"}},
         "'several' is not one of path_1a",
         at=f"{RUN}.external_references.other.run"),
    case(f"{PROBLEM}.references.gmm", {"kind": "lp_attention_svm", "exponent": 1}, "greater than 1",
         at=f"{PROBLEM}.references.gmm.exponent"),
    case(f"{PROBLEM}.references.gmm", {"kind": "lp_label_svm", "exponent": 10.5}, "less than or equal to 10",
         at=f"{PROBLEM}.references.gmm.exponent"),
    case(f"{RUN}.optimizer", {"step_size": [0.1, 0.2]}, "a list has a number for every start, 6 of them",
         at=f"{RUN}.optimizer.step_size"),
    case(f"{RUN}.optimizer", {"step_size": [0.1, -0.2]}, "greater than 0", at=f"{RUN}.optimizer.step_size.1"),
    case(f"{SERIES}.starts", [6], "run single_global has 6 starts, counted from 0"),
    case(f"{SERIES}.versus", {"run": "several", "compare": "ratio"}, "'several' is not one of single_global",
         at=f"{SERIES}.versus.run"),
    case(f"{SERIES}.versus", {"run": "single_global", "compare": "product"}, "ratio, difference",
         at=f"{SERIES}.versus.compare"),
    case(f"{RUN}.start", {}, "of length 1 or more"),
    case(f"{RUN}.start.p", [], "of length 1 or more"),
    case(f"{RUN}.start.p.0.0", -math.inf, "a finite number"),
    case(f"{GRID}.spacing", 0, "greater than 0", at="runs.basin.start.p.spacing"),
    case(f"{GRID}.spacing", 1e-9, "more than 1000000 points", at="runs.basin.start.p"),
    case(f"{GRID}.x", [1e308, -1e308], "[low, high]", at="runs.basin.start.p"),
    case(f"{GRID}.x", [-1e308, 1e308], "more than 1000000 points", at="runs.basin.start.p"),
    case("figures.fig2.runs.basin.measures.limit.converged", 1.5, "less than or equal to 1",
         at="runs.basin.measures.limit.converged"),
    case(f"{PROBLEM}.inputs.0.tokens", [], "of length 1 or more"),
    case(f"{PROBLEM}.inputs.0.tokens.0", [1, 2, 3], "of length 2 or less"),
    case("problems.two_scores.settings.C", [], "of length 1 or more"),
    case("problems.multiple_inputs.n", 0, "greater than or equal to 1"),
    case(f"{PROBLEM}.references.lmm.select.0", -1, "greater than or equal to 0"),
    case(f"{FIGURE}.runs", [], "of length 1 or more"),
    case(f"{FIGURE}.plot.xlim", [1], "of length 2 or more"),
    case(f"{CLAIM}.scales", [], "of length 1 or more"),
    case(f"{SERIES}.trajectories", [], "of length 1 or more"),
    case(f"{EXPECTED}.at_least", math.nan, "a finite number"),
    case(EXPECTED, {"near": 1, "within": -1}, "greater than or equal to 0", at=f"{EXPECTED}.within"),
    case(EXPECTED, {}, "exactly one of at_least, at_most, equals, near"),
    case(EXPECTED, {"at_least": 0, "at_most": 1}, "exactly one of at_least, at_most, equals, near"),
    case(EXPECTED, {"near": 1}, "within, within_percent"),
    case(EXPECTED, {"equals": 1, "within": 1}, "within, within_percent"),
]  # fmt: skip

UNKNOWN_NAMES = [
    case("scale", "huge", "smoke, laptop, workstation, paper", file="config"),
    case("device", "tpu", "cpu, cuda", "did you mean 'cpu'?", file="config"),
    case(f"{PROBLEM}.kind", "cube", ", ".join(kinds(ProblemSource))),
    case(
        f"{PROBLEM}.references.gmm.kind", "svc", "attention_svm, label_svm, lp_attention_svm, lp_label_svm, relaxed_svm"
    ),
    case(f"{PROBLEM}.references.gmm.select", "best", "one of optimal or a valid list"),
    case(f"{RUN}.model", {"kind": "mlp"}, ", ".join(kinds(Model)), at=f"{RUN}.model.kind"),
    case(f"{RUN}.loss", "logistik", "correlation, exponential, logistic", "did you mean 'logistic'?"),
    case("runs.constant_step.optimizer.kind", "rmsprop", OPTIMIZERS),
    case("runs.constant_step.optimizer.kind", ["gd"], f"['gd'] is not one of {OPTIMIZERS}"),
    case("runs.joint_relaxed_float32.head_optimizer.kind", 3, f"3 is not one of {OPTIMIZERS}"),
    case(f"{RUN}.precision", "float16", "stable, float64, float32"),
    case(f"{RUN}.measures", {"speed": {}}, ", ".join(kinds(Measure)), at=f"{RUN}.measures.speed"),
    case(f"{FIGURE}.fidelity", "good", "exact, declared, reconstructed, stand-in, extension"),
    case(f"{FIGURE}.plot.kind", "pie", "ext_lemma1, ext_precision", "fig1, fig10, fig2"),
    case(f"{FIGURE}.plot", REMOVED, "'fig1a' is not one of", "did you mean 'fig1'?", at=f"{FIGURE}.plot.kind"),
    case(f"{CLAIM}.basis", "rumour", "paper, authors_code, derived, chosen"),
    case(f"{CLAIM}.scales", ["huge"], "smoke, laptop, workstation, paper", at=f"{CLAIM}.scales.0"),
    case(f"{SERIES}.statistic", "mode", "value, table, smallest, largest"),
    case(f"{SERIES}.over", "median", "min, max, mean, each"),
    case(f"{QUANTITY}.quantity", "mass", "direction, weights, norm, objective"),
    case("figures.fig1b.claims.lmm_set.measured.quantity", "norm", "direction, selected, count"),
]

MISSING = [
    case("title", REMOVED, "required"),
    case("problems", REMOVED, "required"),
    case(f"{PROBLEM}.kind", REMOVED, "required"),
    case(f"{PROBLEM}.inputs", REMOVED, "required"),
    case(f"{RUN}.problem", REMOVED, "required"),
    case(f"{RUN}.loss", None, "required"),
    case(f"{RUN}.start", REMOVED, "required"),
    case(f"{RUN}.optimizer", {"kind": "gd"}, "required", at=f"{RUN}.optimizer.step_size"),
    case(f"{RUN}.head_optimizer", {"step_size": 1}, "required", at=f"{RUN}.head_optimizer.kind"),
    case(f"{RUN}.model", {"kind": "weight_attention"}, "required", at=f"{RUN}.model.query"),
    case(f"{GRID}.y", REMOVED, "required", at="runs.basin.start.p.y"),
    case(f"{FIGURE}.title", REMOVED, "required"),
    case(f"{FIGURE}.runs", REMOVED, "required"),
    case(f"{FIGURE}.plot.kind", REMOVED, "required"),
    case(f"{FIGURE}.plot.xlim", REMOVED, "required"),
    case(f"{CLAIM}.source", REMOVED, "required"),
    case(f"{CLAIM}.measured", {}, "required", at=f"{SERIES}.statistic"),
    case(f"{SERIES}.step", REMOVED, "required"),
    case(f"{SERIES}.series", REMOVED, "required"),
    case(f"{QUANTITY}.reference", REMOVED, "required"),
    case(f"{QUANTITY}.quantity", REMOVED, "required"),
    case(f"{CLAIM}.expected", REMOVED, "required"),
]

DANGLING = [
    case(f"{RUN}.problem", "single_input", "single_input_global, single_input_local", "did you mean"),
    case("problems", {}, "'multiple_inputs' is not one of (there are none)", at="runs.constant_step.problem"),
    case(f"{RUN}.baseline", "nobody", "single_global_float32, single_global_float64"),
    case(f"{RUN}.baseline", "constant_step", "single_global_float32, single_global_float64"),
    case(f"{RUN}.baseline", "single_global", "single_global_float32, single_global_float64"),
    case(f"{FIGURE}.runs", ["nobody"], "constant_step, joint_all"),
    case("figures.fig2.runs.several", {}, "a run of this name is defined already"),
    case(f"{SERIES}.run", "several", "'several' is not one of single_global"),
    case(f"{QUANTITY}.run", "several", "'several' is not one of single_global"),
    case(f"{SERIES}.series", "norm_v", "correlation_gmm, correlation_lmm, logistic, norm_p"),
    case(f"{SERIES}.minus", "norm_v", "did you mean 'norm_p'?"),
    case(f"{QUANTITY}.reference", "head", "gmm, lmm, lmm_set"),
    case("figures.fig1c.claims.gmm_norm.measured.reference", "lmm_set", "'lmm_set' is not one of gmm"),
    case("figures.fig2.runs.basin.measures.limit.cone", "head", "gmm, lmm", at="runs.basin.measures.limit.cone"),
    case("figures.fig2.plot.grid", "several", "basin, in_cone"),
    case("figures.fig2.plot.cone", "head", "gmm, lmm"),
    case("figures.fig4b.plot.series", "norm_v", "correlation_gmm, logistic, norm_p"),
    case(f"{PANEL}.runs", ["several"], "single_global_float64", at=f"{PANEL}.runs.0"),
    case(f"{PANEL}.reference", "nobody", "gmm, head, lmm, relaxed"),
]

CONTRADICTIONS = [
    case(f"{SERIES}.step", 1001, "step 1001 is not recorded (single_global: 0 to 1000 by 1)"),
    case("figures.fig2.claims.cone_exists.measured.step", 1000, "not recorded (basin: 0 to 2000 by 2000)"),
    case(f"{RUN}.record_every", 7, "step 200 is not recorded (single_global: 0 to 1000 by 7)", at=f"{SERIES}.step"),
    case(
        "figures.fig4b.claims.normalized_values.measured.at",
        [10, 5000],
        "step 5000",
        at="figures.fig4b.claims.normalized_values.measured.at.1",
    ),
    case(WINDOW, [35.5, 1000], "35.5 is not a valid integer", at=f"{WINDOW}.0"),
    case(WINDOW, [-1, 1000], "-1 is not greater", at=f"{WINDOW}.0"),
    case(WINDOW, [1000, 35], "a first and a later step"),
    case("figures.fig4b.claims.levels_off.measured.early", [50, 50], "a first and a later step"),
    case(f"{SERIES}.trajectories", [6], "run single_global has 6 trajectories, counted from 0"),
    case(f"{PROBLEM}.references.lmm.select", [3], "1 token indices below 3"),
    case(f"{PROBLEM}.references.lmm.select", [0, 1], "1 token indices below 3"),
    case(f"{PROBLEM}.references.lmm_set", {"kind": "attention_svm"}, "taken"),
    case("problems.two_scores.lmm_set", True, "a single problem with a fixed head"),
    case("problems.all_support_vectors.lmm_set", True, "a single problem with a fixed head"),
    case(f"{RUN}.start.p", [[0, 0, 0, 0]], "4 coordinates", "single_input_global has 3"),
    case(f"{RUN}.start.p", [[0, 1], [0]], "the same number of coordinates"),
    case(f"{RUN}.start.v", [[0, 1]], "a fixed head", at=f"{RUN}.start"),
    case("runs.joint_all.start.v", REMOVED, "v needs a start", at="runs.joint_all.start"),
    case("runs.joint_all.start.p", REMOVED, "needs the key p", at="runs.joint_all.start"),
    case("runs.joint_all.start.v", [[0, 1], [1, 0]], "'p': 1, 'v': 2", at="runs.joint_all.start"),
    case(f"{PROBLEM}.inputs.0.scores", [1, 2], "2 scores for 3 tokens", at=f"{PROBLEM}.inputs"),
    case(f"{PROBLEM}.inputs", [], "of length 1 or more"),
    case(f"{RUN}.training", {"kind": "gradient_descent"}, "'training' is not one of kind, steps"),
    case(f"{PROBLEM}.source", {"kind": "scored_tokens"}, "'source' is not one of kind, inputs"),
    case(f"{RUN}.measures", {"mine": {"kind": "norm"}}, "the key is the kind", at=f"{RUN}.measures.mine"),
    case(f"{RUN}.measures", {"norm": "probability"}, "the key is the kind", at=f"{RUN}.measures.norm"),
    case(f"{RUN}.borrowed", {}, "is now called external_references (see CHANGELOG.md)"),
    case(f"{RUN}.counterpart", "single_local", "is now called baseline (see CHANGELOG.md)"),
    case("problems.two_scores.inputs.0.tokens", [[0, 0]], "as many tokens", at="problems.two_scores.inputs"),
    case("problems.two_scores.settings", {"D": [1]}, "'C' is not one of the settings", at="problems.two_scores.inputs"),
    case("problems.two_scores.settings", {"C": [1], "D": [1, 2]}, "different lengths"),
    case("shards", 0, "0 is not greater than or equal to 1", file="config"),
    case("problems.random_n4_t6.d", [2, 5, 2], "a dimension is listed twice"),
    case("problems.random_n4_t6.d", [], "length 1"),
    case("problems.random_n4_t6.d", 0, "0 is not greater"),
    case("runs.random_small.problem", "all_support_vectors", "a head to be trained"),
    case("runs.random_small.loss", "logistic", "unknown key", "steps, step_size, precision, epsilon"),
    case(
        "runs.random_small.references.selected.select",
        [0, 0, 0, 0],
        "without select",
        at="runs.random_small.references.selected",
    ),
    case(
        "runs.random_small.references.selected.kind",
        "tied_svm",
        "tied_svm is not for the tokens that a run selects",
        at="runs.random_small.references.selected",
    ),
    case(
        "runs.single_local.measures",
        {"selection": {"reference": "gmm"}},
        "'gmm' is not one of (there are none)",
        at="runs.single_local.measures.selection.reference",
    ),
    case(
        "figures.fig9a.claims.all_saturated.measured.where",
        {"d": [10, 11]},
        "11.0 is not one of 2, 5, 10",
        at="figures.fig9a.claims.all_saturated.measured.where.d",
    ),
    case("figures.fig9a.claims.tall_red_bar.measured.differences", True, "give by"),
    case(
        "figures.fig9a.claims.like_global.measured.differences",
        True,
        "only shares",
        at="figures.fig9a.claims.like_global.expected.like",
    ),
    case(
        "figures.fig9b.claims.medians.expected",
        {"like": [0.1], "of": 10, "significance": 0.1},
        "only shares",
        at="figures.fig9b.claims.medians.expected.like",
    ),
    case(
        "figures.fig9a.claims.like_global.measured.versus",
        {"run": "random_small", "compare": "ratio"},
        "only shares",
        at="figures.fig9a.claims.like_global.expected.like",
    ),
    case("runs.random_small.measures.rates", {}, "have loss, those of kind span_descent have none"),
    case("runs.random_small.measures.norm_bounds", {"reference": "selected"}, "that have optimizer"),
    case(
        "figures.ext_regpath_local.runs.fan_1b.start.p",
        {"of_problem": [0]},
        "provide no starts",
        at="runs.fan_1b.start.p.of_problem",
    ),
    case("figures.fig9a.claims.like_global.expected.significance", 0, "greater than 0"),
    case("figures.fig9a.claims.like_global.expected.of", [100, 100], "2 numbers, but 8 are measured, by d"),
    case(
        "problems.random_n4_t6.d",
        [2, 5, 10, 20, 50, 100, 200, 300, 500],
        "8 numbers, but 9 are measured, by d",
        at="figures.ext_fig9_precision.claims.float64_direction.expected.near",
    ),
    case("figures.ext_regpath_local.runs.fan_1b.start.p", [[0, 0], [0, 1]], "not both zero", at="runs.fan_1b.start.p"),
    case("figures.ext_regpath_local.runs.fan_1b.start.p", [[1, 0, 5]], "two coordinates", at="runs.fan_1b.start.p"),
    case("figures.ext_regpath_local.runs.fan_1b.radii", [1, 5, 5], "radii grow", at="runs.fan_1b.radii"),
    case("figures.ext_regpath_local.runs.fan_1b.cone.radius", 2, "begins at radius 2", at="runs.fan_1b.radii"),
    case("figures.ext_regpath_local.runs.fan_1b.cone", REMOVED, "only there", at="runs.fan_1b.start"),
    case(
        "figures.ext_regpath_joint.runs.joint_3a_one.loss", "exponential", "logistic loss", at="runs.joint_3a_one.loss"
    ),
    case(
        "figures.ext_regpath_joint.runs.joint_3a_one.head_ratio",
        REMOVED,
        "give its ratio",
        at="runs.joint_3a_one.head_ratio",
    ),
    case("runs.path_1b.problem", "random_n4_t6", "not planar", at="runs.path_1b.problem"),
    case(f"{RUN}.references", {"mine": {"kind": "attention_svm"}}, "this run has several"),
    case(
        "runs.constant_step.references",
        {"gmm": {"kind": "attention_svm"}},
        "taken by a reference of problem",
        at="runs.constant_step.references.gmm",
    ),
    case("runs.random_small.measures.selection.reference", "gmm", "'gmm' is not one of selected"),
    case("figures.fig9a.claims.tall_red_bar.measured.where", {"n": [2]}, "'n' is not one of d"),
    case("figures.fig9a.claims.saturation_rises.measured.by", "C", "'C' is not one of d"),
    case("figures.fig9a.claims.tall_red_bar.measured.among", "lmm", "'lmm' is not one of", "locally_optimal"),
    case("figures.fig9a.claims.tall_red_bar.measured.step", 500, "step 500 is not recorded", "0 and 1000"),
    case(
        "figures.fig9a.claims.like_global.expected.of",
        REMOVED,
        "like needs of and significance",
        at="figures.fig9a.claims.like_global.expected",
    ),
    case("problems.multiple_inputs.scores", [1], "1 numbers for 7 centres"),
    case("runs.sgd.steps", 200, "problem small has batches for 100", file="scan_and_snap"),
    case("runs.sgd.problem", "sizes_50", "made of vocabulary, this kind of run is for sequences", file="scan_and_snap"),
    case("runs.sgd.eta_Z", [1], "as many learning rates as eta_Y has, 2, got 1", file="scan_and_snap"),
    case("runs.growth.problem", "small", "made of sequences", file="scan_and_snap"),
    case("runs.growth.references", {"a": {"kind": "attention_svm"}}, "there are none", file="scan_and_snap"),
    case("problems.small.references", {"a": {"kind": "attention_svm"}}, "made of sequences, has none",
         file="scan_and_snap"),
    case("runs.growth.measures", {"composition": {}}, "is for runs on sequences, problem sizes_1000_10 has vocabulary",
         at="runs.growth.measures.composition", file="scan_and_snap"),
    case("runs.sgd.measures", {"norm": {}}, "is for runs on tokens", at="runs.sgd.measures.norm", file="scan_and_snap"),
    case("problems.sizes_50.lmm_set", True, "made of vocabulary, has none", file="scan_and_snap"),
    case("figures.fig3.claims.late_ratios.measured.step", 731, "step 731 is not recorded (growth: 0 to 730 in 730",
         file="scan_and_snap"),
    case("figures.fig4.claims.sparser.measured.each_start", False, "give by or each_start",
         at="figures.fig4.claims.sparser.measured.differences", file="scan_and_snap"),
    case("figures.fig4.claims.sparser.measured.by", "seed", "give this or by",
         at="figures.fig4.claims.sparser.measured.each_start", file="scan_and_snap"),
    case("figures.table_imdb.plot", {"kind": "fig_vit_accuracy"}, "fig_vit_accuracy does not define tabulate",
         file="mirror_descent"),
    case("runs.attrp", {"kind": "lp_regularization_path", "problem": "two_sequences", "loss": "logistic",
                          "exponent": 2, "radii": [1], "measures": {}}, "a head to be trained",
         at="runs.attrp.problem", file="mirror_descent"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "path", "value", "at", "wanted"),
    UNKNOWN_KEYS + WRONG_TYPES + OUT_OF_RANGE + UNKNOWN_NAMES + MISSING + DANGLING + CONTRADICTIONS,
)
def test_a_bad_value_is_refused(folder, file, path, value, at, wanted):
    folder.change(path, value, file)
    message = refusal()
    assert message.startswith(f"config/{file}.yaml: {at}: ")
    assert len(message) < 1000
    for words in wanted:
        assert words in message


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "", "a b", "a\n", "A", "1a"])
@pytest.mark.parametrize(
    "part", ["problems", "runs", "figures", "figures.fig2.runs", f"{PROBLEM}.references", f"{FIGURE}.claims"]
)
def test_a_name_that_is_no_name_is_refused(folder, part, name):
    block = next(iter(shipped(part).values()))
    folder.write(PAPER, changed(SHIPPED[PAPER], [*keys(part), name], block))
    message = refusal()
    assert message.startswith("config/max_margin.yaml: ")
    assert f"{name!r} {A_NAME}" in message


@pytest.mark.parametrize(
    ("path", "value"),
    [(f"{RUN}.problem", "../x"), (f"{FIGURE}.runs.0", "a/b"), (f"{SERIES}.run", ".."), (f"{RUN}.baseline", "")],
)
def test_a_reference_that_is_no_name_is_refused(folder, path, value):
    folder.change(path, value)
    assert refusal() == f"config/max_margin.yaml: {path}: {value!r} {A_NAME}"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a:\n\tb: 1", "line 2: "),
        ("a: [1\n", "line 2: "),
        ("a: 1\nb: 2\na: 3", "line 3: duplicate key 'a'"),
        ("a: {b: 1, b: 2}", "line 1: duplicate key 'b'"),
        ("1: a", "line 1: key 1 is not text"),
        ("no: a", "line 1: key False is not text"),
        ("[a]: b", "line 1: key ['a'] is not text"),
        ("- a", "must hold keys and values, not list"),
        ("a", "must hold keys and values, not str"),
        ("", "must hold keys and values, not NoneType"),
        ("# only a comment", "must hold keys and values, not NoneType"),
        (b"\x00\x01\xff", "is not a text file"),
        ("title: \x00", "cannot be read"),
        ("a: *b", "line 1: found undefined alias"),
        ("a: 1\n---\nb: 2", "line 2: but found another document"),
        ("a: !!python/object:os.system b", "line 1: could not determine a constructor"),
        ("a: !!bool maybe", "cannot be read"),
        ("a: !!int ''", "cannot be read"),
        ("a: 2023-99-99", "month must be in 1..12"),
        (f"a: {2**63}", "line 1: this number is too large"),
        (f"a: 0x{'f' * 5000}", "line 1: this number is too large"),
        (f"a: {'9' * 5000}", "4300 digits"),
        ("title: &a {b: *a}", "title: {'b': {'b': {'b': {...}}}} is not text"),
        ("title: &a [*a]", "title: "),
        ("problems: &a {b: *a}\ntitle: t\narxiv: a", "problems.b.kind: this key is required"),
        ("defaults: &a {run: *a}", "title: this key is required"),
        ("scales: &a {laptop: *a}", "unknown key: 'laptop'"),
        ("title: &a {<<: *a}", "title: {} is not text"),
        ("a: {<<: 3}", "line 1: expected a mapping"),
    ],
)  # fmt: skip
def test_bad_yaml_is_refused(folder, text, wanted):
    Path("config/max_margin.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    message = refusal()
    assert message.startswith("config/max_margin.yaml: ")
    assert wanted in message


def test_a_value_that_multiplies_itself_is_refused(folder):
    lines = ["a: &a0 [x, x]", *(f"b{k}: &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, 60)), "title: *a59"]
    Path("config/max_margin.yaml").write_text("\n".join(lines))
    assert len(refusal()) < 1000


@pytest.mark.parametrize("name", ["config", PAPER])
def test_a_file_that_cannot_be_read_is_refused(folder, name):
    file = Path("config", f"{name}.yaml")
    file.unlink()
    file.symlink_to("nowhere")
    assert refusal() == f"{file}: cannot be read (No such file or directory)"


def test_a_missing_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal() == "config/config.yaml: cannot be read (No such file or directory)"


def test_a_paper_without_plots_is_refused(folder):
    folder.write("maxmargin", {})
    Path("config/max_margin.yaml").unlink()
    assert refusal().startswith(
        "config/maxmargin.yaml: paper 'maxmargin' is not one of fast_rates, max_margin, mirror_descent"
    )


@pytest.mark.parametrize(
    ("overrides", "wanted"),
    [
        ({"scal": "smoke"}, "--config: 'scal' is not one of data, data_mirror, device, max_margin, scale, shards"),
        ({"scale": "huge"}, "config/config.yaml with --config: scale: 'huge' is not one of smoke, laptop"),
        ({PAPER: "smoke"}, f"--config: max_margin: 'smoke' {A_MAPPING}"),
        ({PAPER: None}, f"--config: max_margin: None {A_MAPPING}"),
        ({PAPER: {"title": None}}, "config/max_margin.yaml with --config: title: this key is required"),
        ({PAPER: {"runs": {"several": {"steps": "0"}}}},
         "config/max_margin.yaml with --config: runs.several.steps: 0 is not greater than or equal to 1"),
        ({PAPER: {"runs": {"several": {"loss": "hinge"}}}},
         "config/max_margin.yaml with --config: runs.several.loss: 'hinge' is not one of correlation"),
    ],
)  # fmt: skip
def test_a_bad_override_is_refused(folder, overrides, wanted):
    assert refusal(overrides).startswith(wanted)


@pytest.mark.parametrize("scale", SCALES)
def test_the_shipped_configuration_loads_at_every_scale(scale):
    loaded = load_config(ROOT / "config", {"scale": scale})
    assert loaded.settings.scale == scale
    papers = {name: content for name, content in SHIPPED.items() if name != "config"}
    assert loaded.figures() == [f"{paper}/{name}" for paper in papers for name in papers[paper]["figures"]]
    for paper, problem, run in (without_shard(id)[0].split("/") for id in Jobs(loaded).runs):
        assert loaded.papers[paper].runs[run].problem == problem


def test_blocks_of_an_overlay_may_differ_in_a_few_values(folder):
    claims = {"as_{name}": {"each": {"name": ["a", "b"], "step": [0, 200]}, "measured": {"step": "{step}"}}}
    paper = SHIPPED[PAPER]
    for name in ("as_a", "as_b"):
        paper = changed(paper, keys(f"figures.fig1a.claims.{name}"), shipped(CLAIM))
    folder.write(PAPER, changed(paper, ["scales"], {"smoke": {"figures": {"fig1a": {"claims": claims}}}}))
    loaded = folder.load(scale="smoke").papers[PAPER].figures["fig1a"].claims
    assert [loaded[name].measured.step for name in ("as_a", "as_b")] == [0, 200]
    changed_each = {"as_{name}": {"each": {"name": "a"}}}
    folder.write(PAPER, changed(paper, ["scales"], {"smoke": {"figures": {"fig1a": {"claims": changed_each}}}}))
    assert refusal().startswith("config/max_margin.yaml: scales.smoke.figures.fig1a.claims.as_{name}.each: ")


def test_an_overlay_changes_its_scale_only(folder):
    spacing = {
        scale: folder.load(scale=scale).papers[PAPER].runs["basin"].training.start["p"].spacing for scale in SCALES
    }
    assert spacing == {"smoke": 0.5, "laptop": 0.2, "workstation": 0.2, "paper": 0.2}


def test_a_run_s_own_reference_may_be_of_another_norm(folder):
    folder.change("runs.random_small.references.selected", {"kind": "lp_attention_svm", "exponent": 3})
    own = folder.load().papers[PAPER].runs["random_small"].references["selected"]
    assert (own.kind, own.exponent) == ("lp_attention_svm", 3.0)


def test_a_setting_left_out_has_its_default(folder):
    folder.write("config", {})
    assert folder.load().settings.model_dump(exclude_none=True) == {
        "scale": "laptop", "shards": 1, "device": "cpu", "data": "embedded",
    }  # fmt: skip


def test_what_the_command_line_leaves_as_text_is_read(folder):
    run = {"optimizer": {"kind": "gd", "step_size": "1e-3"}, "steps": "500", "measures": {"norm": "null"}}
    figures = {"fig1c": {"title": "a: b", "claims": "null"}}
    paper = folder.load(max_margin={"runs": {"several": run}, "figures": figures}).papers[PAPER]
    assert paper.runs["several"].training.optimizer.model_dump() == {"kind": "gd", "step_size": 0.001}
    assert paper.runs["several"].training.steps == 500
    assert "norm" not in paper.runs["several"].measures
    assert paper.figures["fig1c"].title == "a: b"
    assert paper.figures["fig1c"].claims == {}


@pytest.mark.parametrize(
    ("given", "optimizer"),
    [
        ({"step_size": 0.5}, {"kind": "normalized_gd", "step_size": 0.5, "decay": 0.0, "epsilon": 0.0}),
        (
            {"kind": "normalized_gd", "epsilon": 1.0},
            {"kind": "normalized_gd", "step_size": 0.1, "decay": 0.0, "epsilon": 1.0},
        ),
        ({"kind": "gd", "step_size": 2.0}, {"kind": "gd", "step_size": 2.0}),
    ],
    ids=["merged", "same-kind-merged", "other-kind-replaces"],
)
def test_a_block_is_laid_on_the_default(folder, given, optimizer):
    folder.change(f"{RUN}.optimizer", given)
    assert folder.load().papers[PAPER].runs["single_global"].training.optimizer.model_dump() == optimizer


def test_groups_of_two_runs_are_compared_where_they_are_the_same(folder):
    claim = shipped("figures.fig9a.claims.like_global")
    measured = claim["measured"] | {"statistic": "mean", "versus": {"run": "random_large", "compare": "ratio"}}
    paper = changed(SHIPPED[PAPER], keys("figures.fig9a.runs"), ["random_small", "random_large"])
    compared = {"compared": claim | {"measured": measured, "expected": {"reported": True}}}
    paper = changed(paper, keys("figures.fig9a.claims"), compared)
    folder.write(PAPER, paper)
    d = SHIPPED[PAPER]["problems"]["random_n6_t8"]["d"]
    assert folder.load().papers[PAPER].figures["fig9a"].claims["compared"].measured.by == "d"
    folder.write(PAPER, changed(paper, keys("problems.random_n6_t8.d"), [*d[:1], 3, *d[2:]]))
    assert "compared.measured.by: the two runs need the same groups, random_small has (" in refusal()


def test_starts_of_two_runs_are_compared_where_there_are_as_many(folder):
    versus = {"run": "single_global", "compare": "ratio"}
    measured = {"run": "constant_step", "series": "norm_p", "statistic": "mean", "step": 200, "each_start": True}
    claim = shipped(CLAIM) | {"measured": measured | {"versus": versus}, "expected": {"reported": True}}
    figure = shipped(FIGURE) | {"runs": ["constant_step", "single_global"], "claims": {"compared": claim}}
    paper = changed(SHIPPED[PAPER], keys(FIGURE), figure)
    folder.write(PAPER, paper)
    message = "measured.each_start: the two runs need as many starts, constant_step has 1 and single_global has 6"
    assert refusal().endswith(message)
    folder.write(PAPER, changed(paper, keys(f"{RUN}.start"), {"p": [[0, 1]]}))
    assert folder.load().papers[PAPER].figures["fig1a"].claims["compared"].measured.each_start


def test_null_removes_what_a_block_inherits(folder):
    run = {"weights_trained": {"measures": {"probability": None}}}
    before = folder.load().papers[PAPER].runs["weights_trained"].measures
    assert {"probability", "lemma1"} <= before.keys()
    figure = next(name for name, block in SHIPPED[PAPER]["figures"].items() if "weights_trained" in block["runs"])
    by_command = {"figures": {figure: {"runs": run}}}
    left = {name: measure for name, measure in before.items() if name != "probability"}
    assert folder.load(max_margin=by_command).papers[PAPER].runs["weights_trained"].measures == left
    folder.write(PAPER, changed(SHIPPED[PAPER], keys("scales.laptop"), by_command))
    assert folder.load().papers[PAPER].runs["weights_trained"].measures == left


def test_a_kind_that_is_inherited_may_be_repeated(folder):
    run = {"kind": "gradient_descent", "optimizer": {"kind": "normalized_gd", "step_size": 0.2}}
    before = folder.load().papers[PAPER].runs["single_global_float32"].training
    assert before.optimizer.epsilon == 1e-9
    paper = folder.load(max_margin={"runs": {"single_global_float32": run}}).papers[PAPER]
    after = paper.runs["single_global_float32"].training
    assert after == before.model_copy(update={"optimizer": before.optimizer.model_copy(update={"step_size": 0.2})})


def test_a_run_that_gets_the_kind_of_the_defaults_inherits_them(folder):
    run = {"kind": "gradient_descent", "problem": "single_input_global", "start": {"p": [[0, 0]]}}
    figures = dict.fromkeys(name for name, block in SHIPPED[PAPER]["figures"].items() if "path_1b" in block["runs"])
    loaded = folder.load(max_margin={"runs": {"path_1b": run}, "figures": figures})
    assert loaded.papers[PAPER].runs["path_1b"].training.optimizer.kind == shipped("defaults.run.optimizer.kind")


def test_a_block_that_gets_the_kind_of_its_default_inherits_it(folder):
    before = shipped("runs.constant_step.optimizer")
    assert before["kind"] != shipped("defaults.run.optimizer.kind")
    for given in ({"kind": "normalized_gd"}, shipped("defaults.run.optimizer")):
        optimizer = {"runs": {"constant_step": {"optimizer": given}}}
        loaded = folder.load(max_margin=optimizer).papers[PAPER].runs["constant_step"].training.optimizer
        assert (loaded.kind, loaded.step_size) == ("normalized_gd", shipped("defaults.run.optimizer.step_size"))
    folder.change("scales.laptop", {"runs": {"constant_step": {"optimizer": None}}})
    loaded = folder.load(max_margin={"runs": {"constant_step": {"optimizer": {"step_size": 2}}}})
    assert loaded.papers[PAPER].runs["constant_step"].training.optimizer.model_dump()["kind"] == "normalized_gd"


def test_runs_that_a_scale_replaced_do_not_come_back(folder):
    plain = {"claims": None, "plot": {"kind": "fig1", "xlim": [-1, 1], "ylim": [-1, 1]}}
    folder.change("scales.laptop", {"figures": {"fig2": plain | {"runs": ["single_global"]}}})
    another = {"problem": "single_input_global", "start": {"p": [[0, 0]]}}
    paper = folder.load(max_margin={"figures": {"fig2": {"runs": {"another": another}}}}).papers[PAPER]
    assert paper.figures["fig2"].runs == ("another",)
    assert "basin" not in paper.runs


def test_what_two_layers_remove_is_gone(folder):
    runs = {"runs": {"tied_starts": None}}
    plain = {"claims": None, "plot": {"kind": "fig1", "xlim": [-1, 1], "ylim": [-1, 1]}}
    folder.change("scales.laptop", {"figures": {"fig2": None, "ext_ties": plain | runs}})
    paper = folder.load(max_margin={"figures": {"fig2": None, "ext_ties": runs}}).papers[PAPER]
    assert "fig2" not in paper.figures
    assert "tied_starts" not in paper.runs


@pytest.mark.parametrize("path", ["runs.several", "figures.fig1a", "figures.fig2.runs.basin"])
def test_an_empty_block_in_the_file_is_refused(folder, path):
    folder.change(path, None)
    assert refusal() == f"config/max_margin.yaml: {path}: None {A_MAPPING}"


def test_runs_in_a_figure_can_be_taken_away_and_added(folder):
    own = {"in_cone": None, "another": {"problem": "single_input_global", "start": {"p": [[0, 0]]}}}
    plain = {"runs": own, "claims": None, "plot": {"kind": "fig1", "xlim": [-1, 1], "ylim": [-1, 1]}}
    paper = folder.load(max_margin={"figures": {"fig2": plain}}).papers[PAPER]
    assert paper.figures["fig2"].runs == ("basin", "another")
    assert "in_cone" not in paper.runs
    assert paper.runs["another"].training.optimizer.kind == shipped("defaults.run.optimizer.kind")


def test_runs_of_a_figure_become_runs_of_the_paper(folder):
    paper = folder.load().papers[PAPER]
    assert paper.figures["fig2"].runs == ("basin", "in_cone")
    assert paper.runs["in_cone"].training.optimizer == paper.runs["single_local"].training.optimizer


def test_a_figure_without_a_plot_has_the_one_of_its_name(folder):
    figure = {key: value for key, value in shipped("figures.fig3c").items() if key != "plot"}
    folder.change("figures.fig3_probabilities", figure)
    assert folder.load().papers[PAPER].figures["fig3_probabilities"].plot.kind == "fig3_probabilities"


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("a: [1e-3, 1E5, -2.5e+1, .5e1, 1.e2]", {"a": [0.001, 1e5, -25.0, 5.0, 100.0]}),
        ("a: [e3, 1e, 1e-3x, 1-3]", {"a": ["e3", "1e", "1e-3x", "1-3"]}),
        ("a: &a {b: 1, c: 2}\nd: {<<: *a, b: 3}", {"a": {"b": 1, "c": 2}, "d": {"b": 3, "c": 2}}),
        ("x: {y: {z: &z {<<: &a {b: 1, c: 2}, b: 3}}}\nd: {<<: *z, c: 4}",
         {"x": {"y": {"z": {"b": 3, "c": 2}}}, "d": {"b": 3, "c": 4}}),
        (f"a: [{2**63 - 1}, {-(2**63)}]", {"a": [2**63 - 1, -(2**63)]}),
    ],
)  # fmt: skip
def test_yaml_is_read_as_it_looks(tmp_path, text, content):
    file = tmp_path / "a.yaml"
    file.write_text(text)
    assert load_yaml(file) == content


def test_reading_the_configuration_imports_nothing_heavy():
    code = (
        "import sys; from pathlib import Path; from attention_dynamics.config.load import load_config\n"
        "load_config(Path('config'), {}); print(*sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONPATH": str(ROOT / "workflow")},
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    heavy = {"torch", "pandas", "matplotlib", "seaborn", "sklearn", "cvxpy", "numba", "snakemake"}
    assert heavy.isdisjoint(printed.split())


@pytest.mark.workflow
def test_snakemake_prints_one_line_and_starts_nothing(tmp_path):
    repository = fresh(tmp_path / "repository")
    file = repository.root / "config" / "max_margin.yaml"
    good = file.read_text()
    override = "max_margin={runs: {several: {optimizer: {step_size: -1}}}}"
    for text, arguments, wanted in (
        (good.replace("loss: logistic", "loss: logistik"), (), "loss: 'logistik' is not one of correlation"),
        (good.replace("runs:\n", "runs:\n\t", 1), (), "config/max_margin.yaml: line "),
        (good, ("--config", override), "runs.several.optimizer.step_size: -1 is not greater than 0"),
    ):
        file.write_text(text)
        done = repository.snakemake("figures/all", *arguments, ok=False)
        (line,) = (line for line in done.stdout.splitlines() if not line.startswith("Using workflow specific profile"))
        assert done.returncode == 1
        assert wanted in line
    assert not (repository.root / "results").exists()
    assert not any("jobid" in log.read_text() for log in repository.root.glob(".snakemake/log/*"))


def test_a_paper_changed_on_the_command_line_says_so_in_every_label():
    changed = Jobs(load_config(ROOT / "config", {"max_margin": {"problems": {"multiple_inputs": {"seed": 3}}}}))
    plain = Jobs(load_config(ROOT / "config", {"scale": "smoke"}))
    assert changed.get("draw", "max_margin/fig1c").spec["fidelity"] == "exact, changed by --config"
    assert plain.get("draw", "max_margin/fig1c").spec["fidelity"] == "exact"
