"""Any mistake in a configuration file or a setting is one line that names the place, before anything is planned."""

import math
import re
import shutil
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.gradient_descent import GradientDescent
from attention_dynamics.attention.initialization import parse_starts
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.choices import format_value
from attention_dynamics.comparison.compare import compare
from attention_dynamics.compute import compute_run
from attention_dynamics.config import load as config
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import load_config
from attention_dynamics.config.schema import Settings
from attention_dynamics.config.yaml_file import load_yaml
from attention_dynamics.margins.attention_svm import AttentionSVM, attention_svm
from attention_dynamics.margins.label_svm import label_svm
from attention_dynamics.margins.local_optimality import assumption_b, local_optimality
from attention_dynamics.margins.relaxed_svm import relaxed_svm
from attention_dynamics.measures.norm import Norm
from attention_dynamics.optim.gd import GD
from attention_dynamics.optim.mirror_descent import entrywise_norm
from attention_dynamics.problems.problem import outer_keys, with_fixed_head
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.sequences.classes import published_classes
from attention_dynamics.sequences.sampling import draw
from attention_dynamics.sequences.sequence_training import train_pairs
from attention_dynamics.sequences.token_composition import recall
from attention_dynamics.store import save_arrays
from attention_dynamics.theory.span_dynamics import train_decoder
from attention_dynamics.training import recorded_steps
from conftest import ROOT
from helpers.published_config import CONFIG_FOLDER, change_value
from helpers.refusals import refusal

# "<paper>/<file>" -> content.
SHIPPED = {
    f"{file.parent.name}/{file.stem}": load_yaml(file)
    for file in sorted(CONFIG_FOLDER.glob("*/*.yaml"))
    # The comparison of optimizers is no paper; tests/config/test_comparison_settings.py has its mistakes.
    if file.parent.name != config.COMPARISON
}
SETTINGS = load_yaml(ROOT / "config/config.yaml")
PAPERS = sorted({name.split("/")[0] for name in SHIPPED})
# Blocks whose keys are names of the reader's own, and mappings that plug-ins take as they are.
FREE = {"problems", "runs", "figures", "panels", "references", "start", "where", "measures"}
CHOICES = {"kind", "fidelity", "loss", "precision", "activation", "algorithm"}
NAMES = {"problems", "runs", "figures"}
BAD_NAMES = [
    "../outside", "a/b", "/tmp/a", "..", ".hidden", "a b", "A", "a-b", "a.b", "1st", "", "a\nb", "a*", "~", "x" * 300,
]  # fmt: skip


def blocks(tree, path=()):
    """Yield every mapping with its path."""
    if isinstance(tree, dict):
        yield path, tree
    for key, value in items(tree):
        if key != "scales":
            yield from blocks(value, (*path, key))


def items(tree):
    return tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()


def mistakes(path, block):
    """Yield what is wrong with a changed block, the key that has to be named, and the block."""
    if path and path[-1] not in FREE and not {"start", "published"} & {*path}:
        yield "unknown key", "unknown_key", block | {"unknown_key": 1}
    for key, value in block.items():
        if key in CHOICES and isinstance(value, str):
            yield "wrong choice", key, block | {key: f"{value}_x"}
        if "start" not in path and isinstance(value, bool | int | float | str):
            yield "wrong type", key, block | {key: {"a": {"b": []}}}
        for name in BAD_NAMES if len(path) == 1 and path[0] in NAMES else ():
            yield "wrong name", format_value(name), {name if one == key else one: other for one, other in block.items()}


# Kind of mistake, and file, path, the changed block and the key that has to be named.
MISTAKES = [
    (kind, (file, path, changed, named))
    for file, content in SHIPPED.items()
    for path, block in blocks(content)
    for kind, named, changed in mistakes(path, block)
]
# One kind is made as often as another.
MADE = st.one_of([st.sampled_from([made for kind, made in MISTAKES if kind == one]) for one in dict(MISTAKES)])


def load(folder, read, overrides):
    """Load these files' contents, as if they were all that the folder has."""
    shutil.rmtree(folder)
    folder.mkdir()
    for name in read:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.yaml").touch()
    contents = {folder / f"{name}.yaml": content for name, content in read.items()}
    with mock.patch.object(config, "load_yaml", lambda file: dict(contents[Path(file).resolve()])):
        return load_config(folder, overrides)


def check(folder, file, path, changed, named):
    paper = file.split("/")[0]
    whole = {name: other for name, other in SHIPPED.items() if name.split("/")[0] == paper}
    content = change_value(SHIPPED[file], path, changed)
    said = refusal(load, folder, {"config": SETTINGS, **whole, file: content}, {})
    assert re.match(rf"\S*{file}\.yaml: |.* \(from defaults in \S*{file}\.yaml\)$", said)
    assert named in said
    assert not path or str(path[-1]) in said


