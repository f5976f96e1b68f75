"""Claims about Fig 4: fine-tuning BERT to classify texts."""

from typing import NamedTuple

from attention_dynamics.claims.claim import FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.papers.fast_rates.claims_of_optimizers import FASTER, comparison_claims
from attention_dynamics.papers.fast_rates.derivations import SECTION_5
from attention_dynamics.papers.fast_rates.fig1_claims import TARGET
from attention_dynamics.papers.fast_rates.optimizer_comparison import Pair, ratio_of_epochs
from attention_dynamics.run import Runs


class Sentence(NamedTuple):
    """A statement of the text about an optimizer that is compared with SGD."""

    optimizer: str
    quoted: str


# The caption of the figure says nothing about speed.
SENTENCES = {
    "sngd": Sentence("SNGD", SECTION_5),
    "sps": Sentence(
        "SPS",
        "summary of the paper by others: 'Empirically, NGD and PS consistently outperform standard gradient descent on "
        "synthetic and language datasets'",
    ),
}


@claim(
    "fig4",
    says=f"{{case.optimizer}} trains faster than SGD: {TARGET}, over those of SGD, best step size of each grid, "
    "medians of the seeds",
    cases=SENTENCES,
    basis=PAPER,
    source="{case.quoted}; the loss is ours, and so is the ratio that counts as faster, chosen after seeing losses at "
    "the end",
    scales=FULL_SCALES,
    explanation="SGD with the best step size of its grid is about as fast until that loss: at laptop scale SNGD needs "
    "0.87 and SPS 1.05 of its epochs, where at most 0.8 counts as faster. Later it falls behind: the losses of SNGD "
    "and SPS at the end are 0.91 and 0.89 of SGD's.",
)
def faster(runs: Runs, case: Sentence) -> Check:
    return check(ratio_of_epochs(runs, Pair(case.optimizer, "SGD")), at_most(FASTER))


comparison = comparison_claims("fig4", inputs="texts")
