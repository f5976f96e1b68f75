"""Claims about Fig 1: the max-margin directions that training p alone converges to.

The six starts of Figs 1a and 1b are (0, y) with y from 1 to -1.5.
"""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.papers.max_margin.convergence import AT_THE_END, FIVE_DEGREES, TURNING, degrees_at, turning
from attention_dynamics.run import LMM_SET, Run
from attention_dynamics.series.statistics import rank_correlation, smallest_increase

# Expectation for the smallest change from one step to the next: no decrease, up to rounding.
NO_DECREASE = at_least(-1e-9)


# Fig 1a: one input whose only locally-optimal token is the optimal one.


@claim(
    "fig1a", statement="fig1a-converges", says=f"To GMM: {TURNING}", basis=CHOSEN,
    source="Section 2.1; data, starts and step size of the published code; the windows are ours",
)  # fmt: skip
def converges(single_global: Run) -> Check:
    return check(turning(single_global["correlation_gmm"]), at_most(1))


@claim(
    "fig1a", statement="fig1a-converges", says=f"To GMM: {AT_THE_END}", basis=CHOSEN,
    source="Section 2.1; five degrees, for all figures alike, are ours",
)  # fmt: skip
def converges_by_1000(single_global: Run) -> Check:
    return check(degrees_at(single_global["correlation_gmm"], 1000), FIVE_DEGREES)


@claim(
    "fig1a",
    statement="fig1a-inner-product",
    says="Of p(t) / |p(t)| with the GMM direction, the cosine: smallest change from one step to the next, from step 1 "
    "on, of each start",
    basis=CHOSEN,
    source="Section 2.1; the formula of the inner product is lost, the cosine is our reading; -1e-9 for rounding",
    explanation="The starts y = 1 and y = 0.5 lie close to the GMM ray; their first steps lead away from it, and the "
    "cosine falls until step 31 and 22. From step 35 on it increases for all six (increases_from_35).",
)
def increases(single_global: Run) -> Check:
    return check(smallest_increase(single_global["correlation_gmm"].during(1, 1000)), NO_DECREASE)


@claim(
    "fig1a",
    statement="fig1a-inner-product",
    says="Of p(t) itself with p_mm: smallest change from one step to the next, from step 0 on, of each start",
    basis=DERIVED,
    source="Lemma 4: -grad L has a positive inner product with p_mm, so that every step increases it",
)
def product_increases(single_global: Run) -> Check:
    along = single_global["norm_p"].values * single_global["correlation_gmm"].values
    return check(single_global.reference("gmm", "norm") * np.diff(along, axis=0).min(0), at_least(0))


@claim(
    "fig1a",
    says="From step 35 on the cosine with the GMM direction increases for all six starts: smallest change from one "
    "step to the next",
    basis=CHOSEN,
    source="step 35 chosen after seeing that the starts y = 1 and y = 0.5 dip until step 31",
)
def increases_from_35(single_global: Run) -> Check:
    return check(smallest_increase(single_global["correlation_gmm"].during(35, 1000)).min(), NO_DECREASE)


@claim(
    "fig1a", statement="code-fig1a-objective", says="|p_mm|^2 / 2, to the printed digits", basis=AUTHORS_CODE,
    source="printed by the published notebook",
)  # fmt: skip
def gmm_objective(single_global: Run) -> Check:
    return check(single_global.reference("gmm", "objective"), near(0.49505, within=1e-5, published=True))


@claim(
    "fig1a",
    says="The GMM direction is that of the optimal token, (-0.1, 1, 0): its three coordinates",
    basis=DERIVED,
    source="only the constraint against (0, 0) is active, so that p_mm is a multiple of the difference of the two "
    "tokens; against (1, 0) it has margin 1.099",
)
def gmm_direction(single_global: Run) -> Check:
    return check(single_global.reference("gmm", "direction"), near([-0.099503719, 0.995037190, 0], within=1e-8))


# Fig 1b: the same tokens and starts, but (0, 0) scores less, so that (1, 0) is locally optimal too.


def _ends_at_lmm(run: Run) -> NDArray[np.bool_]:
    """Return a mask, (starts,), of the starts from which p is nearer to LMM than to GMM at step 1000."""
    ends: NDArray[np.bool_] = run["correlation_lmm"].at(1000) > run["correlation_gmm"].at(1000)
    return ends


