"""The scripts in benchmarks/ run; those that need a GPU are imported."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest

from attention_dynamics.config.load import load_config
from conftest import ROOT
from helpers.published_config import CONFIG_FOLDER


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, ROOT / f"benchmarks/{name}.py", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--web",)])
def test_contact_sheets_are_written(tmp_path, options):
    (tmp_path / "figures/max_margin").mkdir(parents=True)
    for ending in ("pdf", "png"):
        plt.figure(figsize=(1, 1)).savefig(tmp_path / f"figures/max_margin/fig1.{ending}", dpi=300)
    plt.close("all")
    run("contact_sheets", str(tmp_path / "figures"), str(tmp_path / "sheets"), *options)
    assert [file.name for file in (tmp_path / "sheets").iterdir()] == ["web-1.png" if options else "print-1.png"]


@pytest.mark.slow
def test_costs_of_networks_are_estimated():
    rows = [line for line in run("deep_costs", "laptop").splitlines() if line.startswith("laptop,")]
    assert len(rows) > 25


@pytest.mark.slow
def test_networks_that_a_gpu_measures_are_configured(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import gpu

    papers = load_config(CONFIG_FOLDER, {"scale": "paper"}).papers
    for paper, run, shape, _ in gpu.NETWORKS.values():
        assert papers[paper].runs[run].training.batch_size > 1
        assert gpu.draw_inputs(shape, 2).shape[0] == 2
