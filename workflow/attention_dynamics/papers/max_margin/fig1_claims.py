"""Claims about Fig 1: the max-margin directions that training p alone converges to."""

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, check, equals, near
from attention_dynamics.claims.results import LMM_SET, Results
from attention_dynamics.claims.statistics import count_above, slope, smallest, smallest_increase
from attention_dynamics.problems.problem import Array

# From one step to the next, up to rounding.
NEVER_FALLS = at_least(-1e-9)
# Every normalized step has length 0.1, and in the end all of them go the same way.
STEP_LENGTH = near(0.1, within_percent=1)


def _growth_per_step(run: Results) -> Array:
    """Return the slopes of the norm of p over the second half of the run."""
    return slope(run["norm_p"].during(500, 1000))


# Fig 1a: one input whose only locally-optimal token is the optimal one. The six starts are (0, y), y from 1 to -1.5.


@claim(
    "fig1a",
    says="All six trajectories converge to the GMM direction: cosine after 200 steps",
    basis=CHOSEN,
    source="Section 2.1, Fig 1a; threshold from an independent cancellation-free run",
)
def converges_by_200(single_global: Results) -> Check:
    return check(single_global["correlation_gmm"].at(200).min(), at_least(0.990))


@claim(
    "fig1a",
    says="The same after 1000 steps",
    basis=CHOSEN,
    source="Section 2.1, Fig 1a; threshold from an independent cancellation-free run",
)
def converges_by_1000(single_global: Results) -> Check:
    return check(single_global["correlation_gmm"].at(1000).min(), at_least(0.999))


