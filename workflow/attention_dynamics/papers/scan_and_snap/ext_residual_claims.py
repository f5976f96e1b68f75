"""Claims about our figure on the residual connection: training with the population gradient, two query tokens.

Classes 1 and 2 have one query token, classes 3 and 4 the other. Token COMMON_TO_QUERY is in classes 1 and 2, token
COMMON_ACROSS_QUERIES in classes 1 and 3.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.run import Run

COMMON_TO_QUERY, COMMON_ACROSS_QUERIES = 1, 3


@claim(
    says="With a residual connection a token that one class of each query has gains attention at every record, and one "
    "that both classes of a query have loses it: smallest change of the logit of the former from one record to the "
    "next, and of minus that of the latter",
    basis=CHOSEN,
    source="Section 7: 'Theorem 2 now applies within each subset', whose conclusion it is; Assumption 2 cannot hold "
    "there, because the query token alone gives classes of a query an inner product of at least 1/2",
)
def local_fates(with_residual: Run) -> Check:
    logits = with_residual.series["token_logits"][:, 0, 0]
    tokens = (logits[:, COMMON_ACROSS_QUERIES], -logits[:, COMMON_TO_QUERY])
    return check([np.diff(token).min() for token in tokens], at_least(0))


@claim(
    statement="section-7-residual-overlap",
    says="Entry of E' for the two classes of one query over the largest for classes of different queries: four classes "
    "that share as many tokens across queries as within",
    basis=CHOSEN,
    source="Section 7; no factor is given for 'much', larger is our reading; the form is ours",
)
def overlaps(with_residual: Run) -> Check:
    E = np.eye(4) - np.linalg.inv(with_residual.series["overlaps"][0, 0, 0])
    return check(E[0, 1] / E[0, 2:].max(), at_least(1))


@claim(
    says="Without the connection classes of one query are no more alike than others: inner product of f_1 and f_2, "
    "over the largest with a class of the other query",
    basis=DERIVED,
    source="classes 1 and 2 share two of five equally likely tokens, 1 and 3 too: 0.4 / 0.4",
)
def overlaps_without(plain: Run) -> Check:
    gram = plain.series["overlaps"][0, 0, 0]
    return check(gram[0, 1] / gram[0, 2:].max(), at_most(1 + 1e-12))
