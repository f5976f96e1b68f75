"""Claims about Fig 4: fine-tuning BERT to classify texts."""

from attention_dynamics.papers.fast_rates.claims_of_optimizers import comparison_claims, speed_claims

DATA = (
    "with data=embedded, Python's documentation stands in for Civil Comments; below the scale paper, "
    "a small network for BERT"
)

# The claims cite no statement, because the caption of Fig 4 says nothing about speed.
faster, lower_loss_on_average = speed_claims("fig4", data=DATA, source="as for Fig 1")
comparison = comparison_claims("fig4", inputs="texts")
