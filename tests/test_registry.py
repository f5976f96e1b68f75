"""Components: found by kind, validated wherever they are made, the same in Python, YAML and JSON."""

import importlib

import pytest
from pydantic import ValidationError

from attention_dynamics.config.schema import BASES
from attention_dynamics.registry import NAME, PACKAGE, Component, Frozen, components, find, kinds
from attention_dynamics.types import Positive, PositivePerStart
from helpers.published_config import published_config

KINDS = [(base, kind) for base in BASES for kind in kinds(base)]
CONFIG = published_config()
CONFIGURED = [component for paper in CONFIG.papers.values() for component in components(paper.files)]


class Base(Component, packages=("optim",)):
    """A base of components for these tests."""


class Inner(Base, kind="inner"):
    """A component without settings."""


class Outer(Base, kind="outer"):
    """A component that holds another one."""

    length: Positive
    lengths: PositivePerStart = 1.0
    inner: Base | None = None


class Settings(Frozen):
    """A block that holds a component."""

    outer: Base


@pytest.fixture(autouse=True)
def found(monkeypatch):
    """The components of these tests are found by their kinds."""
    classes = {"inner": Inner, "outer": Outer}

    def find_here(base, kind):
        return classes[kind] if base is Base and kind in classes else find(base, kind)

    monkeypatch.setattr("attention_dynamics.registry.find", find_here)


def test_components_are_in_modules_of_their_names_or_bases_and_refuse_unknown_settings():
    for base, kind in KINDS:
        found = find(base, kind)
        assert found.kind == kind
        assert found.__module__ in {f"{NAME}.{package}{end}" for package in base.packages for end in ("", f".{kind}")}
        described = (found.__doc__ or "").strip()
        assert described, f"{found.__module__}: give class {found.__name__} a docstring, for config/schema.json"
        with pytest.raises(ValidationError) as caught:
            found.model_validate({"unheard": 1})
        assert ("unheard",) in {error["loc"] for error in caught.value.errors()}


def test_kinds_are_all_modules_that_declare_one():
    for base in BASES:
        declared = set()
        for package in base.packages:
            place = PACKAGE / package.replace(".", "/")
            for file in [*place.glob("[a-z]*.py"), *place.parent.glob(f"{place.name}.py")]:
                module = importlib.import_module(".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts))
                classes = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, base)]
                own = [one for one in classes if one.__module__ == module.__name__]
                declared |= {one.kind for one in own if "kind" in vars(one)}
        assert set(kinds(base)) == declared


def test_configured_components_survive_json():
    assert len(CONFIGURED) > 900
    for component in CONFIGURED:
        base = next(base for base in BASES if isinstance(component, base))
        again = base.of(component.model_dump(mode="json"))
        assert again == component
        assert type(again) is type(component)


def test_component_from_python_equals_component_from_mapping():
    outer = Outer(length=2, lengths=[1.0, 2.0], inner=Inner())
    block = {"kind": "outer", "length": 2.0, "lengths": [1.0, 2.0], "inner": {"kind": "inner"}}
    assert outer == Base.of(block)
    assert outer.model_dump(mode="json") == block
    assert Settings(outer=outer).model_dump(mode="json") == {"outer": block}
    assert hash(outer) == hash(Base.of(block))


def test_kind_alone_builds_component_without_settings():
    assert Base.of("inner") == Inner()
    assert Settings.model_validate({"outer": {"kind": "outer", "length": 1, "inner": "inner"}}).outer.inner == Inner()


def test_wrong_settings_are_refused_in_python():
    for wrong in (0, -1.0, float("inf"), float("nan"), "1", True, None, [1.0]):
        with pytest.raises(ValidationError):
            Outer(length=wrong)
    with pytest.raises(ValidationError, match="frozen"):
        Outer(length=1.0).length = 2.0


@pytest.mark.parametrize(
    ("given", "kind", "location"),
    [
        ({"kind": "outer", "length": 1, "inner": {"kind": "inner", "size": 1}}, "extra_forbidden", ("inner", "size")),
        ({"kind": "outer", "length": 1, "inner": {"kind": "other"}}, "unknown_kind", ("inner",)),
        ({"kind": "outer", "length": 1, "inner": {"size": 1}}, "missing_kind", ("inner",)),
        ({"kind": "outer", "length": 1, "inner": 3}, "model_type", ("inner",)),
        ({"kind": "outer", "length": -1}, "greater_than", ("length",)),
        ({"kind": 3}, "unknown_kind", ()),
        ({"kind": "../outer"}, "unknown_kind", ()),
        ({"kind": None}, "unknown_kind", ()),
        ({"kind": "optimizer"}, "unknown_kind", ()),
    ],
)
def test_errors_name_location(given, kind, location):
    with pytest.raises(ValidationError) as caught:
        Settings.model_validate({"outer": given})
    assert [(error["type"], error["loc"]) for error in caught.value.errors()] == [(kind, ("outer", *location))]


def test_components_are_found_in_nested_folders():
    inner = Inner()
    outer = Outer(length=1.0, inner=inner)
    assert list(components({"a": [outer], "b": (3, None)})) == [outer, inner]
