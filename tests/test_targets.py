"""Misspelt targets on the command line."""

import pytest

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.pipeline.targets import check_targets

FIGURES = {"max_margin": ["fig4a", "fig4b"], "fast_rates": ["fig1"]}


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("figures/max_margin/fig4c.pdf", "figure 'fig4c' is not one of fig4a, fig4b (did you mean 'fig4b'?)"),
        ("figures/max_margn/fig4a.pdf", "paper 'max_margn' is not one of max_margin, fast_rates (did you mean"),
        ("results/laptop/claims/max_margin/fig4bb.json", "(did you mean 'fig4b'?)"),
    ],
)
def test_misspelt_target_is_refused_with_those_that_there_are(target, message):
    with pytest.raises(ConfigError) as caught:
        check_targets(["-n", target], FIGURES)
    assert str(caught.value).startswith(f"{target}: ")
    assert message in str(caught.value)


def test_other_arguments_are_left_to_snakemake():
    targets = ["figures/max_margin/fig4a.pdf", "figures/max_margin/all", "figures/all", "figures/claims.csv"]
    check_targets([*targets, "results/laptop/max_margin/two/data.npz", "--config", "max_margin={runs: {}}"], FIGURES)
