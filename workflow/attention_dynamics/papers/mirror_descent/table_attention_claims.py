"""Claims about the attention of text classifiers on the optimal token of short sentences."""

from typing import NamedTuple

from attention_dynamics.claims.claim import AUTHORS_CODE, FULL_SCALES, claim
from attention_dynamics.claims.expectation import REPORTED, Check, at_least, check
from attention_dynamics.papers.mirror_descent.seed_means import attention_on_optimal
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.confidence import difference, estimate_mean


class Score(NamedTuple):
    """The published mean attention on the optimal tokens under the optimizer ``label``, and the run to compare."""

    run: str
    label: str
    published: float


# Reported only, because the published numbers are about other sentences and another network.
@claim(
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
    return check(estimate_mean(attention_on_optimal(runs[case.run])), REPORTED)


@claim(
    statement="output-attention",
    says="On 44 short sentences of ours, [CLS] pays more attention to the optimal token under l_1.1 mirror descent "
    "than under gradient descent with the same seed: difference of the means over sentences (published, of other "
    "sentences: 0.1265)",
    basis=AUTHORS_CODE,
    source="table stored with the published notebook",
    scales=FULL_SCALES,
)
def mirror_above_gradient(imdb_1_1: Run, imdb_2: Run) -> Check:
    return check(difference(attention_on_optimal(imdb_1_1), attention_on_optimal(imdb_2)), at_least(0))
