"""Claims about the attention of text classifiers on the optimal token of short sentences."""

from typing import NamedTuple

from attention_dynamics.claims.claim import AUTHORS_CODE, FULL_SCALES, claim
from attention_dynamics.claims.expectation import REPORTED, Check, at_least, check
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.papers.mirror_descent.comparison import gap_at_the_end

OTHER_SENTENCES = "the published table of other sentences"


class Score(NamedTuple):
    """The published mean attention on the optimal tokens, and the run that it is compared with."""

    run: str
    called: str
    published: float


@claim(
    "table_attention",
    says="Mean attention on the optimal tokens under {case.called} is reported (published: {case.published})",
    cases={
        "mirror": Score("imdb_1_1", "l_1.1 mirror descent", 0.4387),
        "gradient": Score("imdb_2", "gradient descent", 0.3122),
    },
    basis=AUTHORS_CODE,
    source=OTHER_SENTENCES,
    scales=FULL_SCALES,
)
def on_optimal(runs: Runs, case: Score) -> Check:
    run = runs[case.run]
    return check(run["designated_attention"].at(run.last_step).mean(), REPORTED)


@claim(
    "table_attention",
    says="l_1.1 mirror descent selects better: mean attention on the optimal tokens minus that under gradient descent "
    "(published: .1265)",
    basis=AUTHORS_CODE,
    source=OTHER_SENTENCES,
    scales=FULL_SCALES,
    at_scale={"laptop": REPORTED, "workstation": REPORTED},
)
def mirror_above_gradient(imdb_1_1: Results, imdb_2: Results) -> Check:
    return check(gap_at_the_end(imdb_1_1, imdb_2, "designated_attention"), at_least(0))
