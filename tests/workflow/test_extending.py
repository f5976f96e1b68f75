"""A figure that is drawn as another one takes a YAML file, a claim takes a function: those that the README shows."""

import re

import pandas as pd
import pytest

from conftest import ROOT


def readme_blocks(language: str) -> list[str]:
    """The README's blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.mark.workflow
def test_a_new_figure_is_a_file_and_a_claim_is_a_function(repository):
    name = "ext_exponential_loss"
    (experiment,) = (block for block in readme_blocks("yaml") if name in block)
    (claims,) = (block for block in readme_blocks("python") if name in block)
    (repository.root / f"config/max_margin/{name}.yaml").write_text(experiment)
    run = "single_input_global/exponential_loss"
    new = {f"train {run}/train", f"measure {run}/measures", f"draw {name}", f"judge {name}"}
    assert repository.planned() == new | {"ledger claims", "manifest manifest", "gallery index"}
    repository.snakemake("figures/all")
    module = repository.root / f"config/plugins/papers/max_margin/{name}_claims.py"
    module.parent.mkdir(parents=True)
    module.write_text(claims)
    assert repository.planned() == {f"judge {name}", "ledger claims", "manifest manifest", "gallery index"}
    repository.snakemake("figures/all")
    rows = pd.read_csv(repository.root / "figures/claims.csv").set_index("figure").loc[name]
    assert rows.claim.tolist() == ["converges[200]", "converges[1000]"]
    assert rows.verdict.tolist() == ["held", "held"]
