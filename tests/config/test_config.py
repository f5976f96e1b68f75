"""A bad configuration is refused in one line: the file, the key, what is wrong, what is allowed."""

import functools
import math
import operator
import re
import shutil
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from attention_dynamics.attention.models.model import Model
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
from helpers.published_config import CONFIG_FOLDER, REMOVED, change_value, published_config
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

PROBLEM = "problems.single_input_global"
RUN = "runs.single_global"
FIGURE = "figures.fig1a"
STEP_SIZE = "runs.constant_step.optimizer.step_size"
POINTS = "runs.basin.start.p"
PANEL = "figures.ext_precision.plot.panel.0"
OPTIMIZERS = ", ".join(kinds(Optimizer))
MEASURES = ", ".join(kinds(Measure))
A_NAME = "is not a name (at most 100 lower-case letters, digits and underscores, starting with a letter)"
A_MAPPING = "is not a mapping of keys to values"


def keys(path: str) -> list[str | int]:
    return [int(key) if key.isdigit() else key for key in path.split(".")]


def file_of(path: str, paper: str = PAPER) -> str:
    """Return the file that a path leads into: of a block the one that defines it, of other keys shared.yaml."""
    part, *rest = path.split(".")
    blocks = {file: content.get(part, {}) for file, content in SHIPPED[paper].items() if part in PARTS and rest}
    files = (file for file, names in blocks.items() if rest[0] in names)
    return next(files, "shared")


def shipped(path: str, paper: str = PAPER):
    return functools.reduce(operator.getitem, keys(path), SHIPPED[paper][file_of(path, paper)])


def catch_refusal(overrides=None) -> str:
    line = refusal(load_config, Path("config"), overrides or {})
    assert len(line) < 1000
    return line


class Folder:
    """A copy of config/ with one paper below the working directory."""

    def use(self, paper: str, *files: str) -> None:
        """Have one paper, with all of its files or with some."""
        for path in Path("config").iterdir():
            if path.is_dir():
                shutil.rmtree(path)
        Path("config", paper).mkdir()
        for file in {*files} or SHIPPED[paper]:
            shutil.copy(CONFIG_FOLDER / paper / f"{file}.yaml", Path("config", paper))

    def write(self, name: str, content) -> None:
        """Write "config" or "<paper>/<file>"."""
        file = Path("config", f"{name}.yaml")
        file.parent.mkdir(exist_ok=True)
        file.write_text(yaml.dump(content, Dumper=yaml.CSafeDumper))

    def change(self, path: str, value, paper: str = PAPER) -> None:
        """Change the file that a path leads into."""
        file = file_of(path, paper)
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


def case(path, value, *wanted, at="", file=PAPER):
    """Return a value at a path of a paper's files, or of config.yaml, and the expected message.

    at: where the message is, if elsewhere; a path below the value's begins with a dot.
    """
    shown = "removed" if value is REMOVED else repr(value)[:30]
    place = f"{path}{at}" if at.startswith(".") else at or path
    return pytest.param(file, path, value, place, wanted, id=f"{path}={shown}")


def cases(message, values, file=PAPER):
    """Return a case for each of the values, path -> list, that are refused with one message."""
    return [case(path, value, message, file=file) for path, several in values.items() for value in several]


def unknown(block, *allowed, **place):
    path = f"{block}.unheard" if block else "unheard"
    return case(path, 1, "'unheard' is not one of", *allowed, **place)


# Every block of every file: tests/config/test_malformed.py; every component: tests/test_registry.py.
UNKNOWN_KEYS = [
    unknown("", "scale, shards, device, precision, data, data_mirror", file="config"),
    unknown("", "problems, runs, figures, title, arxiv, explore, defaults, scales"),
    case("a\nb", 1, "'a\\nb' is not one of problems", at="a b"),
    unknown(f"{PROBLEM}.inputs.0", "tokens, scores, label"),
    unknown(RUN, "kind, steps, record_every, record_digits, model, loss, optimizer, head_optimizer, start, precision"),
    case(f"{RUN}.start.q", [[0, 1]], "'q' is not one of p, W, v"),
    unknown(POINTS, "x, y, spacing"),
    case("runs.basin.measures.unheard", {}, "'unheard' is not one of", MEASURES),
    unknown(FIGURE, "title, shows, fidelity, note, asserts, measured, runs, plot, panels"),
    case(f"{FIGURE}.plot.ylimm", [0, 1], "'ylimm' is not one of kind, xlim, ylim, zoom, last_step", "mean 'ylim'?)"),
    unknown(PANEL, "title, runs, reference, trajectories, ylim"),
    case("defaults.unheard", {}, "'unheard' is not one of problems, runs", at="defaults"),
    unknown("defaults.runs", "steps", "(from defaults in config/max_margin/shared.yaml)",
            at="runs.joint_relaxed.unheard"),
    case("scales.unheard", {}, "'unheard' is not one of smoke, laptop, workstation, paper", at="scales"),
    case("scales.laptop", {"unheard": 1}, "unknown key", at="unheard"),
]  # fmt: skip

