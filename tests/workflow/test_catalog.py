"""Files that Snakemake's catalog of workflows requires."""

import pytest
import yaml

from attention_dynamics.config.schema import Settings
from conftest import ROOT

pytestmark = pytest.mark.workflow


def test_definition_in_the_folder_of_the_catalog_is_the_same_workflow(repository):
    assert repository.planned("-s", "workflow/Snakefile", "figures/all") == set()


def test_usage_is_described():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["report"] is True
    table = (ROOT / "config/README.md").read_text()
    listed = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert sorted(listed) == sorted(Settings.model_fields)
