"""The workflow as a module of another one, below a prefix and with other names of its rules."""

import json
import zipfile

import pytest

from attention_dynamics.claims.manifest import verify_manifest
from conftest import SMALL_CLAIMS, Repository, fresh, shrink

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
    assert "held" in str(claims)
    with zipfile.ZipFile(figures / "bundle.zip") as members:
        assert {"figures/max_margin/fig1a.pdf", "config/max_margin/fig1.yaml", "config/config.yaml"} < set(
            members.namelist()
        )


def test_outer_workflow_passes_settings(outer):
    planned = outer.snakemake("-n", "papers/figures/max_margin/fig1a.pdf", "--config", "scale=smoke").stdout
    assert "papers/results/smoke/max_margin/single_input_global/data.npz" in planned
    assert "rules that are not present" not in planned
    assert "one of" in outer.snakemake("-n", "--config", "scale=huge", ok=False).stdout
