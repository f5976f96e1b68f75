"""Claims about the comparison of all optimizers. Most of them test what the papers say about these optimizers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.comparison.report import REACHED, TUNED
from attention_dynamics.problems.problem import Array
from attention_dynamics.series.series import EndedError

MAX_MARGIN = tuple(f"max_margin_fig{name}" for name in ("1a", "1b", "1c", "3a", "5", "8"))
FAST_RATES = ("nearly_orthogonal", "nearly_orthogonal_joint", "antipodal")
MIRROR_DESCENT = {"1.1": "mirror_descent_1_1", "1.75": "mirror_descent_1_75", "3": "mirror_descent_3"}


class Table:
    """The rows of a comparison that are about tuned values. The claims in this module read it in place of a run.

    table: all rows, as in figures/compare/all.csv.
    """

    # ``judge`` reads this attribute of every run. Here it is empty, because the table counts a diverged trajectory as a
    # failure of its optimizer already.
    diverged = np.zeros(0, dtype=bool)

    def __init__(self, table: pd.DataFrame) -> None:
        # The column "nearest_norm" is missing if no optimizer could be run.
        tuned = table[table["column"] == TUNED].reindex(columns=list(dict.fromkeys([*table, "nearest_norm"])))
        self._rows = tuned.set_index(["problem", "optimizer"])
        self.problems = list(tuned["problem"].unique())
        # Problems on which at least one optimizer has a nearest norm. If the SVMs in all norms coincide, none has.
        self.with_norms = list(tuned.loc[tuned["nearest_norm"].notna(), "problem"].unique())

    def column(self, optimizer: str, name: str, problems: Sequence[str] | None = None) -> NDArray[Any]:
        """Return the column ``name`` for an optimizer, (problems,), on the given problems, by default on all.

        Raises EndedError, so that the claim is not judged, if the comparison lacks the optimizer or a problem.
        """
        rows = [(problem, optimizer) for problem in problems or self.problems]
        for problem, _ in rows:
            if (problem, optimizer) not in self._rows.index:
                known = [" ".join(names) for names in self._rows.index]
                raise EndedError(f"optimizer on problem: {format_wrong_choice(f'{optimizer} on {problem}', known)}")
        return self._rows.loc[rows, name].to_numpy()

    def solved(self, optimizer: str) -> int:
        """Return the number of problems on which an optimizer has the status REACHED."""
        return int((self.column(optimizer, "status") == REACHED).sum())


@claim(
    "all",
    says="On the data of Max-margin, normalized gradient descent needs no more steps than gradient descent to a "
    "softmax probability of 0.99: ratios of the medians on Figs 1a, 1b, 1c, 3a, 5 and 8, each with its best step size",
    basis=PAPER,
    source="Max-margin, Section 4: 'the normalized gradient method achieves a softmax probability of [1] quicker'; "
    "there with one step size each",
    scales=FULL_SCALES,
)
def normalized_is_quicker_on_max_margin(table: Table) -> Check:
    return check(_ratios(table, "normalized_gd", "gd", "steps_softmax_99", MAX_MARGIN), at_most(1))


@claim(
    "all",
    cases={"softmax": "steps_softmax_99", "direction": "steps_cosine_99"},
    says="On the data of Fast rates, normalized gradient descent and Polyak's step need no more steps than gradient "
    "descent, each with its best step size: ratios of the medians of {case} on nearly orthogonal tokens, the same "
    "trained jointly, and antipodal tokens, for NGD and then for Polyak's step",
    basis=PAPER,
    source="Fast rates, Section 5: '(S)NGD-based training leads to faster convergence for various metrics compared to "
    "vanilla (S)GD', and caption of Fig 1: 'SNGD and SPS, employing adaptive step-size rules, demonstrate "
    "significantly faster training'; there of networks, and with one step size each",
    scales=FULL_SCALES,
)
def adaptive_steps_are_quicker_on_fast_rates(table: Table, case: str) -> Check:
    parts = [_ratios(table, name, "gd", case, FAST_RATES) for name in ("normalized_gd", "polyak")]
    return check(np.concatenate(parts), at_most(1))


@claim(
    "all",
    cases=MIRROR_DESCENT,
    says="{case} ends nearest to the SVM in its own norm, of $p = 1.1$, 1.75, 2 and 3: share of the "
    "problems on which these differ",
    basis=PAPER,
    source="Mirror descent, abstract: 'these algorithms converge in direction to a generalized hard-margin SVM with an "
    "l_p-norm objective'; problems on which the SVMs of all four norms are the same were left out after seeing",
    scales=FULL_SCALES,
)
def mirror_descent_ends_at_own_norm(table: Table, case: str) -> Check:
    exponent = float(case.removeprefix("mirror_descent_").replace("_", "."))
    return check(float((table.column(case, "nearest_norm", table.with_norms) == exponent).mean()), at_least(1))


@claim(
    "all",
    cases=["gd", "normalized_gd", "polyak"],
    says="{case} ends nearest to the Euclidean SVM, of those with $p = 1.1$, 1.75, 2 and 3: share of "
    "the problems on which these differ",
    basis=PAPER,
    source="Max-margin and Fast rates: the direction of the iterates converges to the Euclidean SVM of tokens; the "
    "theorems are about the limit, here it is the end of the budget; problems on which the SVMs of all four norms are "
    "the same were left out after seeing",
    scales=FULL_SCALES,
    explanation="GD is far from its limit after the budget: on the data of Figs 1a and 1c of Max-margin, where it ends "
    "nearest to another SVM, $1 - \\cos$ is still 0.02 and 0.01. Polyak's step, which is not cut here, overflows on "
    "random problems.",
)
def gradient_methods_end_at_euclidean_norm(table: Table, case: str) -> Check:
    return check(float((table.column(case, "nearest_norm", table.with_norms) == 2).mean()), at_least(1))


@claim(
    "all",
    cases=["normalized_gd", "polyak"],
    says="{case} resembles Adam: median over the problems of its steps to a softmax probability of 0.99 over those of "
    "Adam, each with its best step size",
    basis=CHOSEN,
    source="Fast rates, captions of Figs 1 and 4, says of networks that SNGD and SPS train 'closely resembling the "
    "performance of Adam'; here the same of attention alone, within a factor of two, chosen before seeing",
    scales=FULL_SCALES,
    explanation="They are about twenty times as quick. All step sizes are chosen for the direction, which Adam hardly "
    "finds.",
)
def adaptive_steps_resemble_adam(table: Table, case: str) -> Check:
    ratios = _ratios(table, case, "adam", "steps_softmax_99", table.problems)
    return check(float(np.median(ratios[~np.isnan(ratios)])), near(1.25, within=0.75))


@claim(
    "all",
    says="Adam ends elsewhere: number of problems on which it reaches a cosine of 0.99 with the Euclidean SVM of its "
    "own tokens, with its best step size",
    basis=CHOSEN,
    source="no paper says it; chosen after seeing that it did so on none of three problems",
    scales=FULL_SCALES,
)
def adam_ends_elsewhere(table: Table) -> Check:
    return check(float(table.solved("adam")), at_most(len(table.problems) / 2))


@claim(
    "all",
    says="Normalized gradient descent reaches a cosine of 0.99 with the SVM of its own tokens within the budget: "
    "number of problems",
    basis=CHOSEN,
    source="all but one of the problems; chosen before seeing more than three of them",
    scales=FULL_SCALES,
)
def normalized_solves_most(table: Table) -> Check:
    return check(float(table.solved("normalized_gd")), at_least(len(table.problems) - 1))


def _ratios(table: Table, one: str, other: str, name: str, problems: Sequence[str]) -> Array:
    """Return the steps (column ``name``) of ``one`` over those of ``other``, (problems,); NaN if both are infinite."""
    steps = [table.column(optimizer, name, problems) for optimizer in (one, other)]
    with np.errstate(invalid="ignore"):
        return np.asarray(steps[0] / steps[1])
