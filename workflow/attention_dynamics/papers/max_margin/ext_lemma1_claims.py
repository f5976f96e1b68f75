"""Claims about Lemma 1: training W with a fixed query is training p."""

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import largest

# 2000 steps of rounding.
ROUNDING = at_most(1e-10)


@claim(
    "ext_lemma1",
    says="With logits XWu, W(t) = p(t) u' / |u|^2 at all times (Lemma 1): largest entry of the difference",
    basis=PAPER,
    source="Lemma 1; tolerance for 2000 steps of rounding",
)
def mapping(weights_trained: Results) -> Check:
    return check(largest(weights_trained["mapping_error"]), ROUNDING)


@claim(
    "ext_lemma1",
    says="With the model's own logits XW'u, W(t) = u p(t)' / |u|^2 instead",
    basis=DERIVED,
    source="the lemma's proof with the transposed logits; tolerance for 2000 steps of rounding",
)
def mapping_transposed(weights_trained_transposed: Results) -> Check:
    return check(largest(weights_trained_transposed["mapping_error"]), ROUNDING)


@claim(
    "ext_lemma1",
    says="W(t) keeps rank one: largest second singular value, relative to the first",
    basis=DERIVED,
    source="Lemma 1; tolerance for 2000 steps of rounding",
)
def rank_one(weights_trained: Results) -> Check:
    return check(largest(weights_trained["second_singular_value"]), ROUNDING)
