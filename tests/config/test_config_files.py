"""The files of the configuration: their size, their JSON schema, the reference of keys, and the files of a figure."""

import json
import re
import shutil
import subprocess
import sys

import jsonschema
import pytest
import yaml

from attention_dynamics.config import json_schema, key_reference
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import load_config
from attention_dynamics.config.schema import BASES
from attention_dynamics.gallery import explore
from attention_dynamics.registry import PACKAGE
from conftest import ROOT
from helpers.published_config import CONFIG_FOLDER, published_config, shipped_config, shipped_files

# The schema is that of the papers' files.
OTHERS = {ROOT / "config/compare/all.yaml", ROOT / "config/config.yaml"}
FILES = sorted({*shipped_files(ROOT), *ROOT.glob("examples/*/config/*/*.yaml")} - OTHERS)
CONFIG = published_config()
VALIDATOR = jsonschema.Draft202012Validator(json_schema.schema())
MAX_LINES, MAX_CHARACTERS = 300, 140


def test_files_are_short_and_name_schema_without_anchors():
    for file in FILES:
        lines = file.read_text().splitlines()
        assert len(lines) < MAX_LINES
        assert max(map(len, lines)) < MAX_CHARACTERS
        comment, _, path = lines[0].partition("$schema=")
        assert comment == "# yaml-language-server: "
        assert (file.parent / path).resolve() == json_schema.FILE
        events = yaml.parse(file.read_text(), yaml.SafeLoader)
        assert not [event for event in events if getattr(event, "anchor", None)]


def test_files_fit_schema():
    # As editors read them, so that a number has to be one for YAML 1.1 too: 1.0e-3, not 1e-3.
    for file in FILES:
        if file.is_relative_to(ROOT / "config"):
            content = yaml.safe_load(file.read_text())
            errors = [f"{error.json_path}: {error.message[:200]}" for error in VALIDATOR.iter_errors(content)]
            assert errors == [], file


GOOD = {"title": "T", "shows": "S", "fidelity": "exact", "runs": ["one"]}
WRONG = [
    {"rns": {}},
    {"runs": {"one": {"problem": "data", "optimizer": {"kind": "gd", "step_sise": 1}}}},
    {"runs": {"one": {"problem": "data", "optimizer": {"kind": "gd", "step_size": -1}}}},
    {"runs": {"one": {"kind": "gradient_descent", "problem": "data", "loss": "logistics"}}},
    {"runs": {"one": {"problem": "data", "measures": {"nrm": {}}}}},
    {"defaults": {"run": {}}},
    {"defaults": {"runs": {"stepps": 10}}},
    {"scales": {"smoke": {"default": {}}}},
    {"scales": {"small": {}}},
    {"figures": {"fig1": GOOD | {"panels": {"a": {"x": 1}}}}},
    {"figures": {"fig1": GOOD | {"fidelity": "good"}}},
]


def test_schema_refuses_same_values_as_pipeline():
    assert VALIDATOR.is_valid({"figures": {"fig1": GOOD}})
    assert [wrong for wrong in WRONG if VALIDATOR.is_valid(wrong)] == []


def test_schema_is_current():
    text = json_schema.FILE.read_text()
    assert text == json_schema.format_schema(), f"renew it: {json_schema.COMMAND}"
    assert json.loads(text) == json_schema.schema()
    assert len(text.splitlines()) == len(json_schema.schema()["$defs"]) + 3


def test_key_reference_describes_every_component():
    page = key_reference.page()
    for base in BASES:
        assert all(f"\n### {kind}\n" in page for kind in json_schema.classes(base)), base


def test_paper_modules_belong_to_config_file_or_are_used_by_one():
    figures = [figure for paper in CONFIG.papers.values() for figure in paper.figures.values()]
    used = {figure.plot.kind.rpartition(".")[0] for figure in figures}
    # The interactive page writes configuration files, too.
    copied = re.findall(r"plot: \{kind: (\w+)\.", (explore.FOLDER / "copy.js").read_text())
    used |= {f"max_margin.{module}" for module in copied}
    for paper, content in CONFIG.papers.items():
        folder = PACKAGE / "papers" / paper
        texts = "\n".join(file.read_text() for file in folder.glob("*.py"))
        for module in (file.stem for file in folder.glob("[a-z]*.py")):
            if module.endswith("_claims"):
                assert module.removesuffix("_claims") in content.files
            else:
                assert f"{paper}.{module}" in used or f"papers.{paper}.{module} import" in texts, module
        others = ("_expected", "statements")
        for numbers in (file.stem for file in folder.glob("*.csv") if not file.stem.endswith(others)):
            assert re.search(rf'published(_numbers)?\(__file__, "{numbers}"\)', texts), numbers
            assert (folder / f"{numbers}.csv").read_text().startswith("# source: ")


def test_files_except_shared_have_figures():
    for paper in CONFIG.papers.values():
        for name, content in paper.files.items():
            assert bool(content.figures) == (name != "shared")


@pytest.mark.slow
@pytest.mark.parametrize("module", ["gallery.preview", "gallery.typeset_report"])
def test_command_without_its_files_ends_with_one_line(module, tmp_path):
    command = [sys.executable, "-m", f"attention_dynamics.{module}"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert re.search(r"README.md|claims.csv|config", line)


def test_readers_files_are_not_among_shipped(tmp_path):
    (tmp_path / "config").mkdir()
    shutil.copy(CONFIG_FOLDER / "config.yaml", tmp_path / "config")
    shutil.copytree(CONFIG_FOLDER / "max_margin", tmp_path / "config/max_margin")
    shipped = shipped_files(tmp_path)
    assert shipped_config(tmp_path, tmp_path / "copy") == tmp_path / "config"
    own = {
        "mine/fig.yaml": "title: Mine\n",
        "max_margin/ext_kind.yaml": "runs: {one: {optimizer: {kind: my_steps}}}\n",
        "max_margin/ext_drawn.yaml": "figures: {ext_drawn: {}}\n",
        "variants/try.yaml": "max_margin: {}\n",
    }
    for name in ("plugins/optim/my_steps.py", "plugins/papers/max_margin/ext_drawn_claims.py", *own):
        (tmp_path / "config" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "config" / name).write_text(own.get(name, ""))
    copy = shipped_config(tmp_path, tmp_path / "copy")
    assert copy == tmp_path / "copy"
    assert shipped_files(tmp_path) == shipped
    assert {file.relative_to(copy) for file in copy.rglob("*.yaml")} == {
        file.relative_to(tmp_path / "config") for file in shipped
    }
    with pytest.raises(ConfigError):
        load_config(tmp_path / "config", {})
    assert list(load_config(copy, {}).papers) == ["max_margin"]
