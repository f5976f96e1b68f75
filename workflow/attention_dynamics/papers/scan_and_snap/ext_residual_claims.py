"""Claims about our figure on the residual connection: logits after 2000 steps on the population, two query tokens.

Classes 1 and 2 have one query token, 3 and 4 the other; every token is in the classes that its name says.
"""

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.run import Run

COMMON_TO_ALL, COMMON_TO_QUERY, COMMON_ACROSS_QUERIES, DISTINCT_TOKEN = 0, 1, 3, 5
LAST_STEP = 2000
PASSAGE = (
    "Section 7: 'we can define local distinct and common tokens to be within the sequence class subset' of a query "
    "token, 'and Theorem 2 now applies within each subset'"
)


@claim(
    "ext_residual",
    says="With a residual connection a token that one class of each query has gains attention, as locally distinct: "
    "its logit",
    basis=PAPER,
    source=PASSAGE,
)
def locally_distinct_gains(with_residual: Run) -> Check:
    return check(_logit(with_residual, COMMON_ACROSS_QUERIES), at_least(0))


@claim(
    "ext_residual",
    says="With a residual connection a token that both classes of its query have loses attention, as locally common: "
    "its logit",
    basis=PAPER,
    source=PASSAGE,
)
def locally_common_loses(with_residual: Run) -> Check:
    return check(_logit(with_residual, COMMON_TO_QUERY), at_most(0))


def _logit(run: Run, token: int) -> float:
    return float(run.series["token_logits"][run.at(LAST_STEP), 0, 0, token])


@claim(
    "ext_residual",
    says="The connection makes classes of one query alike and others not: inner product of f_1 and f_2, over the "
    "largest with a class of the other query",
    basis=PAPER,
    source="Section 7: the coefficient is 'much larger for sequence classes ... that share the same query token than "
    "otherwise'; ten times was chosen after seeing 13.5",
)
def overlaps(with_residual: Run) -> Check:
    gram = with_residual.series["overlaps"][0, 0, 0]
    return check(gram[0, 1] / gram[0, 2:].max(), at_least(10))


@claim(
    "ext_residual",
    says="Without the connection classes of one query are no more alike than others: inner product of f_1 and f_2, "
    "over the largest with a class of the other query",
    basis=DERIVED,
    source="classes 1 and 2 share two of five equally likely tokens, 1 and 3 too: 0.4 / 0.4",
)
def overlaps_without(plain: Run) -> Check:
    gram = plain.series["overlaps"][0, 0, 0]
    return check(gram[0, 1] / gram[0, 2:].max(), at_most(1 + 1e-12))
