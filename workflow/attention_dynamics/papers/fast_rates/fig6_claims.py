"""Claims about Fig 6: training one layer of attention on images. Our copy of the text does not mention this figure."""

from attention_dynamics.papers.fast_rates.claims_of_optimizers import comparison_claims

comparison = comparison_claims("fig6", inputs="images")
