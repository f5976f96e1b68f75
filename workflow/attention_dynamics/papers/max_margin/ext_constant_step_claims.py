"""Claims about Theorems 2 and 3 and Lemmas 4 to 7.

Claims about theorems use constant steps of at most 1 / L_p, where L_p is eq. 6 as we recall it (steps_are_small),
except turns and stays_in_cone, which use normalized steps. Their data are those of Fig 1a (six starts), Fig 8 (two
starts) and Fig 1b (three starts in the cone that leads to LMM). Lemmas 4, 5 and 7 are about points p, whatever steps
lead to them. Claims about these lemmas therefore also use short normalized steps, which reach larger norms. The runs
with a constant step of 1 are our addition.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.papers.max_margin.convergence import late_over_early, turning
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import slope, smallest

SMALL_RUNS = ("small_1a", "small_8", "small_1b")
# Half-angle of the cone around Fig 1b's LMM, in radians, and the smallest norm at which it is checked.
HALF_ANGLE, RADIUS = np.radians(1), 20


def _diverges(run: Run, norms: Array) -> Array:
    """Return the increase of exp(|p| / |p_mm|) in the last quarter of a run over that in the third quarter, (starts,).

    The ratio is 1 if |p| = |p_mm| ln t + constant. If |p| converges, the ratio tends to 0.71 at most: to
    ln(4/3) / ln(3/2) if |p| converges like 1 / ln t, to 0.5 if it converges like 1 / t, and to 0 if it converges
    exponentially. The first half of the run is not used, because |p| may fall there while p turns to p_mm.
    norms: (starts,), |p_mm| of the direction to which p converges from each start.
    """
    last = run.last_step
    size = np.exp([run["norm_p"].at(step) / norms for step in (last // 2, last // 4 * 3, last)])
    ratio: Array = (size[2] - size[1]) / (size[1] - size[0])
    return ratio


@claim(
    statement="theorem-2",
    says="Norm, from six starts on Fig 1a's data and two on Fig 8's (two inputs): growth of exp(|p| / |p_mm|) in the "
    "last quarter of the constant steps over that in the third; 1 where |p| grows as ln t, at most 0.71 if bounded",
    basis=CHOSEN,
    source="Theorem 2; 0.75 is ours, raised from 0.5 after seeing, because slow convergence gives up to 0.71",
    scales=FULL_SCALES,
)
def diverges(small_1a: Run, small_8: Run) -> Check:
    ends = np.concatenate([small_8.reference(name, "norm") for name in ("gmm", "lmm")])
    return check([_diverges(small_1a, small_1a.reference("gmm", "norm")), _diverges(small_8, ends)], at_least(0.75))


@claim(
    statement="theorem-2",
    says="Direction, with one input, from six starts on Fig 1a's data: largest angle to GMM in the last tenth of 2000 "
    "steps over that in the second tenth; with short normalized steps, which follow the path of small constant ones on "
    "another clock (under these the norm grows as ln t, too slowly to see p turn)",
    basis=CHOSEN,
    source="Theorem 2; the windows are ours",
)
def turns(far_1a: Run) -> Check:
    return check(turning(far_1a["correlation_gmm"], 2000), at_most(1))


@claim(
    statement="theorem-3",
    says="Norm, from three starts in the cone on Fig 1b's data: growth of exp(|p| / |p_mm|) in the last quarter of "
    "the constant steps over that in the third; 1 where |p| grows as ln t, at most 0.71 if bounded",
    basis=CHOSEN,
    source="Theorem 3; starts are ours, and 0.75, which was raised from 0.5 after seeing",
    scales=FULL_SCALES,
)
def diverges_in_cone(small_1b: Run) -> Check:
    return check(_diverges(small_1b, small_1b.reference("lmm", "norm")), at_least(0.75))


@claim(
    statement="theorem-2-tight",
    says="With constant steps, as in Theorem 2, too, two starts on Fig 8's data end at two directions: after 20,000 "
    "steps the nearer of GMM (0) and LMM (1)",
    basis=CHOSEN,
    source="Appendix E; tokens and starts are ours",
    scales=FULL_SCALES,
)
def two_inputs_need_start(small_8: Run) -> Check:
    cosines = [small_8[f"correlation_{name}"].at(small_8.last_step) for name in ("gmm", "lmm")]
    return check(np.argmax(cosines, axis=0), equals([0, 1]))


@claim(
    says="The constant steps of the runs that check theorems are small: step size times L_p = mean over the inputs of "
    "M_0 |v|^2 |W|^2 |X|^4 + 3 M_1 |v| |W|^2 |X|^3, on the data of Figs 1a, 8 and 1b",
    basis=DERIVED,
    source="eq. 6 as we recall it, with spectral norms, M_0 = 1/4 and M_1 = 1 for the logistic loss",
)
def steps_are_small(runs: Runs) -> Check:
    return check([_step_over_bound(runs[name]) for name in SMALL_RUNS], at_most(1))


def _step_over_bound(run: Run) -> float:
    # Step size times L_p, the formula in the statement of ``steps_are_small``.
    problem = run.problem
    v, W = np.linalg.norm(problem.head[0]), np.linalg.norm(problem.key_weights, 2)
    X = np.linalg.norm(problem.tokens[0], 2, axis=(-2, -1))
    return float(run.training.optimizer.step_size * (v**2 * W**2 * X**4 / 4 + 3 * v * W**2 * X**3).mean())


@claim(
    says="With a constant step of 1 the norm of p grows as |p_mm| ln t from all six starts on Fig 1a's data: slope of "
    "|p| against ln t from step 3000 to 60000, over |p_mm|",
    basis=DERIVED,
    source="once the direction has settled the gradient has the size C exp(-|p| / |p_mm|), so that |p| = |p_mm| ln t + "
    "constant; the tolerance is ours",
    scales=FULL_SCALES,
)
def norm_is_a_line(constant_1a: Run) -> Check:
    slopes = slope(constant_1a["norm_p"].during(3_000, 60_000), time="log")
    return check(slopes / constant_1a.reference("gmm", "norm"), near(1, within=0.05))


@claim(
    says="From (1, 0), which lies on the LMM ray of Fig 1b but near the origin, gradient descent with a constant step "
    "leaves LMM: cosine with LMM after 60000 steps",
    basis=CHOSEN,
    source="ours: Theorem 3 says that a start beyond some norm suffices, not that it is needed; the threshold is ours",
    scales=FULL_SCALES,
)
def near_start_leaves(constant_1b: Run) -> Check:
    return check(constant_1b["correlation_lmm"].starts(2).at(60_000), at_most(0.5))


# Claims about the lemmas in the proofs of the theorems.


@claim(
    statement="lemma-4;no-finite-critical-points",
    says="Smallest cosine of -grad L with GMM over all recorded points of twelve trajectories on the data of Figs 1a "
    "and 1c, which meet Assumption B",
    basis=DERIVED,
    source="every token contributes s_1 s_t (gamma_1 - gamma_t) times a margin of at least 1",
)
def descent_direction(constant_1a: Run, constant_1c: Run, far_1a: Run) -> Check:
    return check([smallest(run["alignment"]).min() for run in (constant_1a, constant_1c, far_1a)], at_least(0))


def _excess(run: Run) -> Array:
    """Return, for each start, the largest excess of a ratio over 1 far from the origin, divided by that near it.

    The ratio is <grad L, p / |p|> / <grad L, p_mm / |p_mm|>. "Far" is steps 1001 to 2000, where |p| is 48 to 107.
    "Near" is steps 101 to 200, where |p| is 3 to 17. The result is 0 if both excesses are below 1e-6.
    """
    excess = run["gradient_ratio"]
    excess = Series.of(excess.steps, np.maximum(excess.values - 1, 0)[:, None], {})
    return late_over_early(excess, (101, 200), (1001, 2000))


@claim(
    statement="lemma-5",
    says="Largest excess over 1 of <grad L, p / |p|> / <grad L, p_mm / |p_mm|> at norms of 50 to 100 over that at "
    "norms of 5 to 10, of six trajectories on Fig 1a's data; 0 where there is none",
    basis=CHOSEN,
    source="Lemma 5: the excess is at most pi, for any pi, once |p| is large enough; the windows are ours",
)
def near_optimal_descent(far_1a: Run) -> Check:
    return check(_excess(far_1a), at_most(1))


@claim(
    statement="lemma-7-l3",
    says="Largest excess over 1 of <grad L, p / |p|> / <grad L, p_mm / |p_mm|> at norms of 55 to 105 over that at "
    "norms of 10 to 15, of three trajectories in the cone on Fig 1b's data; 0 where there is none",
    basis=CHOSEN,
    source="Lemma 7 (L3): the excess is at most pi, for any pi, once |p| is large enough; the windows are ours",
)
def near_optimal_descent_in_cone(far_1b: Run) -> Check:
    return check(_excess(far_1b), at_most(1))


@claim(
    statement="lemma-6-summable",
    says="Largest |grad L| in the last tenth of the constant steps over that in the second tenth, for the eleven "
    "trajectories that check the theorems",
    basis=CHOSEN,
    source="Lemma 6, eq. 26; the windows are ours",
    scales=FULL_SCALES,
)
def gradient_vanishes(small_1a: Run, small_8: Run, small_1b: Run) -> Check:
    ratios = []
    for run in (small_1a, small_8, small_1b):
        tenth = run.last_step // 10
        ratios.append(late_over_early(run["gradient_norm"], (tenth, 2 * tenth), (9 * tenth, 10 * tenth)))
    return check(ratios, at_most(1))


@claim(
    statement="lemma-7-l1;lemma-7-l2",
    says="Smallest cosine of -grad L with a direction of the cone of half-angle 1 degree around Fig 1b's LMM, over the "
    "points of a grid in it with 20 <= |p| <= 60",
    basis=CHOSEN,
    source="Lemma 7: there are a cone and a norm; this cone, this norm and the grid are ours",
)
def no_stationary_point(cone_points: Run) -> Check:
    inside = (cone_points["correlation_lmm"].at(0) >= np.cos(HALF_ANGLE)) & (cone_points["norm_p"].at(0) >= RADIUS)
    # The angle of -grad L to any direction in the cone is at most its angle to LMM plus HALF_ANGLE.
    angle = np.arccos(cone_points["alignment"].at(0)[inside]).max() + HALF_ANGLE
    return check(np.cos(angle), at_least(0))


@claim(
    statement="proof-theorem-3-never-leaves",
    says="From both edges of the cone of half-angle 1 degree around Fig 1b's LMM at |p| = 40, until the norm has "
    "doubled: largest angle to LMM on the way, over 1 degree; with normalized steps of 0.01, which follow the path of "
    "small constant ones on another clock",
    basis=CHOSEN,
    source="proof of Theorem 3: there are a cone and a norm; this cone and this norm are ours (calculated by hand: "
    "from a norm of about 22 on the path from the upper edge turns inwards; nearer, as in Fig 2b, it leaves for a "
    "while)",
)
def stays_in_cone(edges_1b: Run) -> Check:
    # The starts lie on the edge of the cone, where the ratio is 1 up to rounding. 1e-9 allows for the rounding.
    return check(np.arccos(edges_1b["correlation_lmm"].values.min(0)) / HALF_ANGLE, at_most(1 + 1e-9))
