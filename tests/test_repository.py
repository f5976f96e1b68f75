"""What the repository says about itself is true."""

import re
from pathlib import Path

import pytest

from attention_dynamics.pipeline.config import load_config
from attention_dynamics.pipeline.overview import table

ROOT = Path(__file__).parents[1]
# Conda's names of two packages that are called otherwise on PyPI.
CONDA_NAMES = {"pytorch-cpu": "torch", "matplotlib-base": "matplotlib"}


def locked() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    return dict(line.lower().split("==") for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("environment", ["compute", "plot"])
def test_conda_environments_have_the_versions_of_the_lock(environment):
    lines = (ROOT / "envs" / f"{environment}.yaml").read_text().splitlines()
    pins = dict(re.fullmatch(r"  - (\S+) =(\S+)", line).groups() for line in lines if " =" in line)
    assert pins.pop("python") == "3.11"
    assert len(pins) >= 7
    assert pins == {name: locked()[CONDA_NAMES.get(name, name)] for name in pins}


def test_the_lock_meets_the_declared_requirements():
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for text in project["dependencies"] + project["optional-dependencies"]["test"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(locked()[requirement.name.lower()]), text


def test_the_readme_lists_the_figures_of_the_configuration():
    assert table(load_config(ROOT / "config", {})) in (ROOT / "README.md").read_text()