WRONG_TYPES = [
    case("title", ["x" * 50] * 50, "..."),
    case(f"{RUN}.start.p", [0, 1], "is not a valid list", at=".0"),
    case(f"{RUN}.measures", {"norm": True}, A_MAPPING, at=".norm"),
    case(f"{PROBLEM}.lmm_set", "yes", "is not a valid boolean"),
    case(f"{PROBLEM}.inputs.0.label", "1", "is not one of -1, 1"),
    case(f"{PROBLEM}.inputs.0.scores.0", None, "is not a valid number or text"),
    *cases("is not one of optimal or a valid list", {f"{PROBLEM}.references.lmm.select": [3, "best"]}),
    *cases("is not text", {"title": [3], "arxiv": [2306.13596], f"{RUN}.problem": [3]}),
    *cases("is not a valid integer", {f"{RUN}.steps": ["1000", True, 1.5], "problems.multiple_inputs.seed": [1.0]}),
    *cases("is not a valid number", {STEP_SIZE: ["0.1", True], f"{RUN}.start.p.0.1": ["a"]}),
    *cases("is not a valid list", {f"{RUN}.start.p": [3], f"{FIGURE}.runs": ["single_global"],
                                   f"{FIGURE}.plot.xlim": [3]}),
    *cases(A_MAPPING, {
        "problems": [None, [1]], PROBLEM: [None], f"{PROBLEM}.references": [[]], "problems.multiple_inputs": [None],
        "runs": [3], RUN: ["single_local"], f"{RUN}.loss": [None], f"{RUN}.optimizer": [3], f"{RUN}.start": [[[0, 1]]],
        "runs.joint_all.head_optimizer": [[]], "runs.several": [None],
        "figures": ["all"], FIGURE: [3, None], f"{FIGURE}.plot": ["fig1"],
        "defaults": [None], "defaults.runs": [[]], "scales": [[]], "scales.smoke": [3], "scales.laptop": [None],
    }),
]  # fmt: skip

OUT_OF_RANGE = [
    *cases("greater than 0", {STEP_SIZE: [0, -0.1], f"{POINTS}.spacing": [0]}),
    *cases("a finite number", {STEP_SIZE: [math.nan, math.inf], f"{RUN}.start.p.0.0": [-math.inf]}),
    *cases("greater than or equal to 0", {
        "runs.single_global_float32.optimizer.epsilon": [-1e-9], f"{PROBLEM}.references.lmm.select.0": [-1],
    }),
    *cases("greater than or equal to 1", {
        f"{RUN}.steps": [0], f"{RUN}.record_every": [-1], f"{RUN}.record_digits": [0],
        "problems.multiple_inputs.n": [0], "problems.random_n4_t6.d": [0],
    }),
    case("shards", 0, "0 is not greater than or equal to 1", file="config"),
    case("runs.basin.measures.limit.converged", 1.5, "less than or equal to 1"),
    *cases("of length 1 or more", {
        f"{RUN}.start": [{}], f"{RUN}.start.p": [[]], f"{PROBLEM}.inputs": [[]], f"{PROBLEM}.inputs.0.tokens": [[]],
        "problems.two_scores.settings.C": [[]], "problems.random_n4_t6.d": [[]], f"{FIGURE}.runs": [[]],
    }),
    case(f"{FIGURE}.plot.xlim", [1], "of length 2 or more"),
    case(f"{PROBLEM}.inputs.0.tokens.0", [1, 2, 3], "of length 2 or less"),
    case(f"{PROBLEM}.references.gmm", {"kind": "lp_attention_svm", "exponent": 1}, "greater than 1", at=".exponent"),
    case(f"{PROBLEM}.references.gmm", {"kind": "lp_label_svm", "exponent": 10.5}, "less than or equal to 10",
         at=".exponent"),
    case(f"{RUN}.optimizer", {"kind": "gd", "step_size": [0.1, -0.2]}, "greater than 0", at=".step_size.1"),
    case(f"{RUN}.start.p", {"of_problem": [0]}, "problem single_input_global provides 0 starts for p",
         at=".of_problem"),
    case(f"{RUN}.start.p", {"of_problem": "all"}, "is not a valid list", at=".of_problem"),
    case(f"{POINTS}.x", [-1e30, 1e30], "more than 1000000 points", at=POINTS),
]  # fmt: skip

