"""Claims about Fig 1: the max-margin directions that training p alone converges to."""

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, check, equals, near
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import LMM_SET, Run
from attention_dynamics.series.statistics import slope, smallest_increase

# From one step to the next, up to rounding.
NO_DECREASE = at_least(-1e-9)
# Every normalized step has length 0.1, and in the end all of them go the same way.
STEP_LENGTH = near(0.1, within_percent=1)


def _growth_per_step(run: Run) -> Array:
    """Return the slopes of the norm of p over the second half of the run."""
    return slope(run["norm_p"].during(500, 1000))


# Fig 1a: one input whose only locally-optimal token is the optimal one. The six starts are (0, y), y from 1 to -1.5.


@claim(
    "fig1a",
    says="All six trajectories converge to the GMM direction: smallest cosine after 1000 steps",
    basis=CHOSEN,
    source="Section 2.1, as for 200 steps; the threshold is ours, just below the numbers of an independent run",
)
def converges_by_1000(single_global: Run) -> Check:
    return check(single_global["correlation_gmm"].at(1000).min(), at_least(0.999))


@claim(
    "fig1a",
    says="The inner product of p(t) / |p(t)| with the GMM direction consistently increases: smallest change from one "
    "step to the next, of each start",
    basis=PAPER,
    source="Section 2.1: 'as the iteration count increases, the inner product consistently increases'; -1e-9 for "
    "rounding",
    explanation="Taken from the first step on, the sentence is true of the four starts with y <= 0. The starts y = 1 "
    "and y = 0.5 lie close to the GMM ray; their first steps lead away from it, and the cosine falls until step 31 "
    "and 22. From step 35 on it increases for all six (increases_from_35).",
)
def increases(single_global: Run) -> Check:
    return check(smallest_increase(single_global["correlation_gmm"].during(1, 1000)), NO_DECREASE)


@claim(
    "fig1a",
    says="From step 35 on the inner product with the GMM direction increases for all six starts: smallest change from "
    "one step to the next",
    basis=CHOSEN,
    source="step 35 chosen after seeing an independent run, in which the starts y = 1 and y = 0.5 dip until step 31",
)
def increases_from_35(single_global: Run) -> Check:
    return check(smallest_increase(single_global["correlation_gmm"].during(35, 1000)).min(), NO_DECREASE)


@claim(
    "fig1a",
    says="For the four starts with y <= 0 the inner product increases from the first step on: smallest change from "
    "one step to the next",
    basis=CHOSEN,
    source="chosen after seeing an independent run, in which only y = 1 and y = 0.5 dip",
)
def increases_from_the_start(single_global: Run) -> Check:
    cosine = single_global["correlation_gmm"].trajectories(2, 3, 4, 5)
    return check(smallest_increase(cosine.during(1, 1000)).min(), NO_DECREASE)


@claim(
    "fig1a",
    says="The norm of p diverges: its growth per step over the second half",
    basis=DERIVED,
    source="Theorem 2; once the direction has settled, every step of length 0.1 adds 0.1 to the norm",
)
def norm_diverges(single_global: Run) -> Check:
    return check(_growth_per_step(single_global), STEP_LENGTH)


@claim(
    "fig1a",
    says="ATT-SVM of the optimal token has the published objective: |p_mm|^2 / 2",
    basis=AUTHORS_CODE,
    source="printed by the published notebook",
)
def gmm_objective(single_global: Run) -> Check:
    return check(single_global.reference("gmm", "objective"), near(0.49505, within=1e-5))


@claim(
    "fig1a",
    says="The GMM direction is that of the optimal token, (-0.1, 1, 0): its three coordinates",
    basis=DERIVED,
    source="only the constraint against (0, 0) is active, so that p_mm is a multiple of the difference of the two "
    "tokens; against (1, 0) it has margin 1.099",
)
def gmm_direction(single_global: Run) -> Check:
    return check(single_global.reference("gmm", "direction"), near([-0.099503719, 0.995037190, 0], within=1e-8))


