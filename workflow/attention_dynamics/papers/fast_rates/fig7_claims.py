"""Claims about Fig 7: training a vision transformer. The text at hand says nothing about this figure."""

from attention_dynamics.papers.fast_rates.claims_of_optimizers import comparison_claims

comparison = comparison_claims("fig7", inputs="images")