UNKNOWN_NAMES = [
    case("scale", "huge", "'huge' is not one of smoke, laptop, workstation, paper", file="config"),
    case("scale", 3, "3 is not one of smoke, laptop, workstation, paper", file="config"),
    case("device", "tpu", "cpu, cuda", "did you mean 'cpu'?", file="config"),
    case("device", None, "cpu, cuda", file="config"),
    case("precision", "bfloat", "float32, bfloat16", "did you mean 'bfloat16'?", file="config"),
    case(f"{PROBLEM}.kind", "cube", ", ".join(kinds(ProblemSource))),
    case(f"{PROBLEM}.references.gmm.kind", "svc", ", ".join(kinds(Reference))),
    case(f"{RUN}.model", {"kind": "mlp"}, ", ".join(kinds(Model)), at=".kind"),
    case(f"{RUN}.loss", "logistik", "correlation, exponential, logistic", "did you mean 'logistic'?"),
    case("runs.constant_step.optimizer.kind", "rmsprop", OPTIMIZERS),
    case("runs.constant_step.optimizer.kind", ["gd"], f"['gd'] is not one of {OPTIMIZERS}"),
    case("runs.joint_relaxed_float32.head_optimizer.kind", 3, f"3 is not one of {OPTIMIZERS}"),
    case(f"{RUN}.precision", "float16", "stable, float64, float32"),
    case(f"{RUN}.measures", {"speed": {}}, MEASURES, at=".speed"),
    case(f"{FIGURE}.fidelity", "good", "exact, declared, reconstructed, stand-in, extension"),
    case(f"{FIGURE}.plot.kind", "pie", "is not <module>.<function> or <paper>.<module>.<function>"),
    case(f"{FIGURE}.plot.kind", "fig11.draw", "'fig11' is not one of convergence, ext_", "(did you mean 'fig1'?)"),
    case(f"{FIGURE}.plot.kind", "fast_rate.fig1.draw", "'fast_rate' is not one of fast_rates, max_margin",
         "(did you mean 'fast_rates'?)"),
    case(f"{FIGURE}.plot.kind", "max_margin.fig3.draw_path", "is not one of draw_all, draw_paths, draw_probabilities",
         "(did you mean 'draw_paths'?) (in max_margin.fig3.draw_path)"),
    case(f"{FIGURE}.runs", ["single_global", "single_local"], "max_margin.fig1.draw draws one run, not 2"),
    case(f"{RUN}.problem", "../x", f"'../x' {A_NAME}"),
    case(f"{RUN}.problem", "", f"'' {A_NAME}"),
    case(f"{FIGURE}.runs.0", "a/b", f"'a/b' {A_NAME}"),
]  # fmt: skip

MISSING = [
    *cases("this key is required", {path: [REMOVED] for path in (
        f"{PROBLEM}.kind", f"{PROBLEM}.inputs", f"{RUN}.problem", f"{RUN}.start", f"{POINTS}.y",
        # A run of another kind than the defaults inherits nothing from them.
        "runs.random_small.measures",
        f"{FIGURE}.title", f"{FIGURE}.runs", f"{FIGURE}.plot.xlim",
    )}),
    case(f"{FIGURE}.plot", REMOVED, "required", at=".xlim"),
    case(f"{RUN}.optimizer", "gd", "this key is required", at=".step_size"),
    case(f"{RUN}.optimizer", {"kind": "gd"}, "required", at=".step_size"),
    case(f"{RUN}.head_optimizer", {"step_size": 1}, "required", at=".kind"),
    case(f"{RUN}.model", {"kind": "weight_attention"}, "required", at=".query"),
]  # fmt: skip

