"""A figure made of existing stages takes one block of YAML: the README's own."""

import re

import pandas as pd
import pytest
import yaml

from conftest import ROOT


def readme_block() -> dict:
    """The README's example of a new figure: name -> block."""
    (text,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return yaml.safe_load(text)


@pytest.mark.workflow
def test_a_new_figure_is_one_block(repository):
    repository.configure(lambda paper: paper["figures"].update(readme_block()))
    run = "single_input_global/exponential_loss"
    new = {f"train {run}/train", f"measure {run}/measures", "draw ext_exponential_loss", "judge ext_exponential_loss"}
    assert repository.planned() == new | {"ledger claims", "manifest manifest", "gallery index"}
    repository.snakemake("figures/all")
    claims = pd.read_csv(repository.root / "figures/claims.csv")
    assert claims.set_index("figure").verdict["ext_exponential_loss"] == "held"
