"""Claims about the attention of text classifiers on the optimal token of short sentences."""

from typing import NamedTuple

from attention_dynamics.claims.claim import AUTHORS_CODE, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import REPORTED, Check, at_least, check
from attention_dynamics.papers.mirror_descent.abstract import SELECTION
from attention_dynamics.papers.mirror_descent.seed_means import gap_at_the_end
from attention_dynamics.run import Run, Runs


class Score(NamedTuple):
    """The published mean attention on the optimal tokens, and the run that it is compared with."""

    run: str
    label: str
    published: float


# The published numbers are of other sentences and of another network, so that nothing is expected of these.
@claim(
    "table_attention",
    says="Attention that {case.label} pays to the optimal tokens: mean over sentences and seeds, from 0 to 1 within a "
    "sentence (published, of other sentences: {case.published})",
    cases={
        "mirror": Score("imdb_1_1", "l_1.1 mirror descent", 0.4387),
        "gradient": Score("imdb_2", "gradient descent", 0.3122),
    },
    basis=AUTHORS_CODE,
    source="table stored with the published notebook",
    scales=FULL_SCALES,
)
def on_optimal(runs: Runs, case: Score) -> Check:
    run = runs[case.run]
    return check(run["designated_attention"].at(run.last_step).mean(), REPORTED)


@claim(
    "table_attention",
    says="l_1.1 mirror descent selects optimal tokens better than gradient descent: mean attention on them minus that "
    "under gradient descent, over sentences and seeds (published, of other sentences: 0.1265)",
    basis=PAPER,
    source=f"{SELECTION}; the sign of the difference alone is judged",
    scales=FULL_SCALES,
)
def mirror_above_gradient(imdb_1_1: Run, imdb_2: Run) -> Check:
    return check(gap_at_the_end(imdb_1_1, imdb_2, "designated_attention"), at_least(0))
