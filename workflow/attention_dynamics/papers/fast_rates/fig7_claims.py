"""Claims about Fig 7: training a vision transformer. Our copy of the text does not mention this figure."""

from attention_dynamics.papers.fast_rates.claims_of_optimizers import comparison_claims

comparison = comparison_claims("fig7", inputs="images")
