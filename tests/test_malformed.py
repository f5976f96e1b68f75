"""Any mistake in a configuration file or a setting is one line that names the place, before anything is planned."""

import copy
import re
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_dynamics.config import load as config
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import load_config
from attention_dynamics.config.schema import Settings
from attention_dynamics.config.yaml_file import load_yaml
from conftest import ROOT

SHIPPED = {file.stem: load_yaml(file) for file in sorted((ROOT / "config").glob("*.yaml"))}
PAPERS = [name for name in SHIPPED if name != "config"]
# Blocks whose keys are names of the reader's own, and mappings that plug-ins take as they are.
FREE = {"problems", "runs", "figures", "references", "claims", "start", "where", "each", "measures"}
CHOICES = {"kind", "statistic", "fidelity", "basis", "loss", "precision", "compare", "activation", "algorithm"}
NAMES = {"problems", "runs", "figures", "claims"}
BAD_NAMES = ["../outside", "a/b", "/tmp/a", "..", ".hidden", "a b", "A", "a-b", "a.b", "1st", "", "a\nb", "a*", "~"]


def blocks(tree, path=()):
    """Every mapping with its path; those that stand for several are left out, as their own keys say so."""
    if isinstance(tree, dict):
        yield path, tree
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        if key not in ("scales", "defaults") and not (isinstance(value, dict) and "each" in value):
            yield from blocks(value, (*path, key))


def places(wanted):
    return [
        (paper, path, key)
        for paper in PAPERS
        for path, block in blocks(SHIPPED[paper])
        for key in wanted(path, block)
    ]  # fmt: skip


UNKNOWN = places(lambda path, block: ["unknown_key"] if path and not FREE & {path[-1]} and "start" not in path else [])
WRONG_CHOICE = places(lambda path, block: [key for key in block if key in CHOICES and isinstance(block[key], str)])
WRONG_TYPE = places(
    lambda path, block: [
        key for key, value in block.items()
        if "start" not in path and "each" not in path and isinstance(value, bool | int | float | str)
    ]
)  # fmt: skip
WRONG_NAME = places(
    lambda path, block: [key for key, one in block.items() if "each" not in one] if path and path[-1] in NAMES else []
)


def edited(paper, path, change):
    """The paper's content with a change made to the block at a path."""
    content = copy.deepcopy(SHIPPED[paper])
    block = content
    for key in path:
        block = block[key]
    change(block)
    return content


def load(folder, read, overrides):
    """Load these files' contents, as if they were all that the folder has."""
    for file in folder.iterdir():
        file.unlink()
    for name in read:
        (folder / f"{name}.yaml").touch()
    with mock.patch.object(config, "load_yaml", lambda file: dict(read[file.stem])):
        return load_config(folder, overrides)


def check(folder, paper, path, content, named):
    with pytest.raises(ConfigError) as raised:
        load(folder, {"config": SHIPPED["config"], paper: content}, {})
    said = str(raised.value)
    assert len(said.splitlines()) == 1
    assert re.match(rf"\S*{paper}\.yaml: ", said)
    assert named in said
    assert not path or str(path[-1]) in said


MANY = settings(
    max_examples=250, derandomize=True, deadline=None, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip


@MANY
@given(st.data())
def test_a_malformed_file_is_refused_by_file_and_key(tmp_path, data):
    mistake = data.draw(st.sampled_from(["unknown key", "wrong choice", "wrong type", "wrong name"]))
    match mistake:
        case "unknown key":
            paper, path, key = data.draw(st.sampled_from(UNKNOWN))
            content = edited(paper, path, lambda block: block.update({key: 1}))
        case "wrong choice":
            paper, path, key = data.draw(st.sampled_from(WRONG_CHOICE))
            content = edited(paper, path, lambda block: block.update({key: f"{block[key]}_x"}))
        case "wrong type":
            paper, path, key = data.draw(st.sampled_from(WRONG_TYPE))
            content = edited(paper, path, lambda block: block.update({key: {"a": {"b": []}}}))
        case "wrong name":
            paper, path, name = data.draw(st.sampled_from(WRONG_NAME))
            key = data.draw(st.sampled_from(BAD_NAMES))
            content = edited(paper, path, lambda block: block.update({key: block.pop(name)}))
    check(tmp_path, paper, path, content, repr(key) if mistake == "wrong name" else key)


WRONG_VALUES = {
    "scale": ["big", "Laptop", 3, "smoke,laptop", ["laptop"], {"a": 1}],
    "shards": [0, -1, 1.5, "many", [2], {"a": 1}],
    "device": ["gpu", "cuda:0", 1, ["cpu"], True],
    "data": ["internet", "mirror", 0, ["embedded"]],
    "data_mirror": ["/somewhere", 5, ["a"], {"a": 1}],
    **{paper: [1, "runs", ["runs"], {"runs": 1}, {"nothing": {}}, {"problems": {"../x": {}}}] for paper in PAPERS},
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key in WRONG_VALUES for value in WRONG_VALUES[key]])
def test_a_wrong_value_of_a_setting_is_refused_by_name(key, value):
    with pytest.raises(ConfigError) as raised:
        load_config(ROOT / "config", {key: value})
    said = str(raised.value)
    assert len(said.splitlines()) == 1
    assert re.search(rf"--config: (.* )?{key}\b|/{key}\.yaml with --config: ", said)


@settings(max_examples=50, derandomize=True, deadline=None, database=None)
@given(st.text(min_size=1, max_size=12).filter(lambda key: key not in {*Settings.model_fields, *PAPERS}), st.integers())
def test_an_unknown_setting_is_refused_with_those_that_there_are(key, value):
    with pytest.raises(ConfigError, match=r"^--config: .* is not one of .*shards") as raised:
        load_config(ROOT / "config", {key: value})
    assert len(str(raised.value).splitlines()) == 1


def parts(tree, path=()):
    """Everything in a tree, with its path."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
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


@settings(MANY, max_examples=120)
@given(st.sampled_from(PARTS), JUNK, st.dictionaries(st.sampled_from(["scale", "device", PAPERS[0]]), JUNK, max_size=1))
def test_junk_anywhere_loads_or_is_refused(tmp_path, part, junk, overrides):
    name, path, _ = part

    def put(block):
        block[path[-1]] = junk

    papers = {"config", name, PAPERS[0], *overrides} & SHIPPED.keys()
    read = {each: SHIPPED[each] for each in papers} | {name: edited(name, path[:-1], put)}
    message = ""
    try:
        load(tmp_path, read, overrides)
    except ConfigError as error:
        message = str(error)
    assert len(message.splitlines()) <= 1
