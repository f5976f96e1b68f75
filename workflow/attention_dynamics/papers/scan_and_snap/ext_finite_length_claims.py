"""Claims about our figure on Lemmas 2 and 18: attention's composition of T contextual tokens, against its limit."""

import numpy as np

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import smallest


@claim(
    "ext_finite_length",
    says="What attention combines, X'b, tends to c_n: largest change of its mean distance from one length to the next",
    basis=PAPER,
    source="Lemma 2, and Lemma 18: 'And thus' X'b tends to c_n 'when' T tends to infinity",
)
def vector_converges(lengths: Results) -> Check:
    return check(np.diff(lengths["vector_mean"].values[:, 0]).max(), at_most(0))


@claim(
    "ext_finite_length",
    says="X'diag(b)X tends to diag(c_n): largest change of its mean distance from one length to the next",
    basis=PAPER,
    source="Lemma 2: 'Given the event' of a next and a query token, 'when' T tends to infinity, 'we have' equation 6, "
    "a display that the text at hand has lost; proved as Lemma 18",
)
def matrix_converges(lengths: Results) -> Check:
    return check(np.diff(lengths["matrix_mean"].values[:, 0]).max(), at_most(0))


@claim(
    "ext_finite_length",
    says="The distance falls as one over the root of the length: slope of the mean distance of {case} over ln T",
    cases={"vector": "X'b", "matrix": "X'diag(b)X"},
    basis=DERIVED,
    source="central limit theorem: the tokens' shares are multinomial, their errors of order T^(-1/2), and c_n is a "
    "smooth function of them",
)
def slope(lengths: Results, case: str) -> Check:
    series = lengths["vector_mean" if case == "X'b" else "matrix_mean"]
    steps = np.log(series.steps.astype(float))
    return check(np.polyfit(steps, np.log(series.values[:, 0]), 1)[0], near(-0.5, within=0.01))


@claim(
    "ext_finite_length",
    says="Hoeffding's inequality holds for the tokens' shares: smallest share of 2000 sequences, over the lengths, in "
    "which every share is within sqrt(ln(2 S / 0.05) / (2 T)) of P(l|n), with S = 20 tokens",
    basis=DERIVED,
    source="proof of Lemma 18: a token's count is binomial; Hoeffding's inequality for each of the S tokens with "
    "probability 0.05 / S",
)
def hoeffding(lengths: Results) -> Check:
    return check(smallest(lengths["within_hoeffding"]), at_least(0.95))
