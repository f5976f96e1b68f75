"""The workflow as a module of another one, below a prefix and with other names of its rules."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from attention_dynamics import __version__
from attention_dynamics.claims.manifest import verify_manifest
from conftest import ROOT, SMALL_CLAIMS, Repository, fresh, one_figure, shrink

OUTER = """
module attention:
    snakefile: "{repository}/Snakefile"
    prefix: "papers"
    config: {{"max_margin": {{"title": "Ours"}}, **config}}


use rule * from attention as attention_*


rule report:
    default_target: True
    input: "papers/figures/max_margin/fig1a.pdf"
    output: "report.txt"
    shell: "wc -c {{input}} > {{output}}"
"""


@pytest.fixture(scope="module")
def outer(tmp_path_factory) -> Repository:
    """Another workflow, beside a small repository that it uses."""
    folder = tmp_path_factory.mktemp("module")
    repository = fresh(folder / "repository")
    repository.configure(shrink, claims=SMALL_CLAIMS)
    (folder / "outer").mkdir()
    (folder / "outer/Snakefile").write_text(OUTER.format(repository=repository.root))
    return Repository(folder / "outer")


def test_other_workflow_draws_figure(outer):
    outer.snakemake("--cores", "2")
    assert (outer.root / "report.txt").read_text().endswith("papers/figures/max_margin/fig1a.pdf\n")
    assert {path.name for path in outer.root.iterdir()} == {".snakemake", "Snakefile", "papers", "report.txt"}
    assert {path.name for path in (outer.root / "papers").iterdir()} == {"figures", "logs", "results"}
    assert not any((outer.root.parent / "repository" / name).exists() for name in ("figures", "results", "logs"))
    assert "Nothing to be done" in outer.snakemake("--cores", "2").stdout


def test_other_outputs_are_below_prefix(outer):
    outer.snakemake("--cores", "2", "attention_figures/all", "papers/figures/bundle.zip")
    figures = outer.root / "papers/figures"
    assert verify_manifest(figures) == []
    claims = json.loads((outer.root / "papers/results/laptop/claims/max_margin/fig1a.json").read_text())
    assert "holds" in str(claims)
    with zipfile.ZipFile(figures / "bundle.zip") as members:
        assert {"figures/max_margin/fig1a.pdf", "config/max_margin/fig1.yaml", "config/config.yaml"} < set(
            members.namelist()
        )


def test_outer_workflow_passes_settings(outer):
    planned = outer.snakemake("-n", "papers/figures/max_margin/fig1a.pdf", "--config", "scale=smoke").stdout
    assert "papers/results/smoke/max_margin/single_input_global/data.npz" in planned
    assert "rules that are not present" not in planned
    assert "one of" in outer.snakemake("-n", "--config", "scale=huge", ok=False).stdout


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    """A folder with a small repository in a bare clone with a tag, reader/attention-dynamics, and its wheel, site/."""
    folder = tmp_path_factory.mktemp("published")
    repository = fresh(folder / "repository")
    repository.configure(one_figure, claims={"fig1": SMALL_CLAIMS["fig1"]})
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, repository.root)
    author = ["-c", "user.name=A Reader", "-c", "user.email=reader@example.org"]
    for command in (
        ["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "One"], ["tag", f"v{__version__}"],
        ["clone", "-q", "--bare", ".", "../reader/attention-dynamics"],
    ):  # fmt: skip
        subprocess.run(["git", *command], cwd=repository.root, check=True)
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=repository.root, check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "site")
    shutil.move(repository.root / "config", folder / "config")
    shutil.rmtree(repository.root)
    return folder


@pytest.fixture
def deployed(published, tmp_path, monkeypatch) -> Repository:
    """Another workflow, that of docs/extending.md, with the configuration and the installed library."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/extending.md").read_text(), re.MULTILINE | re.DOTALL)
    (snakefile,) = (block for block in blocks if "github(" in block)
    assert f'tag="v{__version__}"' in snakefile
    (tmp_path / "Snakefile").write_text(snakefile.replace("OWNER", "reader"))
    shutil.copytree(published / "config", tmp_path / "config")
    shutil.copytree(published / "site", tmp_path / "site")
    variables = {
        # Git reads from the disk instead of the network.
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{published}/reader/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/reader/",
        # Snakemake keeps there what it fetches.
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": str(tmp_path / "site"),
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    return Repository(tmp_path)


def test_workflow_fetched_at_tag_draws_with_installed_library(deployed):
    page = "papers/figures/index.html"
    options = ("--rerun-triggers", "mtime", "params", "input", "--config", "scale=smoke")
    deployed.snakemake(page, "--cores", "2", *options)
    figures = deployed.root / "papers/figures"
    assert "fig1a" in (figures / "index.html").read_text()
    assert "**Exact, changed**" in (figures / "max_margin/fig1a.caption.md").read_text()
    assert "Nothing to be done" in deployed.snakemake(page, "-n", *options).stdout
    assert "make it in a clone" in deployed.snakemake("-n", "papers/figures/bundle.zip", ok=False).stdout


def test_fetched_workflow_needs_configuration_and_library_of_its_version(deployed):
    (deployed.root / "config").rename(deployed.root / "elsewhere")
    deployed.edit("Snakefile", 'configfile: "config/config.yaml"', "")
    assert "copy config/ of the tag" in deployed.snakemake("-n", ok=False).stdout
    deployed.edit("site/attention_dynamics/__init__.py", __version__, "99.1")
    message = f"version 99.1 of attention-dynamics is installed, but this workflow is version {__version__}."
    assert message in deployed.refusal("-n")
    deployed.write("site/attention_dynamics/__init__.py", "raise ModuleNotFoundError")
    assert "attention-dynamics is not installed." in deployed.snakemake("-n", ok=False).stdout
