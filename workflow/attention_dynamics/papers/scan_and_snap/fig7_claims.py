"""Claims about Fig 7: attention of decoders on text becomes sparse as they are trained with learning rate 5."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import largest_ratio_of_means
from attention_dynamics.problems.problem import Array

# Steps of the snapshots that are drawn. At paper scale, the decoder of one layer is trained for longer, for Fig 10.
SNAPSHOTS = {"laptop": (0, 150, 300), "workstation": (0, 500, 1000, 1500), "paper": (0, 500, 1000, 1500)}
COMPUTATION = "an independent computation, one seed"


@claim(
    "fig7",
    says="Before training attention is nearly uniform: mean entropy on the validation text "
    "(2.632, ln(35!)/35, if it were)",
    basis=DERIVED,
    source="an independent computation on WikiText-2 (2.541), and the bound",
)
def starts_uniform(decoder_5: Results) -> Check:
    return check(_mean_entropies(decoder_5, 0), near(2.566, within=0.066))


@claim(
    "fig7",
    says="Attention becomes sparser (one layer): largest ratio of the mean entropy to that of the snapshot before",
    basis=PAPER,
    source="Fig 7, in kind",
    scales=FULL_SCALES,
)
def falls_with_one_layer(decoder_5: Results, scale: str) -> Check:
    return check(_largest_ratio(decoder_5, scale), at_most(1))


@claim(
    "fig7",
    says="Attention becomes sparser (three layers): largest ratio of the mean entropy to that of the snapshot before",
    basis=PAPER,
    source="Fig 7, in kind",
    scales=["laptop", "paper"],
)
def falls_with_three_layers(decoder_deep: Results, scale: str) -> Check:
    return check(_largest_ratio(decoder_deep, scale), at_most(1))


@claim(
    "fig7",
    says="Attention becomes sparser (three layers): largest ratio of the mean entropy to that of the snapshot before",
    basis=PAPER,
    source="Fig 7, in kind",
    scales=["workstation"],
    explanation="On the test part of WikiText-2 the entropy of the lowest of three layers falls to 1.43 in 500 steps "
    "and then stays between 1.38 and 1.49; the run is one seed. With one layer it goes on falling.",
)
def falls_with_three_layers_on_test_part(decoder_deep: Results, scale: str) -> Check:
    return check(_largest_ratio(decoder_deep, scale), at_most(1))


def _largest_ratio(run: Results, scale: str) -> Array:
    """Return the largest ratio of the mean entropy to that of the snapshot before."""
    return largest_ratio_of_means(run["attention_entropy"], SNAPSHOTS[scale])


@claim(
    "fig7",
    says="In the end it is sparse (one layer): mean entropy on the validation text over that at the start",
    basis=CHOSEN,
    source="Fig 7's maps; the threshold is ours",
    scales=["laptop"],
)
def sparse(decoder_5: Results, scale: str) -> Check:
    first, *_, last = SNAPSHOTS[scale]
    return check(largest_ratio_of_means(decoder_5["attention_entropy"], [first, last]), at_most(0.7))


@claim(
    "fig7",
    says="After 1500 steps it is sparse (one layer): mean entropy on the validation text",
    basis=CHOSEN,
    source="Fig 7's maps; the threshold is ours",
    scales=["workstation", "paper"],
)
def sparse_after_1500_steps(decoder_5: Results) -> Check:
    return check(_mean_entropies(decoder_5, 1500), at_most(1))


@claim(
    "fig7",
    says="The largest attention of a position grows (one layer): mean at the end over that at the start",
    basis=CHOSEN,
    source="Fig 7, in kind; the threshold is ours",
    scales=FULL_SCALES,
)
def peaks(decoder_5: Results, scale: str) -> Check:
    first, *_, last = SNAPSHOTS[scale]
    return check(largest_ratio_of_means(decoder_5["largest_attention"], [first, last]), at_least(2))


@claim(
    "fig7",
    says="Mean entropy of three seeds after 0, 250 and 500 steps",
    basis=DERIVED,
    source=COMPUTATION,
    scales=["workstation"],
    data=["mirror", "official"],
)
def row_early(decoder_5: Results) -> Check:
    return check(_mean_entropies(decoder_5, 0, 250, 500), near([2.541, 1.417, 0.95], within=0.25))


@claim(
    "fig7",
    says="... and after 750, 1000, 1250 and 1500",
    basis=DERIVED,
    source=COMPUTATION,
    scales=["workstation"],
    data=["mirror", "official"],
)
def row_late(decoder_5: Results) -> Check:
    late = _mean_entropies(decoder_5, 750, 1000, 1250, 1500)
    return check(late, near([0.72, 0.437, 0.329, 0.188], within=0.15))


def _mean_entropies(run: Results, *steps: int) -> list[Array]:
    """Return the mean over the seeds of the attention entropy at several steps."""
    return [run["attention_entropy"].at(step).mean() for step in steps]