@claim(
    "fig1b", statement="gd-often-local",
    says="Number of the six published starts that end nearer to LMM than to GMM, at step 1000", basis=CHOSEN,
    source="Section 2.2 shows it by Fig 1b; 'often' has no number, one start is our reading",
)  # fmt: skip
def ends_locally(single_local: Run) -> Check:
    return check(_ends_at_lmm(single_local).sum(), at_least(1))


@claim(
    "fig1b",
    statement="fig1b-properly-initialized",
    says=f"Of the starts that end nearer to LMM than to GMM: {TURNING}",
    basis=CHOSEN,
    source="Section 2.2; which starts are proper is read off the run; the windows are ours",
)
def converges_to_lmm(single_local: Run) -> Check:
    return check(turning(single_local["correlation_lmm"])[_ends_at_lmm(single_local)], at_most(1))


@claim(
    "fig1b",
    statement="fig1b-properly-initialized",
    says=f"Of the starts that end nearer to LMM than to GMM: {AT_THE_END}",
    basis=CHOSEN,
    source="Section 2.2; five degrees, for all figures alike, are ours",
)
def local_by_1000(single_local: Run) -> Check:
    return check(degrees_at(single_local["correlation_lmm"], 1000)[_ends_at_lmm(single_local)], FIVE_DEGREES)


@claim(
    "fig1b",
    says="The two locally-optimal tokens have the directions (-0.1, 1) and (1, 0): coordinates, normalized",
    basis=DERIVED,
    source="Definition 2: both have the one neighbor (0, 0), which scores 0; one active constraint each, against "
    "(0, 0), so that p_mm is a multiple of the token",
)
def lmm_directions(single_local: Run) -> Check:
    expected = [-0.099503719, 0.995037190, 0, 1, 0, 0]
    return check(single_local.reference(LMM_SET, "direction"), near(expected, within=1e-8))


# Fig 1c: three inputs of seven tokens.


@claim(
    "fig1c", statement="fig1c-converges", says=f"To GMM: {TURNING}", basis=CHOSEN,
    source="Section 2.1; data of the published generator, starts and step size of the code; the windows are ours",
)  # fmt: skip
def several_converge(several: Run) -> Check:
    return check(turning(several["correlation_gmm"]), at_most(1))


@claim(
    "fig1c", statement="fig1c-converges", says=f"To GMM: {AT_THE_END}", basis=CHOSEN,
    source="Section 2.1; five degrees, for all figures alike, are ours",
)  # fmt: skip
def several_converge_by_1000(several: Run) -> Check:
    return check(degrees_at(several["correlation_gmm"], 1000), FIVE_DEGREES)


# Claims about Figs 1a, 1b and 1c together.


@claim(
    statement="fig1-gradual-alignment",
    says="Spearman's rank correlation of the cosine with GMM and the step, over steps 1 to 200, for the six starts of "
    "Fig 1a and the six of Fig 1c",
    basis=CHOSEN,
    source="Section 2.1; a trend over the drawn steps is our reading of 'gradual'",
)
def gradual_alignment(single_global: Run, several: Run) -> Check:
    return check([rank_correlation(run["correlation_gmm"].during(1, 200)) for run in (single_global, several)],
                 at_least(0))  # fmt: skip


@claim(
    statement="selected-are-locally-optimal",
    says="Number of the 18 trajectories of Figs 1a, 1b and 1c that end, at step 1000, with tokens of largest softmax "
    "which Definition 2 does not accept; verdict on the optimal tokens of Fig 1c's data",
    basis=CHOSEN,
    source="Appendix E; the published examples of gradient descent on p alone; on Fig 1c's data only the optimal "
    "tokens count",
)
def selected_are_local(single_global: Run, single_local: Run, several: Run) -> Check:
    wrong = 0
    for run in (single_global, single_local, several):
        keys, prompts = run.problem.keys[0], run.trajectory["p"][run.at(1000), 0]
        accepted = (run.lmm_set or run.references["gmm"])["selected"].reshape(-1, len(keys)).tolist()
        wrong += sum((keys @ p).argmax(-1).tolist() not in accepted for p in prompts)
    return check([wrong, several.reference("gmm", "locally_optimal")], equals([0, 1]))