@claim(
    "fig1a",
    says="Cosine of each trajectory with the GMM direction after 200 steps",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def cosines_at_200(single_global: Results) -> Check:
    expected = [0.9954, 0.9949, 0.9944, 0.9939, 0.9932, 0.9925]
    return check(single_global["correlation_gmm"].at(200), near(expected, within=1e-4))


@claim(
    "fig1a",
    says="The inner product with the GMM direction consistently increases as the iteration count increases",
    basis=PAPER,
    source="Section 2.1",
    explanation="Taken from the first step on, the sentence is true of the four starts with y <= 0. The starts y = 1 "
    "and y = 0.5 lie close to the GMM ray; their first steps lead away from it, and the cosine falls until step 31 and "
    "22. From step 35 on it increases for all six (next claim).",
)
def increases(single_global: Results) -> Check:
    return check(smallest_increase(single_global["correlation_gmm"].during(1, 1000)).min(), NEVER_FALLS)


@claim(
    "fig1a",
    says="The inner product increases from step 35 on, for all six starts",
    basis=CHOSEN,
    source="the starts y = 1 and y = 0.5 dip first, in an independent cancellation-free run",
)
def increases_from_35(single_global: Results) -> Check:
    return check(smallest_increase(single_global["correlation_gmm"].during(35, 1000)).min(), NEVER_FALLS)


@claim(
    "fig1a",
    says="The inner product increases from the first step for the four starts with y <= 0",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def increases_from_the_start(single_global: Results) -> Check:
    cosine = single_global["correlation_gmm"].trajectories(2, 3, 4, 5)
    return check(smallest_increase(cosine.during(1, 1000)).min(), NEVER_FALLS)


@claim(
    "fig1a",
    says="From the starts y = 1 and y = 0.5 the cosine first falls to a minimum",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def first_dips(single_global: Results) -> Check:
    cosine = single_global["correlation_gmm"].trajectories(0, 1)
    return check(smallest(cosine.during(1, 1000)), near([0.9767, 0.9645], within=1e-4))


@claim(
    "fig1a",
    says="The norm of p diverges (Theorem 2): slope per step over the second half",
    basis=DERIVED,
    source="Theorem 2; every step has length 0.1",
)
def norm_diverges(single_global: Results) -> Check:
    return check(_growth_per_step(single_global), STEP_LENGTH)


@claim(
    "fig1a",
    says="The norm of p after 1000 steps",
    basis=DERIVED,
    source="98 to 101 in an independent cancellation-free run",
)
def norm_at_1000(single_global: Results) -> Check:
    return check(single_global["norm_p"].at(1000), near(99.5, within=1.5))


@claim(
    "fig1a",
    says="Objective of ATT-SVM for the optimal token",
    basis=AUTHORS_CODE,
    source="printed by the published notebook",
)
def gmm_objective(single_global: Results) -> Check:
    return check(single_global.reference("gmm", "objective"), near(0.49505, within=1e-5))


@claim(
    "fig1a",
    says="GMM direction, (-0.1, 1, 0) / 1.01 normalized",
    basis=DERIVED,
    source="two constraints, solved by hand",
)
def gmm_direction(single_global: Results) -> Check:
    return check(single_global.reference("gmm", "direction"), near([-0.099503719, 0.995037190, 0], within=1e-8))


@claim(
    "fig1a",
    says="The optimal token is the only locally-optimal one",
    basis=DERIVED,
    source="Definition 2, by enumeration",
)
def lmm_count(single_global: Results) -> Check:
    return check(single_global.reference(LMM_SET, "selected"), equals(0))


@claim(
    "fig1a",
    says="The only SVM-neighbour of the optimal token is (0, 0)",
    basis=DERIVED,
    source="Definition 2",
)
def neighbour(single_global: Results) -> Check:
    return check(single_global.reference("gmm", "neighbours"), equals([0, 0, 1]))


@claim(
    "fig1a",
    says="The token (1, 0) is not locally optimal, because its neighbour (0, 0) scores as high",
    basis=DERIVED,
    source="Definition 2",
)
def other_is_not_local(single_global: Results) -> Check:
    return check(single_global.reference("lmm", "locally_optimal"), equals(0))


# Fig 1b: the same tokens and starts, but (0, 0) scores less, so that (1, 0) is locally optimal too.


@claim(
    "fig1b",
    says="Gradient descent reaches either direction, depending on the start; how many of the six reach GMM",
    basis=DERIVED,
    source="Section 2.2, Fig 1b; count from an independent cancellation-free run",
)
def partition(single_local: Results) -> Check:
    return check(count_above(single_local["correlation_gmm"].at(1000), 0.9999), equals(4))


@claim(
    "fig1b",
    says="The same count for the locally-optimal direction",
    basis=DERIVED,
    source="Section 2.2, Fig 1b; count from an independent cancellation-free run",
)
def partition_local(single_local: Results) -> Check:
    return check(count_above(single_local["correlation_lmm"].at(1000), 0.9999), equals(2))


@claim(
    "fig1b",
    says="The starts y = 1, 0.5, 0, -0.5 converge to GMM",
    basis=CHOSEN,
    source="Fig 1b; threshold from an independent cancellation-free run",
)
def global_by_200(single_local: Results) -> Check:
    cosine = single_local["correlation_gmm"].trajectories(0, 1, 2, 3)
    return check(cosine.at(200).min(), at_least(0.998))


@claim(
    "fig1b",
    says="The starts y = -1, -1.5 converge to LMM",
    basis=CHOSEN,
    source="Fig 1b, Theorem 3; threshold from an independent cancellation-free run",
)
def local_by_200(single_local: Results) -> Check:
    cosine = single_local["correlation_lmm"].trajectories(4, 5)
    return check(cosine.at(200).min(), at_least(0.998))


@claim(
    "fig1b",
    says="The norm of p diverges: slope per step over the second half",
    basis=DERIVED,
    source="Theorem 3; every step has length 0.1",
)
def norm_diverges_to_either(single_local: Results) -> Check:
    return check(_growth_per_step(single_local), STEP_LENGTH)


@claim(
    "fig1b",
    says="Tokens whose selection is locally optimal, out of all three",
    basis=DERIVED,
    source="Definition 2, by enumeration",
)
def lmm_set(single_local: Results) -> Check:
    return check(single_local.reference(LMM_SET, "selected"), equals([0, 1]))


@claim(
    "fig1b",
    says="Their directions, GMM and (1, 0)",
    basis=DERIVED,
    source="Definition 2, solved by hand",
)
def lmm_directions(single_local: Results) -> Check:
    expected = [-0.099503719, 0.995037190, 0, 1, 0, 0]
    return check(single_local.reference(LMM_SET, "direction"), near(expected, within=1e-8))


# Fig 1c: three inputs of seven tokens.


@claim(
    "fig1c",
    says="Trajectories from different starts converge to the GMM direction",
    basis=CHOSEN,
    source="Section 2.1, Fig 1c; threshold from an independent cancellation-free run",
)
def several_inputs_by_200(several: Results) -> Check:
    return check(several["correlation_gmm"].at(200).min(), at_least(0.998))


@claim(
    "fig1c",
    says="The same after 1000 steps",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def several_inputs_by_1000(several: Results) -> Check:
    return check(several["correlation_gmm"].at(1000), near(0.9998, within=1e-4))


@claim(
    "fig1c",
    says="GMM direction",
    basis=DERIVED,
    source="independent solution of ATT-SVM",
)
def several_inputs_direction(several: Results) -> Check:
    return check(several.reference("gmm", "direction"), near([0.98009, 0.19857, 0], within=1e-5))


@claim(
    "fig1c",
    says="Norm of the ATT-SVM solution",
    basis=DERIVED,
    source="independent solution of ATT-SVM",
)
def gmm_norm(several: Results) -> Check:
    return check(several.reference("gmm", "norm"), near(0.86179, within=1e-5))


@claim(
    "fig1c",
    says="The norm of p diverges: slope per step over the second half",
    basis=DERIVED,
    source="Theorem 2; every step has length 0.1",
)
def norm_diverges_with_several_inputs(several: Results) -> Check:
    return check(_growth_per_step(several), STEP_LENGTH)