@claim(
    "fig1a",
    says="The optimal token is the only locally-optimal one: indices of the locally-optimal tokens",
    basis=DERIVED,
    source="Definition 2: p_mm of (1, 0) has the neighbor (0, 0), which scores as high; p_mm of (0, 0) has "
    "neighbors that score more or as high",
)
def lmm_count(single_global: Run) -> Check:
    return check(single_global.reference(LMM_SET, "selected"), equals(0))


@claim(
    "fig1a",
    says="The only SVM-neighbor of the optimal token is (0, 0): flags of the three tokens",
    basis=DERIVED,
    source="Definition 2; the margin of (1, 0) is 1.099, solved by hand",
)
def neighbor(single_global: Run) -> Check:
    return check(single_global.reference("gmm", "neighbors"), equals([0, 0, 1]))


@claim(
    "fig1a",
    says="The token (1, 0) is not locally optimal, because its neighbor (0, 0) scores as high: verdict of the test",
    basis=DERIVED,
    source="Definition 2, which asks for a strictly higher score; both score 0.9",
)
def other_is_not_local(single_global: Run) -> Check:
    return check(single_global.reference("lmm", "locally_optimal"), equals(0))


# Fig 1b: the same tokens and starts, but (0, 0) scores less, so that (1, 0) is locally optimal too.


@claim(
    "fig1b",
    says="The starts y = 1, 0.5, 0, -0.5 converge to GMM: smallest cosine after 200 steps",
    basis=CHOSEN,
    source="Fig 1b; starts and threshold from an independent cancellation-free run",
)
def global_by_200(single_local: Run) -> Check:
    cosine = single_local["correlation_gmm"].trajectories(0, 1, 2, 3)
    return check(cosine.at(200).min(), at_least(0.998))


@claim(
    "fig1b",
    says="The starts y = -1, -1.5 converge to the LMM direction (1, 0): smaller cosine after 200 steps",
    basis=CHOSEN,
    source="Section 2.2: 'when properly initialized, converges towards the direction'; starts and threshold from an "
    "independent cancellation-free run",
)
def local_by_200(single_local: Run) -> Check:
    cosine = single_local["correlation_lmm"].trajectories(4, 5)
    return check(cosine.at(200).min(), at_least(0.998))


@claim(
    "fig1b",
    says="The norm of p diverges in the GMM and in the LMM direction: its growth per step over the second half",
    basis=DERIVED,
    source="Theorem 3; once the direction has settled, every step of length 0.1 adds 0.1 to the norm",
)
def norm_diverges_to_either(single_local: Run) -> Check:
    return check(_growth_per_step(single_local), STEP_LENGTH)


@claim(
    "fig1b",
    says="Two of the three tokens are locally optimal: their indices",
    basis=DERIVED,
    source="Definition 2: (-0.1, 1) and (1, 0) both have the one neighbor (0, 0), which scores 0",
)
def lmm_set(single_local: Run) -> Check:
    return check(single_local.reference(LMM_SET, "selected"), equals([0, 1]))


@claim(
    "fig1b",
    says="The two locally-optimal tokens have the directions (-0.1, 1) and (1, 0): coordinates, normalized",
    basis=DERIVED,
    source="one active constraint each, against (0, 0), so that p_mm is a multiple of the token",
)
def lmm_directions(single_local: Run) -> Check:
    expected = [-0.099503719, 0.995037190, 0, 1, 0, 0]
    return check(single_local.reference(LMM_SET, "direction"), near(expected, within=1e-8))


# Fig 1c: three inputs of seven tokens.


@claim(
    "fig1c",
    says="Trajectories from six starts converge to the GMM direction: smallest cosine after 200 steps",
    basis=CHOSEN,
    source="Section 2.1: 'Figure 1(c) also depicts the directional convergence of gradient descent from various "
    "initializations on multiple inputs'; the threshold is ours, just below the numbers of an independent run",
)
def several_inputs_by_200(several: Run) -> Check:
    return check(several["correlation_gmm"].at(200).min(), at_least(0.998))


@claim(
    "fig1c",
    says="The norm of p diverges on several inputs: its growth per step over the second half",
    basis=DERIVED,
    source="Theorem 2; once the direction has settled, every step of length 0.1 adds 0.1 to the norm",
)
def norm_diverges_with_several_inputs(several: Run) -> Check:
    return check(_growth_per_step(several), STEP_LENGTH)
