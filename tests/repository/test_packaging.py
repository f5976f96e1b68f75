"""The distribution: what it contains, and that its core works without the extras."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from attention_dynamics.claims.statements import load_statements
from conftest import ROOT

# It builds the distribution, and imports its core in processes of their own.
pytestmark = pytest.mark.slow

CORE = ("problems", "attention", "optim", "margins", "regularization", "sequences", "theory", "measures")
# Imports names that are not those of the packages.
IMPORTED_AS = {"scikit-learn": "sklearn", "pillow": "PIL", "pyyaml": "yaml"}
# The Gram-form training of random problems is compiled.
NEEDS_EXTRA = {"attention_dynamics.attention.gram_training"}
WITHOUT_EXTRAS = """
import sys
sys.modules.update(dict.fromkeys({blocked}))
sys.path.insert(0, {path!r})
"""


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run_without_extras(code: str) -> str:
    """Run Python in a process in which no package of an extra can be imported; return what it printed."""
    extras = [
        Requirement(text).name
        for name in ("workflow", "deep", "data")
        for text in project()["optional-dependencies"][name]
    ]
    blocked = [IMPORTED_AS.get(name, name) for name in extras]
    head = WITHOUT_EXTRAS.format(blocked=blocked, path=str(ROOT / "workflow"))
    done = subprocess.run([sys.executable, "-c", head + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_readme_example_runs_without_extras():
    code = re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    printed = run_without_extras(code)
    numbers = re.fullmatch(r"margin (\S+), duality gap (\S+), residual (\S+)\n", printed).groups()
    margin, gap, residual = map(float, numbers)
    assert margin > 0
    assert abs(gap) < 1e-8
    assert residual < 1e-8


def test_make_keeps_settings_for_other_pythons_away(tmp_path):
    (tmp_path / "colorsys.py").write_text("raise SystemExit('not the one of Python')")
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    code = "import colorsys, os; print(*os.environ, os.environ['PIP_USER'])"
    (tmp_path / "probe.mk").write_text(f'probe:\n\t@$(PYTHON) -c "{code}"\n')
    others = {"PYTHONPATH": str(tmp_path), "PIP_TARGET": str(tmp_path), "PIP_USER": "1", "PYTHONHOME": str(tmp_path)}
    environment = os.environ | others | {"PYTHON": sys.executable}
    done = subprocess.run(
        ["make", "--no-print-directory", "-f", "Makefile", "-f", "probe.mk", "probe"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert not set(done.stdout.split()) & {"PYTHONPATH", "PIP_TARGET", "PYTHONHOME"}
    assert done.stdout.split()[-1] == "0"


def test_core_is_imported_without_extras():
    files = [file for folder in CORE for file in (ROOT / "workflow/attention_dynamics" / folder).rglob("*.py")]
    modules = {".".join(file.relative_to(ROOT / "workflow").with_suffix("").parts) for file in files} - NEEDS_EXTRA
    assert len(modules) > 80
    run_without_extras(f"import {', '.join(sorted(modules))}, attention_dynamics.compute")


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> dict[str, Path]:
    """The wheel and the source distribution of the files that git would keep."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in ("pyproject.toml", "README.md", "LICENSE", "workflow/attention_dynamics"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", ROOT / name, source / name], check=True)
    build = "from setuptools import build_meta as b; b.build_wheel({0!r}); b.build_sdist({0!r})".format(str(out))
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    return {"wheel": next(out.glob("*.whl")), "sdist": next(out.glob("*.tar.gz"))}


def test_wheel_has_every_module_and_data_file(distributions):
    names = set(zipfile.ZipFile(distributions["wheel"]).namelist())
    library = ROOT / "workflow/attention_dynamics"
    wanted = [
        file
        for pattern in ("*.py", "papers/*/*.csv", "gallery/*/*.*", "gallery/*/*/*.*", "py.typed")
        for file in library.rglob(pattern)
        if file.suffix != ".pyc"
    ]
    assert len(wanted) > 300
    assert {file.relative_to(library.parent).as_posix() for file in wanted} <= names


@pytest.fixture(scope="module")
def run_installed(distributions, tmp_path_factory):
    """Return a function that runs Python with the unpacked wheel in an empty folder."""
    site = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(distributions["wheel"]).extractall(site)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(site)}
        folder = tmp_path_factory.mktemp("empty")
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)

    return run


def test_installed_package_has_statements_and_refuses_report_outside_of_clone(run_installed):
    load = "len(s.load_statements('max_margin'))"
    code = f"from attention_dynamics.claims import statements as s; print(s.__file__, {load})"
    file, number = run_installed("-c", code).stdout.split()
    assert not file.startswith(str(ROOT))
    assert int(number) == len(load_statements("max_margin")) > 50
    done = run_installed("-m", "attention_dynamics.gallery.typeset_report")
    assert done.returncode == 1
    message = "the replication report needs docs/ and CITATION.cff: typeset it in a clone of the repository\n"
    assert done.stderr == message


def test_sdist_can_be_built_from_and_wheel_requires_the_core_alone(distributions):
    with tarfile.open(distributions["sdist"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "workflow/attention_dynamics/registry.py"} <= names
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        metadata = wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))).decode()
    required = {Requirement(line).name for line in re.findall(r"^Requires-Dist: ([^;\n]*)$", metadata, re.MULTILINE)}
    assert required == {Requirement(text).name for text in project()["dependencies"]}
