"""What the repository says about itself is true."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from conftest import ROOT
from helpers.locks import read_versions

LOCKED_EXTRAS = ("workflow", "deep", "data", "cluster", "dev")
# Conda's names of two packages that are called otherwise on PyPI.
CONDA_NAMES = {"pytorch-cpu": "torch", "matplotlib-base": "matplotlib"}


def load_lock() -> dict[str, str]:
    return read_versions(ROOT / "requirements.lock")


def test_conda_environments_match_lock():
    for environment in ("compute", "plot"):
        lines = (ROOT / "envs" / f"{environment}.yaml").read_text().splitlines()
        pins = dict(re.fullmatch(r"  - (\S+) =(\S+)", line).groups() for line in lines if " =" in line)
        assert pins.pop("python") == "3.11"
        assert len(pins) >= 7
        assert pins == {name: load_lock()[CONDA_NAMES.get(name, name)] for name in pins}


def unnamed_files(rules: str) -> list[str]:
    """Return inputs and outputs of rules without a name, and lambda functions."""
    lines = rules.splitlines()
    heads = [number for number, line in enumerate(lines) if line.strip() in ("input:", "output:")]
    assert heads
    first = [lines[number + 1].strip() for number in heads]
    unnamed = [line for line in first if not re.match(r"\w+=|unpack\(", line)]
    return unnamed + [line.strip() for line in lines if "lambda" in line]


def test_rules_name_inputs_and_outputs():
    for file in ("Snakefile", "workflow/rules/stages.smk", "workflow/rules/pages.smk"):
        assert unnamed_files((ROOT / file).read_text()) == []
    rules = '    input:\n        "x.csv",\n    output:\n        page="y",\n    params:\n        spec=lambda w: w,\n'
    assert unnamed_files(rules) == ['"x.csv",', "spec=lambda w: w,"]


# Modules whose files can run code when they are read, and readers that are safe only when told to be.
UNSAFE = {"pickle", "_pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "cloudpickle"}
SAFE = {"np": ("allow_pickle", False), "numpy": ("allow_pickle", False), "torch": ("weights_only", True)}
READ_BY_PANDAS = {"read_pickle", "read_hdf"}


def find_pickle_loading(file: Path) -> list[str]:
    """What a file of the library does that could run code from a file that it reads."""
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Import(names=names):
                found += [alias.name for alias in names if alias.name.split(".")[0] in UNSAFE]
            case ast.ImportFrom(module=str(module), names=names):
                load = module in SAFE and any(alias.name == "load" for alias in names)
                found += [module] if load or module.split(".")[0] in UNSAFE else []
            case ast.Attribute(attr=name) if name in READ_BY_PANDAS:
                found.append(name)
            case ast.keyword(arg="allow_pickle", value=ast.Constant(value=value)) if value is not False:
                found.append(f"allow_pickle={value}")
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr="load"), keywords=keywords):
                option, safe = SAFE.get(module, (None, None))
                given = {keyword.arg: getattr(keyword.value, "value", None) for keyword in keywords}
                found += [f"{module}.load"] if option and given.get(option) is not safe else []
    return found


LOADS = [
    "import pickle", "import _pickle", "from joblib import load", "from torch import load", "np.load('a.npz')",
    "numpy.load('a', allow_pickle=True)", "np.lib.format.read_array(f, allow_pickle=True)", "torch.load('a')",
    "torch.load('a', weights_only=False)", "pd.read_pickle('a')",
]  # fmt: skip


@pytest.mark.slow
def test_no_code_loads_pickle(tmp_path):
    files = [file for folder in ("workflow", "benchmarks") for file in (ROOT / folder).rglob("*.py")]
    assert len(files) > 200
    assert {file: found for file in files if (found := find_pickle_loading(file))} == {}
    for code in LOADS:
        (tmp_path / "a.py").write_text(code)
        assert find_pickle_loading(tmp_path / "a.py"), code


def test_lock_meets_declared_requirements():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [text for name in LOCKED_EXTRAS for text in project["optional-dependencies"][name]]
    for requirement in map(Requirement, project["dependencies"] + extras):
        if requirement.name == project["name"]:
            assert requirement.extras <= set(LOCKED_EXTRAS)
            continue
        assert requirement.specifier.contains(load_lock()[canonicalize_name(requirement.name)]), str(requirement)
