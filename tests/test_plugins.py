"""A plug-in is a module that defines the function of its kind; what may be configured is read from its source."""

import inspect
import shutil

import pytest
from pydantic import TypeAdapter, ValidationError

from attention_dynamics.block_types import Strict
from attention_dynamics.pipeline import plugins, source
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.plugins import LOSS, MEASURE, MODEL, OPTIMIZER, PROBLEM, REFERENCE, Kind
from attention_dynamics.pipeline.schema import block
from attention_dynamics.pipeline.signatures import arguments_model

KINDS = [PROBLEM, REFERENCE, MODEL, LOSS, OPTIMIZER, MEASURE, plugins.NETWORK, plugins.DEEP_OPTIMIZER,
         plugins.plot("max_margin")]  # fmt: skip
PLUGINS = [pytest.param(kind, name, id=f"{kind.folder}/{name}") for kind in KINDS for name in kind.names()]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package, which the plug-ins are then looked up in."""
    copy = tmp_path / source.NAME
    shutil.copytree(source.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(source, "PACKAGE", copy)
    return copy


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.folder)
def test_the_plugins_are_the_modules_that_define_the_function(kind):
    files = sorted((source.PACKAGE / kind.folder).glob("[!_]*.py"))
    functions = {file.stem: getattr(kind.load(file.stem), kind.function, None) for file in files}
    own = [name for name, function in functions.items() if function and function.__module__ == kind.module(name)]
    assert kind.names() == own


def test_a_folder_that_does_not_exist_has_no_plugins():
    assert plugins.plot("nobody").names() == []


@pytest.mark.parametrize(("kind", "name"), PLUGINS)
def test_what_may_be_configured_is_the_keyword_only_arguments(kind, name):
    fields = arguments_model(kind, name, Strict).model_fields
    parameters = inspect.signature(kind.call(name)).parameters.values()
    expected = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    assert {key: inspect.Parameter.empty if f.is_required() else f.default for key, f in fields.items()} == expected


@pytest.mark.parametrize(("kind", "name"), PLUGINS)
def test_an_unknown_argument_is_refused(kind, name):
    with pytest.raises(ValidationError) as caught:
        arguments_model(kind, name, Strict).model_validate({"unheard": 1})
    assert ("unheard",) in {error["loc"] for error in caught.value.errors()}


@pytest.mark.parametrize(("kind", "name"), [p for p in PLUGINS if p.values[0] in (MEASURE, MODEL, REFERENCE)])
def test_constants_read_from_the_source_are_those_of_the_module(kind, name):
    constant = {MEASURE: "SERIES", MODEL: "PARAMETERS", REFERENCE: "PARAMETER"}[kind]
    assert kind.constant(name, constant) == getattr(kind.load(name), constant)


def test_a_constant_that_is_missing_is_named():
    with pytest.raises(LookupError, match=r"attention_dynamics\.optim\.gd defines no SPEED"):
        OPTIMIZER.constant("gd", "SPEED")


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("speed: Speed", "'Speed' is not made of the types in "),
        ("speed: list[Speed]", "'list[Speed]' is not made of the types in "),
        ("speed", "'no annotation' is not made of the types in "),
        ("speed: np.float64", "'np.float64' is not made of the types in "),
        ("speed: types.Speed", "'types.Speed' is not made of the types in "),
        ("speed: Positive[int]", "'Positive[int]' is not made of the types in "),
        ("speed: Positive = FAST", "the default 'FAST' is not a literal"),
        ("speed: Positive = 2 * 3", "the default '2 * 3' is not a literal"),
    ],
)
def test_an_argument_that_cannot_be_checked_is_named(package, argument, wrong):
    file = package / "optim" / "new.py"
    file.write_text(f"def step(parameter, gradient, *, {argument}):\n    return parameter\n")
    with pytest.raises(ConfigError) as caught:
        arguments_model(OPTIMIZER, "new", Strict)
    assert str(caught.value).startswith(f"{file}: step: speed: ")
    assert wrong in str(caught.value)


def test_a_new_file_is_a_new_plugin(package):
    shipped = OPTIMIZER.names()
    (package / "optim" / "new.py").write_text(
        "def step(parameter, gradient, *, speed: Positive = 2):\n    return parameter\n"
    )
    (package / "optim" / "helper.py").write_text(
        "def _step():\n    pass\n\n\nclass Inner:\n    def step(self):\n        pass\n"
    )
    assert OPTIMIZER.names() == sorted([*shipped, "new"])
    assert arguments_model(OPTIMIZER, "new", Strict)().speed == 2


def test_a_kind_may_have_a_single_plugin(package):
    (package / "optim" / "gd.py").unlink()
    only = TypeAdapter(block(Kind("optim", "step")))
    assert only.validate_python({"kind": "normalized_gd", "step_size": 1}).step_size == 1
    with pytest.raises(ValidationError, match="normalized_gd"):
        only.validate_python({"kind": "gd", "step_size": 1})