MANY = settings(
    max_examples=100, derandomize=True, deadline=None, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip


@pytest.mark.slow
@MANY
@given(MADE)
def test_malformed_file_is_refused_with_file_and_key(tmp_path, mistake):
    check(tmp_path, *mistake)


@pytest.mark.long
@settings(MANY, max_examples=3000)
@given(MADE)
def test_any_malformed_file_is_refused_with_file_and_key(tmp_path, mistake):
    check(tmp_path, *mistake)


@pytest.mark.slow
@settings(max_examples=15, derandomize=True, deadline=None, database=None)
@given(st.text(min_size=1, max_size=12).filter(lambda key: key not in {*Settings.model_fields, *PAPERS}), st.integers())
def test_unknown_setting_is_refused_with_known_ones(key, value):
    line = refusal(load_config, CONFIG_FOLDER, {key: value})
    assert re.match(r"--config: .* is not one of .*shards", line)


def parts(tree, path=()):
    """Everything in a tree, with its path."""
    for key, value in items(tree):
        yield (*path, key), value
        yield from parts(value, (*path, key))


PARTS = [(name, path, value) for name, content in SHIPPED.items() for path, value in parts(content)]
WORDS = st.text(max_size=4) | st.sampled_from(["kind", "x", "p", "run", "reference", "statistic"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS
JUNK = st.recursive(
    SCALARS | st.sampled_from([value for *_, value in PARTS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=4,
)


@pytest.mark.slow
@settings(MANY, max_examples=120)
@given(st.sampled_from(PARTS), JUNK, st.dictionaries(st.sampled_from(["scale", "device", PAPERS[0]]), JUNK, max_size=1))
def test_random_content_loads_or_is_refused(tmp_path, part, junk, overrides):
    name, path, _ = part
    papers = {name.split("/")[0], *overrides} & {*PAPERS}
    whole = {file: content for file, content in SHIPPED.items() if file.split("/")[0] in papers}
    read = {"config": SETTINGS, **whole, name: change_value(SHIPPED[name], path, junk)}
    message = ""
    try:
        load(tmp_path, read, overrides)
    except ConfigError as error:
        message = str(error)
    assert len(message.splitlines()) <= 1


PROBLEM = RandomSphere(trials=2, n=2, T=3, d=4, seed=0).build()
CLASSES = published_classes(num_last=2, num_next_per_last=2)
KEYS, ORIGIN = PROBLEM.keys[0], {"p": np.zeros((1, 4))}
MODEL = PromptAttention().bind(PROBLEM, Logistic())
STEPS = {"p": GD(step_size=1.0)}
TRAINING = GradientDescent(
    model="prompt_attention", loss="logistic", optimizer=STEPS["p"], start={"p": [[0.0]]}, steps=1
)
OWN = {"own": AttentionSVM()}
SELECTED = np.array([0, 0])
WRONG_VALUES = {
    "no optimizers": lambda: descend(MODEL, {}, ORIGIN, record_steps=[1]),
    "no start": lambda: descend(MODEL, STEPS, {}, record_steps=[1]),
    "start of objects": lambda: descend(MODEL, STEPS, {"p": np.array([[None] * 4])}, record_steps=[1]),
    "records as text": lambda: descend(MODEL, STEPS, ORIGIN, record_steps="01"),
    "records of two axes": lambda: descend(MODEL, STEPS, ORIGIN, record_steps=[[0, 1]]),
    "complex tokens": lambda: with_fixed_head(PROBLEM.tokens * 1j, PROBLEM.labels, np.eye(4), PROBLEM.head),
    "a token for all": lambda: with_fixed_head(3, PROBLEM.labels, np.eye(4), PROBLEM.head),
    "no labels": lambda: with_fixed_head(PROBLEM.tokens, None, np.eye(4), PROBLEM.head),
    "no keys": lambda: attention_svm(None, None),
    "features of one axis": lambda: label_svm(KEYS[0, 0], np.array([1.0])),
    "decoder of one axis": lambda: train_decoder(np.zeros(3), [0], eta_Y=1.0, record_steps=[1]),
    "class that is not there": lambda: train_decoder(np.eye(3)[:, :2], [5], eta_Y=1.0, record_steps=[1]),
    "other data": lambda: compute_run(published_classes(num_last=1, num_next_per_last=1), TRAINING),
    "records down to 0": lambda: recorded_steps(-5),
    "no digits of records": lambda: recorded_steps(10, record_digits=0),
    "softmax of 2": lambda: compute_run(PROBLEM, TRAINING, own_references=OWN, saturated=2.0),
    "saturated NaN": lambda: compute_run(PROBLEM, TRAINING, own_references=OWN, saturated=math.nan),
    "numbers for supporting inputs": lambda: relaxed_svm(KEYS, SELECTED, np.array([2.0, 7.0])),
    "scores of other inputs": lambda: local_optimality(attention_svm(KEYS, SELECTED), np.zeros((3, 3))),
    "optimal tokens of other inputs": lambda: assumption_b(np.zeros((2, 3)), np.array([0])),
    "queries without inputs": lambda: outer_keys(PROBLEM.tokens, np.zeros(4)),
    "norm below 1": lambda: entrywise_norm(np.ones((1, 1, 2)), -3.0),
    "step size below 0": lambda: train_pairs(
        CLASSES, draw(CLASSES, seed=0, steps=2, mode="fast"), eta_Y=[-1.0], eta_Z=1.0, record_steps=[1]
    ),
    "logits of other queries": lambda: recall(CLASSES, np.zeros((2, 2)), thresholds=0.1),
    "start in other dimensions": lambda: compute_run(
        PROBLEM, TRAINING.model_copy(update={"start": {"p": parse_starts([[0.0] * 9])}})
    ),
}
WRONG_TYPES = {
    "model without problem": lambda: descend(PromptAttention(), STEPS, ORIGIN, record_steps=[1]),
    "measure as text": lambda: compute_run(PROBLEM, TRAINING, measures=["norm"]),
    "measure as class": lambda: compute_run(PROBLEM, TRAINING, measures=[Norm]),
    "reference as text": lambda: compute_run(PROBLEM, TRAINING, references={"gmm": "attention_svm"}),
    "problem as text": lambda: compare({"gd": STEPS["p"]}, {"mine": "fig1"}),
    "arrays without names": lambda: save_arrays("never.npz", [1, 2]),
}


def test_a_wrong_call_of_the_library_is_refused_in_one_line():
    for calls, error in ((WRONG_VALUES, ValueError), (WRONG_TYPES, TypeError)):
        for call in calls.values():
            assert refusal(call, error=error)
