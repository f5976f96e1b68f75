"""Claims about Theorems 5 and 6: the joint regularization path, the minimizers of the risk under |v| <= r, |p| <= R.

The steps of these runs are the radii R. The names of the runs end with the ratio r / R as a word, such as "two" for 2.
"""

from collections.abc import Iterable

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.papers.max_margin.convergence import angles, late_over_early
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run, Runs


def _turning(runs: Iterable[Run], references: Iterable[str]) -> list[Array]:
    """Return, for each run and reference, the angle to the reference at R = 100 divided by that at R = 10.

    The reference decides whether it is an angle of p or of v.
    """
    cosines = [run[f"correlation_{name}"] for run in runs for name in references]
    return [late_over_early(angles(cosine), (10, 10), (100, 100)) for cosine in cosines]


@claim(
    statement="theorem-5",
    says="On Fig 3a's data, where every optimal token is a support vector: angle of p to ATT-SVM, and of v to the "
    "label SVM, at R = 100 over that at R = 10, for r / R = 1/4, 1, 2, 4",
    basis=CHOSEN,
    source="Theorem 5; radii are ours",
)
def all_support(runs: Runs) -> Check:
    paths = [run for name, run in runs.items() if name.startswith("joint_3a")]
    return check(_turning(paths, ("gmm", "head")), at_most(1))


@claim(
    statement="theorem-6;lemma-13",
    says="On Fig 3b's data, where one optimal token is no support vector: angle of p to the relaxed SVM, and of v to "
    "the label SVM, at R = 100 over that at R = 10, for r / R = 1, 2, 4 (for r / R = 1/4 it does not fall)",
    basis=CHOSEN,
    source="Theorem 6 for r >= R; radii are ours",
)
def relaxed(joint_3b_one: Run, joint_3b_two: Run, joint_3b_four: Run) -> Check:
    return check(_turning((joint_3b_one, joint_3b_two, joint_3b_four), ("relaxed", "head")), at_most(1))


@claim(
    statement="lemma-12",
    says="On Fig 3b's data: smallest margin p'k of an optimal token, whose competitors are at the origin, over all R "
    "from 10 on, for r / R = 1, 2, 4",
    basis=CHOSEN,
    source="Lemma 12; the radius is ours",
)
def selects_optimal(joint_3b_one: Run, joint_3b_two: Run, joint_3b_four: Run) -> Check:
    smallest = []
    for run in (joint_3b_one, joint_3b_two, joint_3b_four):
        smallest.append((run.trajectory["p"][run.at(10) :, 0, 0] @ run.problem.keys[0, :, 0].T).min())
    return check(smallest, at_least(0))


@claim(
    says="Where one token is no support vector and r = R / 4, p of the joint regularization path (|p| <= R, |v| <= r) "
    "settles between ATT-SVM and the relaxed SVM: cosine with the relaxed SVM at R = 100",
    basis=DERIVED,
    source="the angle a of p solves 0.5 cos(a) - 2.5 sin(a) = 0.5 r / R, where the contributions of the support "
    "vectors and of the third input to the risk balance: cosine 0.98902 in the limit; along (1, 0) support vectors "
    "contribute exp(-r - R) and the third input exp(-1.5 r - 0.5 R), which is no larger if and only if r >= R",
)
def between_slow_head(joint_3b_quarter: Run) -> Check:
    return check(joint_3b_quarter["correlation_relaxed"].at(100), near(0.98902, within=0.001))
