"""Any mistake in a configuration file or a setting is one line that names the place, before anything is planned."""

import copy
import re
import shutil
from pathlib import Path
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

# "<paper>/<file>" -> content.
SHIPPED = {
    f"{file.parent.name}/{file.stem}": load_yaml(file) for file in sorted((ROOT / "config").glob("*/*.yaml"))
}  # fmt: skip
SETTINGS = load_yaml(ROOT / "config/config.yaml")
PAPERS = sorted({name.split("/")[0] for name in SHIPPED})
# Blocks whose keys are names of the reader's own, and mappings that plug-ins take as they are.
FREE = {"problems", "runs", "figures", "references", "start", "where", "measures"}
CHOICES = {"kind", "fidelity", "loss", "precision", "activation", "algorithm"}
NAMES = {"problems", "runs", "figures"}
BAD_NAMES = ["../outside", "a/b", "/tmp/a", "..", ".hidden", "a b", "A", "a-b", "a.b", "1st", "", "a\nb", "a*", "~"]


def blocks(tree, path=()):
    """Every mapping with its path."""
    if isinstance(tree, dict):
        yield path, tree
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        if key not in ("scales", "defaults"):
            yield from blocks(value, (*path, key))


def places(wanted):
    return [
        (file, path, key)
        for file, content in SHIPPED.items()
        for path, block in blocks(content)
        for key in wanted(path, block)
    ]  # fmt: skip


UNKNOWN = places(lambda path, block: ["unknown_key"] if path and not FREE & {path[-1]} and "start" not in path else [])
WRONG_CHOICE = places(lambda path, block: [key for key in block if key in CHOICES and isinstance(block[key], str)])
WRONG_TYPE = places(
    lambda path, block: [
        key for key, value in block.items()
        if "start" not in path and isinstance(value, bool | int | float | str)
    ]
)  # fmt: skip
WRONG_NAME = places(lambda path, block: list(block) if path and path[-1] in NAMES else [])


def edited(file, path, change):
    """A file's content with a change made to the block at a path."""
    content = copy.deepcopy(SHIPPED[file])
    block = content
    for key in path:
        block = block[key]
    change(block)
    return content


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


def check(folder, file, path, content, named):
    paper = file.split("/")[0]
    whole = {name: other for name, other in SHIPPED.items() if name.split("/")[0] == paper}
    with pytest.raises(ConfigError) as raised:
        load(folder, {"config": SETTINGS, **whole, file: content}, {})
    said = str(raised.value)
    assert len(said.splitlines()) == 1
    assert re.match(rf"\S*{file}\.yaml: ", said)
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
            file, path, key = data.draw(st.sampled_from(UNKNOWN))
            content = edited(file, path, lambda block: block.update({key: 1}))
        case "wrong choice":
            file, path, key = data.draw(st.sampled_from(WRONG_CHOICE))
            content = edited(file, path, lambda block: block.update({key: f"{block[key]}_x"}))
        case "wrong type":
            file, path, key = data.draw(st.sampled_from(WRONG_TYPE))
            content = edited(file, path, lambda block: block.update({key: {"a": {"b": []}}}))
        case "wrong name":
            file, path, name = data.draw(st.sampled_from(WRONG_NAME))
            key = data.draw(st.sampled_from(BAD_NAMES))
            content = edited(file, path, lambda block: block.update({key: block.pop(name)}))
    check(tmp_path, file, path, content, repr(key) if mistake == "wrong name" else key)


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
    assert re.search(rf"--config: (.* )?{key}\b|/{key}/\w+\.yaml with --config: ", said)


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

    papers = {name.split("/")[0], *overrides} & {*PAPERS}
    whole = {file: content for file, content in SHIPPED.items() if file.split("/")[0] in papers}
    read = {"config": SETTINGS, **whole, name: edited(name, path[:-1], put)}
    message = ""
    try:
        load(tmp_path, read, overrides)
    except ConfigError as error:
        message = str(error)
    assert len(message.splitlines()) <= 1