OTHER_FILE, OF_OTHER_FILE = next((file, problem) for file, content in SHIPPED[PAPER].items() if file != "shared"
                                 for problem in content.get("problems", {}))  # fmt: skip
DANGLING = [
    case(f"{RUN}.problem", "single_input", "single_input_global, single_input_local", "did you mean"),
    case(f"{FIGURE}.runs", ["constant_step"], "'constant_step' belongs to fig4.yaml; move it to shared.yaml"),
    case("runs.constant_step.problem", OF_OTHER_FILE,
         f"{OF_OTHER_FILE!r} belongs to {OTHER_FILE}.yaml; move it to shared.yaml"),
    case(f"{FIGURE}.runs", ["nobody"], "several, vit, single_global"),
    case("runs.tied_basin.external_references", {"other": {"run": "tied", "reference": "own"}},
         "'tied' is not one of tied_starts, tied_path", at=".other.run"),
    case("runs.basin.measures.limit.cone", "head", "gmm, lmm"),
    case("figures.fig2.plot.grid", "several", "basin, in_cone"),
    case("figures.fig2.plot.cone", "head", "gmm, lmm"),
    case("figures.fig4b.plot.series", "norm_v", "correlation_gmm, logistic, norm_p"),
    case(f"{PANEL}.runs", ["several"], "single_global_float64", at=".0"),
    case(f"{PANEL}.reference", "nobody", "gmm, head, lmm, relaxed"),
    case("runs.single_local.measures", {"selection": {"reference": "gmm"}}, "'gmm' is not one of (there are none)",
         at=".selection.reference"),
    case("runs.random_small.measures.selection.reference", "gmm", "'gmm' is not one of selected"),
]  # fmt: skip

# Settings that contradict each other, or the problem; most of them are with the tests of problems and trainings.
CONTRADICTIONS = [
    *cases("1 token indices below 3", {f"{PROBLEM}.references.lmm.select": [[3], [0, 1]]}),
    case(f"{PROBLEM}.references.lmm_set", {"kind": "attention_svm"}, "reserved"),
    case(f"{PROBLEM}.inputs", [{"tokens": [[0, 1]], "scores": [1]}], "single token", at=f"{PROBLEM}.lmm_set"),
    case("problems.two_scores.settings", {"D": [1]}, "'C' is not one of the settings", at="problems.two_scores.inputs"),
    *cases("a single problem with a fixed head", {"problems.two_scores.lmm_set": [True],
                                                  "problems.all_support_vectors.lmm_set": [True]}),
    case("problems.random_n4_t6.T", 1, "single token (T = 1)", at="runs.random_small.references.selected"),
    case(f"{RUN}.start.p", [[0, 0, 0, 0]], "4 coordinates", "single_input_global has 3"),
    case(f"{RUN}.training", {"kind": "gradient_descent"}, "'training' is not one of kind, steps"),
    case(f"{PROBLEM}.source", {"kind": "scored_tokens"}, "'source' is not one of kind, inputs"),
    case(f"{RUN}.measures", {"mine": {"kind": "norm"}}, "the key is the kind", at=".mine"),
    case(f"{RUN}.measures", {"norm": "probability"}, "the key is the kind", at=".norm"),
    case(f"{RUN}.references", {"mine": {"kind": "attention_svm"}}, "needs a run with one start"),
    case("runs.constant_step.references", {"gmm": {"kind": "attention_svm"}}, "taken by a reference of problem",
         at=".gmm"),
    case("runs.random_small.loss", "logistic", "unknown key", "steps, step_size, precision, epsilon"),
    case("runs.random_small.references.selected.select", [0, 0, 0, 0], "remove select",
         at="runs.random_small.references.selected"),
    case("runs.random_small.references.selected.kind", "tied_svm", "tied_svm cannot be a reference of a run",
         at="runs.random_small.references.selected"),
    case("runs.random_small.measures.rates", {}, "needs the setting loss, which runs of kind span_descent do not have"),
    case("runs.random_small.measures.norm_bounds", {"reference": "selected"}, "needs the setting optimizer"),
    case("problems.linear.T", 1, "no inputs", at="problems.linear", file="mirror_descent"),
    case("problems.near_svm.T", 1, "must be at least 2", file="mirror_descent"),
    case("problems.from_zero.T", 1, "token (T = 1)", at="problems.from_zero.references.q175", file="mirror_descent"),
    case("runs.growth.references", {"a": {"kind": "attention_svm"}}, "cannot have references", file="scan_and_snap"),
    case("problems.small.references", {"a": {"kind": "attention_svm"}}, "this one has sequences",
         file="scan_and_snap"),
    case("problems.overlapping.overlap", 1, "less than 1", file="scan_and_snap"),
    case("problems.sizes_50.lmm_set", True, "this one has vocabulary", file="scan_and_snap"),
    case("runs.growth.measures", {"composition": {}}, "measures sequences, but problem sizes_1000_10 has vocabulary",
         at=".composition", file="scan_and_snap"),
    case("runs.sgd.measures", {"norm": {}}, "measures tokens", at=".norm", file="scan_and_snap"),
    case("runs.rays_linear.measures", {"mixing": {}, "rates": {}}, "mixing and rates both have the series log_"),
    case("figures.table_imdb.plot", {"kind": "fig_vit.draw"}, "does not define tabulate, which tables need",
         file="mirror_descent"),
]  # fmt: skip


