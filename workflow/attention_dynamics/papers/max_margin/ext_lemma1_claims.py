"""Claims about Lemma 1: training W with a fixed query is training p."""

from typing import NamedTuple

from attention_dynamics.claims.claim import CHOSEN, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.statistics import largest, smallest

# 2000 steps of rounding.
ROUNDING = at_most(1e-10)


class Logits(NamedTuple):
    """A way to write the logits, and the run that trains W with it."""

    run: str
    formula: str


@claim(
    "ext_lemma1",
    says="With logits X W u, W(t) = p(t) u' / |u|^2 at all times: largest entry of the difference",
    basis=DERIVED,
    source="the gradient in W is g u', with g the gradient in p = W u, so that induction over the steps keeps W = p "
    "u' / |u|^2; not the paper's convention (mapping_transposed); tolerance for 2000 steps of rounding",
)
def mapping(weights_trained: Results) -> Check:
    return check(largest(weights_trained["mapping_error"]), ROUNDING)


@claim(
    "ext_lemma1",
    says="With the paper's logits X W' u, W(t) = u p(t)' / |u|^2 at all times (Lemma 1): largest entry of the "
    "difference",
    basis=PAPER,
    source="Lemma 1, whose formulas the text at hand has lost; its proof fixes the side: 'gradient is rank-1 with "
    "left singular space equal to [that of u]', as for keys K = X W'; tolerance for 2000 steps of rounding",
)
def mapping_transposed(weights_trained_transposed: Results) -> Check:
    return check(largest(weights_trained_transposed["mapping_error"]), ROUNDING)


@claim(
    "ext_lemma1",
    cases={"transposed": Logits("weights_trained_transposed", "X W' u"), "plain": Logits("weights_trained", "X W u")},
    says="With logits {case.formula}, W(t) keeps rank one: largest second singular value, relative to the first",
    basis=DERIVED,
    source="every gradient is an outer product with u, and so is W(0); tolerance for 2000 steps of rounding",
)
def rank_one(runs: Runs, case: Logits) -> Check:
    return check(largest(runs[case.run]["second_singular_value"]), ROUNDING)


@claim(
    "ext_lemma1",
    says="With the paper's logits X W' u, u spans the left singular space of W(t): largest distance of |u'W| / (|u| "
    "|W|) from 1",
    basis=PAPER,
    source="Proof of Lemma 1: the 'left singular space is guaranteed to be in [the span of u] (including by "
    "initialization)'; tolerance for rounding",
)
def query_on_the_left(weights_trained_transposed: Results) -> Check:
    return check(largest(weights_trained_transposed["distance_from_left_query"]), ROUNDING)


@claim(
    "ext_lemma1",
    says="With logits X W u, u does not span the left singular space of W(t), so that the two conventions can be told "
    "apart: smallest distance of |u'W| / (|u| |W|) from 1",
    basis=CHOSEN,
    source="p(t) is not along u; the threshold is ours",
)
def query_not_on_the_left(weights_trained: Results) -> Check:
    return check(smallest(weights_trained["distance_from_left_query"]), at_least(0.01))
