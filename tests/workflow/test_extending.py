"""The YAML file of a new figure and the function of a new claim in docs/extending.md work."""

import re
import shutil

import pandas as pd
import pytest

from conftest import ROOT


def page_blocks(language: str) -> list[str]:
    """Return the code blocks of docs/extending.md in a language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs/extending.md").read_text(), re.DOTALL)


def test_guide_adds_figure_and_claim(repository):
    name = "ext_exponential_loss"
    (experiment,) = (block for block in page_blocks("yaml") if name in block)
    (claims,) = (block for block in page_blocks("python") if name in block)
    (repository.root / f"config/max_margin/{name}.yaml").write_text(experiment)
    run = "single_input_global/exponential_loss"
    new = {f"train {run}/train", f"measure {run}/measures", f"draw {name}", f"judge {name}"}
    rest = {"captions captions", "ledger claims", "manifest manifest", "gallery index"}
    assert repository.planned() == new | rest
    repository.snakemake("figures/all")
    module = repository.root / f"config/plugins/papers/max_margin/{name}_claims.py"
    module.parent.mkdir(parents=True)
    module.write_text(claims)
    assert repository.planned() == {f"judge {name}", "ledger claims", "manifest manifest", "gallery index"}
    repository.snakemake("figures/all")
    rows = pd.read_csv(repository.root / "figures/claims.csv").set_index("figure").loc[name]
    assert rows.claim.tolist() == ["converges[200]", "converges[1000]"]
    assert rows.verdict.tolist() == ["held", "held"]


def test_misspelt_names_in_claim_are_refused_with_existing_ones(repository):
    name = "ext_exponential_loss"
    (experiment,) = (block for block in page_blocks("yaml") if name in block)
    (claims,) = (block for block in page_blocks("python") if name in block)
    (repository.root / f"config/max_margin/{name}.yaml").write_text(experiment)
    module = f"config/plugins/papers/max_margin/{name}_claims.py"
    (repository.root / module).parent.mkdir(parents=True)
    (repository.root / module).write_text(claims.replace("exponential_loss: ", "exponental_loss: "))
    run = "run 'exponental_loss' is not one of exponential_loss (did you mean 'exponential_loss'?)"
    printed = repository.snakemake("-n", ok=False).stdout
    assert f"plugins/papers/max_margin/{name}_claims.py: converges[200]: {run}" in printed
    assert "Traceback" not in printed
    repository.edit(module, "exponental_loss: ", "exponential_loss: ")
    repository.edit(module, "correlation_gmm", "corelation_gmm")
    printed = repository.snakemake(f"results/laptop/claims/max_margin/{name}.json", ok=False).stdout
    series = "run exponential_loss: series 'corelation_gmm' is not one of correlation_gmm, correlation_lmm,"
    assert f"{name}_claims.py: converges[200]: {series}" in printed
    assert "(did you mean 'correlation_gmm'?)" in printed
    printed = repository.snakemake("figures/max_margin/fig4c.pdf", ok=False).stdout
    assert "fig4c.pdf: figure 'fig4c' is not one of ext_exponential_loss, fig1a, fig4a, fig4b (did" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize("snakefile", ["workflow/Snakefile", "../repository/Snakefile", "../link/workflow/Snakefile"])
def test_another_configuration_is_refused_in_the_checkout_with_any_path_of_the_snakefile(repository, snakefile):
    root = repository.root
    (root.parent / "link").symlink_to(root)
    shutil.copytree(root / "config", root.parent / "other")
    printed = repository.snakemake("-n", "-s", snakefile, "--config", "config_folder=../other", ok=False).stdout
    assert "config_folder=../other: its figures and results would replace those of config/" in printed


@pytest.mark.parametrize(
    "options", [("-n", "--configfile", "my.yaml", "fig4a.yaml"), ("--report", "figures/max_margin/report.html")]
)
def test_file_of_an_option_is_no_target(repository, options):
    for name in ("my.yaml", "fig4a.yaml"):
        (repository.root / name).write_text("{}")
    assert "write figures/" not in repository.snakemake("figures/max_margin/fig4a.pdf", *options).stdout