COLUMNS = ("file", "path", "value", "at", "wanted")


@pytest.mark.parametrize(COLUMNS, UNKNOWN_KEYS + WRONG_TYPES + OUT_OF_RANGE + UNKNOWN_NAMES + MISSING + CONTRADICTIONS)
def test_bad_value_is_refused(folder, file, path, value, at, wanted):
    # The other files would take most of the time.
    paper = PAPER if file == "config" else file
    folder.use(paper, "shared", file_of(path, paper), file_of(at, paper))
    refuse(folder, file, path, value, at, wanted)


@pytest.mark.parametrize(COLUMNS, DANGLING)
def test_name_of_nothing_is_refused(folder, file, path, value, at, wanted):
    refuse(folder, file, path, value, at, wanted)


def refuse(folder, file, path, value, at, wanted):
    if file == "config":
        folder.write("config", change_value(load_yaml(ROOT / "config/config.yaml"), keys(path), value))
    else:
        folder.change(path, value, file)
    message = catch_refusal()
    place = "config/config.yaml" if file == "config" else f"config/{file}/{file_of(at, file)}.yaml"
    assert message.startswith(f"{place}: {at}: ")
    for words in wanted:
        assert words in message


KEYS_TO_VALUES = "must be a mapping of keys to values"
# Nine times nine times ... values, and two times two times ...
ALIASES = [f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in pairwise("abcdefghi")]
DOUBLED = ["a: &a0 [x, x]", *(f"b{k}: &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, 60)), "title: *a59"]
TOO_DEEP = "has more than 100 blocks within each other"
# What is said -> content of a file.
BAD_YAML = {
    "line 2: ": ["a:\n\tb: 1", "a: [1\n"],
    "line 3: duplicate key 'a'": ["a: 1\nb: 2\na: 3"],
    "line 1: duplicate key 'b'": ["a: {b: 1, b: 2}"],
    "line 1: key 1 is not text": ["1: a"],
    "line 1: key False is not text": ["no: a"],
    "line 1: key None is not text": ["runs: {~: {}}\n"],
    "line 1: key ['a'] is not text": ["[a]: b"],
    "line 2: key ['a', 'b'] is not text": ["runs:\n  ? [a, b]\n  : {}\n"],
    f"{KEYS_TO_VALUES}, not list": ["- a"],
    f"{KEYS_TO_VALUES}, not str": ["a"],
    f"{KEYS_TO_VALUES}, not int": ["42\n"],
    f"{KEYS_TO_VALUES}, not NoneType": ["", "# only a comment"],
    "is not a text file": [b"\x00\x01\xff", b"runs: {\xe9t\xe9: 1}\n"],
    "cannot be read": ["title: \x00", "a: !!bool maybe"],
    "line 1: found undefined alias": ["a: *b"],
    "line 2: but found another document": ["a: 1\n---\nb: 2"],
    "line 1: could not determine a constructor": ["a: !!python/object:os.system b", "runs: !thing {a: 1}\n"],
    "line 1: '' is not the same number": ["a: !!int ''"],
    "month must be in 1..12": ["a: 2023-99-99"],
    "line 1: this integer does not fit into 64 bits": [f"a: {2**63}", f"a: 0x{'f' * 5000}"],
    "4300 digits": [f"a: {'9' * 5000}"],
    TOO_DEEP: ["title: &a {b: *a}", "title: &a [*a]", f"a: {'[' * 101}{']' * 101}"],
    f"line 1: {TOO_DEEP}": [
        f"{'? ' * 1001}x", "[" * 25_000, '["]", ' * 25_000 + "]" * 25_000,
        "runs: " + "{a: " * 5000 + "1" + "}" * 5000,
    ],
    **{f"line 2: {number!r} is not the same number in YAML 1.1 and 1.2": [f"a: 1\nb: {number}"] for number in (
        "010", "09", "0o10", "1:30", "1:30.5", "1_000", "1_0.5", "0b11", "-0x1F", "0x_1F", "+0_1",
    )},
    **{f"line 2: {number} is too small or too large": [f"a: 1\nb: {number}"]
       for number in ("1e400", "-1e-400", ".1e999", "0.01e-330")},
    "title: {} is not text": ["title: &a {<<: *a}"],
    "line 1: expected a mapping": ["a: {<<: 3}"],
    # Malformed files that somebody thought of without looking at the checks.
    "": [
        "runs: {}\n".encode("utf-16"), 'figures:\n  fig4: {title: "never ends}\n', "# much\n" * 300_000,
        "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(ALIASES) + "runs: *i\n", "\n".join(DOUBLED),
    ],
}  # fmt: skip


@pytest.mark.slow
def test_bad_yaml_is_refused(folder):
    folder.use(PAPER, "shared")
    for wanted, texts in BAD_YAML.items():
        for text in texts:
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


def test_settings_may_lie_beside_config(folder):
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
    ({PAPER: {"runs": []}}, f"--config: max_margin.runs: [] {A_MAPPING}"),
    ({PAPER: {"rnus": {}}}, f"{SHARED}rnus: unknown key: 'rnus' is not one of"),
    (functools.reduce(lambda inner, _: {PAPER: inner}, range(3000), {}), "--config: has more than 100 blocks within"),
]
# Paper -> part and name of a block, what is said, and keys of the block of which that is said.
BAD_BLOCKS = {
    PAPER: [
        ("runs", "several", f"{FIG1}steps: 0 is not greater than or equal to 1", {"steps": "0"}),
        ("runs", "several", f"{FIG1}steps: '010' is not a valid integer", {"steps": "010"}),
        ("runs", "several", f"{FIG1}steps: '1:30' is not a valid integer", {"steps": "1:30"}),
        ("runs", "several", f"{FIG1}steps: '[[[", {"steps": "[" * 25_000}),
        ("runs", "several", f"{FIG1}loss: 'hinge' is not one of correlation", {"loss": "hinge"}),
        ("runs", "single_global", f"measures: None {A_MAPPING}", {"measures": None}),
        ("runs", "mine", f"{SHARED}runs.mine.steps: this key is required", {"problem": "nothing"}),
        ("runs", "new", "runs.new.steps: this key is required, and so are optimizer, start",
         {"kind": "gradient_descent", "problem": "multiple_inputs"}),
        ("runs", "constant_stp", f"{SHARED}runs.constant_stp.optimizer.kind: this key is required "
         "(no file of this paper has runs.constant_stp)", {"optimizer": {"step_size": 1}}),
        ("figures", "fig4a", "the second larger than the first", {"plot": {"ylim": [1, 1]}}),
        # What would fill the memory, or overflow.
        ("runs", "constant_step", f"runs.constant_step: {MEMORY} ", {"steps": 10**11}),
        ("runs", "basin", MEMORY, {"start": {"p": {"spacing": 0.02}}, "record_every": 1}),
        ("problems", "multiple_inputs", f"'../x' {A_NAME}", {"references": {"../x": {"kind": "attention_svm"}}}),
        ("problems", "random_n4_t6", MEMORY, {"trials": 10**10}, {"n": 10**5}, {"T": 10**9}),
        ("runs", "constant_step", "is not less than or equal to 1e+12", {"steps": 10**14}),
        ("runs", "constant_step", "not less than or equal to 1e+30", {"optimizer": {"step_size": 1e300}}),
        ("problems", "multiple_inputs", "not less than or equal to 1e+30", {"spread": 1e308}),
        ("problems", "random_n4_t6", "is not less than or equal to", {"seed": 2**40}),
        # Malformed blocks that somebody thought of without looking at the checks.
        ("runs", "constant_step", "", {"steps": 1e400}, {"steps": "\uff11e"}, {"start": {"p": [[]]}}, {"": 1},
         {"optimizer": {"kind": "../gd"}}, {"optimizer": {"kind": "__init__"}},
         {"start": {"p": {"x": [0, 1], "y": [0, 1], "spacing": 1e-300}}}),
        ("problems", "random_n4_t6", "", {"n": 10**6, "T": 10**6}, {"d": [10**12]}),
        ("problems", "multiple_inputs", "", {"references": {"lmm_set": "attention_svm"}}),
        ("figures", "fig4a", "", {"plot": {"kind": ".."}}, {"plot": {"kind": "fig4.os"}}, {"plot": {"shown": 10**15}},
         {"runs": [["constant_step"]]}),
    ],
    "mirror_descent": [("problems", "hundred", MEMORY, {"d": 10**4})],
    "scan_and_snap": [
        ("problems", "small", MEMORY, {"batch": 10**9}),
        ("problems", "small", "classes are too many", {"num_last": 10**9}),
        ("problems", "one_common", "is not less than or equal to 100", {"classes": 10**9}),
        ("runs", "growth", MEMORY, {"points": 10**10}),
    ],
}  # fmt: skip
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


@pytest.mark.slow
def test_bad_override_is_refused(folder):
    for overrides, wanted in BAD_OVERRIDES:
        assert wanted in catch_refusal(overrides)
    for key, values in WRONG_SETTINGS.items():
        for value in values:
            message = catch_refusal({key: value})
            assert re.search(rf"--config: (.* )?{key}\b|/{key}/\w+\.yaml with --config: ", message)
    for paper, rows in BAD_BLOCKS.items():
        folder.use(paper)
        for part, name, wanted, *blocks in rows:
            for block in blocks:
                assert wanted in catch_refusal({paper: {part: {name: block}}})


def test_shards_and_limit_make_room(folder):
    many = {PAPER: {"problems": {"random_n4_t6": {"trials": 10**5}}}}
    assert "more than max_memory_gb: 4;" in catch_refusal(many)
    folder.load(**many, shards=100)
    folder.load(**many, max_memory_gb=100)


@pytest.mark.parametrize("scale", SCALES)
def test_shipped_configuration_loads_at_every_scale(scale):
    loaded = published_config(scale)
    assert loaded.settings.scale == scale
    figures = {f"{paper}/{name}" for paper, files in SHIPPED.items() for content in files.values()
               for name in content.get("figures", {})}  # fmt: skip
    assert set(loaded.figures()) == figures
    assert len(loaded.figures()) == len(figures)
    for paper, problem, run in (without_shard(id)[0].split("/") for id in Jobs(loaded).runs):
        assert loaded.papers[paper].runs[run].problem == problem


def test_figures_are_sorted_by_number_and_drawn_by_module_of_their_file():
    figures = published_config().papers[PAPER].figures
    names = list(figures)
    assert names.index("fig2") < names.index("fig9a") < names.index("fig10")
    assert "kind" not in shipped("figures.fig4a.plot")
    assert figures["fig4a"].plot.kind == "max_margin.fig4.draw"


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


def test_override_changes_block_of_other_file_and_adds_one_to_shared_yaml(folder):
    run = {**shipped("runs.constant_step"), "steps": 200}
    plot = {**shipped("figures.fig4b.plot"), "kind": "fig4.draw"}
    figure = {**shipped("figures.fig4b"), "runs": ["mine"], "plot": plot}
    overrides = {
        "problems": {"multiple_inputs": {"n": 2}},
        "runs": {"constant_step": {"steps": 300}, "mine": run},
        "figures": {"mine": figure},
    }
    paper = folder.load(max_margin=overrides).papers[PAPER]
    assert paper.problems["multiple_inputs"].source.n == 2
    assert paper.files["fig4"].runs["constant_step"].training.steps == 300
    assert paper.files["shared"].runs["mine"].training.steps == 200
    assert paper.figures["mine"].runs == ("mine",)
    assert {file for file, place in paper.display_paths.items() if "--config" in place} == {"fig4", "shared"}


MERGED = {"kind": "normalized_gd", "step_size": 0.1, "decay": 0.0, "epsilon": 0.0}
# Optimizer in an overlay, and that of the run.
OVERLAYS = [
    ({"step_size": 0.5}, MERGED | {"step_size": 0.5}),
    ({"kind": "normalized_gd", "epsilon": 1.0}, MERGED | {"epsilon": 1.0}),
    # Another kind replaces all.
    ({"kind": "gd", "step_size": 2.0}, {"kind": "gd", "step_size": 2.0}),
]


def test_overlay_merges_into_block_of_same_kind(folder):
    file = file_of(RUN)
    for given, optimizer in OVERLAYS:
        overlay = {"runs": {"single_global": {"optimizer": given}}}
        by_command_line = folder.load(max_margin=overlay)
        folder.write(f"{PAPER}/{file}", {**SHIPPED[PAPER][file], "scales": {"laptop": overlay}})
        for loaded in (by_command_line, folder.load()):
            assert loaded.papers[PAPER].runs["single_global"].training.optimizer.model_dump() == optimizer
        folder.write(f"{PAPER}/{file}", SHIPPED[PAPER][file])


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


def test_paper_keys_belong_in_shared_yaml(folder):
    for key in ("title", "arxiv"):
        folder.write(f"{PAPER}/fig1", {**SHIPPED[PAPER]["fig1"], key: {}})
        place = f"config/max_margin/fig1.yaml: {key}: unknown key: "
        assert catch_refusal().startswith(f"{place}{key!r} is not one of problems, runs, figures")


def test_figure_accepts_plot_of_other_paper():
    plot = {**shipped("figures.fig4b.plot"), "kind": "max_margin.fig4.draw", "series": "loss", "last_step": 100}
    figure = {"title": "T", "shows": "s", "fidelity": "extension", "runs": ["sgd"], "plot": plot}
    loaded = load_config(CONFIG_FOLDER, {"scan_and_snap": {"figures": {"mine": figure}}})
    assert loaded.papers["scan_and_snap"].figures["mine"].plot.kind == "max_margin.fig4.draw"
    spec = Jobs(loaded).get("draw", "scan_and_snap/mine").spec
    assert "attention_dynamics.papers.max_margin.fig4" in spec["modules"]


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


def test_edit_of_file_changes_exact_figure(folder):
    def fidelity(figure, **overrides):
        return Jobs(folder.load(**overrides)).get("draw", f"max_margin/{figure}").spec["fidelity"]

    assert fidelity("fig1a") == fidelity("fig1c") == "exact"
    folder.change("problems.multiple_inputs.seed", 3)
    assert fidelity("fig1c") == "exact, changed"
    folder.change(RUN, shipped(RUN) | {"steps": 500})
    assert fidelity("fig1a") == fidelity("fig1a", scale="smoke") == "exact, changed"


SEED = {"problems": {"multiple_inputs": {"seed": 3}}}
JOINT, SIZES = "mirror_descent/fig_joint_path", "scan_and_snap/fig6"
# Figure, changes by the command line, and what follows its fidelity at the laptop and at the smoke scale.
FIDELITIES = [
    ("max_margin/fig4a", {}, "", ""),
    ("max_margin/fig4a", {"runs": {"constant_step": {"optimizer": {"step_size": 0.1}}}}, "changed", "changed"),
    ("max_margin/fig1c", SEED, "changed", "changed"),
    ("max_margin/fig1a", SEED, "", ""),
    ("max_margin/ext_regpath", SEED, "changed", "changed"),
    (JOINT, {}, "", "shortened"),
    (JOINT, {"figures": {"fig_joint_path": {"title": "Ours"}}}, "", "shortened"),
    (JOINT, {"runs": {"joint_exact_2": {"optimizer": {"step_size": 0.3}}}}, "changed", "shortened, changed"),
    (SIZES, {}, "", "shortened"),
    (SIZES, {"runs": {"medium_3": {"steps": 50}}}, "changed", "shortened, changed"),
    ("scan_and_snap/ext_fig6_zero_start", {"figures": {"fig6": {"title": "Ours"}}}, "changed", "changed"),
]


@pytest.mark.parametrize(("figure", "changes", "laptop", "smoke"), FIDELITIES)
def test_fidelity_names_all_that_differs(folder, figure, changes, laptop, smoke):
    paper, _ = figure.split("/")
    folder.use(paper)
    for scale, wanted in {"laptop": laptop, "smoke": smoke}.items():
        jobs = Jobs(folder.load(scale=scale, **{paper: changes}))
        labels = jobs.get("draw", figure).spec["fidelity"].split(", ")[1:]
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


@pytest.mark.slow
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
