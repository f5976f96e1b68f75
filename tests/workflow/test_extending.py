"""The YAML file of a new figure and the function of a new claim in docs/extending.md work."""

import re
import shutil

import numpy as np
import pandas as pd

from attention_dynamics.store import load_arrays
from conftest import ROOT

NAME = "ext_exponential_loss"
FIGURE, MODULE = f"config/max_margin/{NAME}.yaml", f"config/plugins/papers/max_margin/{NAME}_claims.py"
MEASURE = "config/plugins/measures/attention_entropy.py"


def page_block(language: str, text: str = NAME) -> str:
    """Return the code block of docs/extending.md in a language that has a text, the name of the figure by default."""
    blocks = re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs/extending.md").read_text(), re.DOTALL)
    (block,) = (block for block in blocks if text in block)
    return block


def test_guide_adds_figure_and_claim(repository):
    repository.write(FIGURE, page_block("yaml"))
    run = "single_input_global/exponential_loss"
    new = {f"train {run}/train", f"measure {run}/measures", f"draw {NAME}", f"judge {NAME}"}
    rest = {"captions captions", "ledger claims", "manifest manifest", "gallery index"}
    assert repository.planned() == new | rest
    repository.snakemake("figures/all")
    repository.write(MODULE, page_block("python", "def converges"))
    assert repository.planned() == {f"judge {NAME}", "ledger claims", "manifest manifest", "gallery index"}
    repository.snakemake("figures/all")
    rows = pd.read_csv(repository.root / "figures/claims.csv").set_index("figure").loc[NAME]
    assert rows.claim.tolist() == ["converges[200]", "converges[1000]"]
    assert rows.verdict.tolist() == ["holds", "holds"]


def test_guide_adds_measure(repository):
    repository.write(FIGURE, page_block("yaml"))
    measures = f"results/laptop/max_margin/single_input_global/{NAME.removeprefix('ext_')}/measures.npz"
    repository.snakemake(measures)
    repository.write(MEASURE, page_block("python", "class AttentionEntropy"))
    repository.edit(FIGURE, "    steps: 1000\n", f"    steps: 1000\n{page_block('yaml', 'attention_entropy')}")
    assert {job.split()[0] for job in repository.planned(measures)} == {"measure"}
    repository.snakemake(measures)
    entropy = load_arrays(repository.root / measures)["attention_entropy"]
    # From an even start to one token.
    assert entropy.shape[1:] == (1, 3)
    np.testing.assert_allclose(entropy[0, 0, 1], np.log(3))
    assert (entropy[-1] < 1e-3).all()


def test_misspelt_names_in_claim_are_refused_with_existing_ones(repository):
    repository.write(FIGURE, page_block("yaml"))
    repository.write(MODULE, page_block("python", "def converges").replace("exponential_loss: ", "exponental_loss: "))
    run = "run 'exponental_loss' is not one of exponential_loss (did you mean 'exponential_loss'?)"
    assert f"{MODULE.removeprefix('config/')}: converges[200]: {run}" in repository.refusal("-n")
    repository.edit(MODULE, "exponental_loss: ", "exponential_loss: ")
    repository.edit(MODULE, "correlation_gmm", "corelation_gmm")
    printed = repository.snakemake(f"results/laptop/claims/max_margin/{NAME}.json", ok=False).stdout
    series = "run exponential_loss: series 'corelation_gmm' is not one of correlation_gmm, correlation_lmm,"
    assert f"{NAME}_claims.py: converges[200]: {series}" in printed
    assert "(did you mean 'correlation_gmm'?)" in printed
    figure = "fig4c.pdf: figure 'fig4c' is not one of ext_exponential_loss, fig1a, fig4a, fig4b (did"
    assert figure in repository.refusal("figures/max_margin/fig4c.pdf")


def test_another_configuration_is_refused_and_files_of_options_are_no_targets(repository):
    root = repository.root
    (root.parent / "link").symlink_to(root)
    shutil.copytree(root / "config", root.parent / "other")
    for snakefile in ("workflow/Snakefile", "../repository/Snakefile", "../link/workflow/Snakefile"):
        printed = repository.snakemake("-n", "-s", snakefile, "--config", "config_folder=../other", ok=False).stdout
        assert "config_folder=../other: its figures and results would replace those of config/" in printed
    for name in ("my.yaml", "fig4a.yaml"):
        repository.write(name, "{}")
    for given in ("-n", "--configfile", "my.yaml", "fig4a.yaml"), ("--report", "figures/max_margin/report.html"):
        assert "write figures/" not in repository.snakemake("figures/max_margin/fig4a.pdf", *given).stdout
