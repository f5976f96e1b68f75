"""Claims about the arithmetic of Figs 1a, 1b and 3b: after a few hundred steps round-off decides where p goes."""

from attention_dynamics.claims.claim import CHOSEN, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import change


def _cosine_of_local_starts(run: Results) -> Series:
    """Return the cosine with LMM from the starts y = -1 and y = -1.5 of Fig 1b, which converge to it."""
    return run["correlation_lmm"].trajectories(4, 5)


@claim(
    "ext_precision",
    says="In single precision the cosine with GMM of Fig 1a falls after step 150: largest change to step 1000 over "
    "the six starts",
    basis=CHOSEN,
    source="threshold from an independent run of the published float32 recipe",
)
def fig1a_float32_falls(single_global_float32: Results) -> Check:
    return check(change(single_global_float32["correlation_gmm"], 150, 1000).max(), at_most(-0.01))


@claim(
    "ext_precision",
    says="In single precision the norm of p of Fig 1a stalls: its largest value after 1000 steps of length 0.1",
    basis=RECOMPUTED,
    source="independent run of the published float32 recipe",
)
def fig1a_float32_stalls(single_global_float32: Results) -> Check:
    return check(single_global_float32["norm_p"].at(1000).max(), near(15.7, within=0.2))


@claim(
    "ext_precision",
    says="In single precision both trajectories of Fig 1b that reached LMM leave it: larger cosine after 1000 steps",
    basis=CHOSEN,
    source="threshold from an independent run of the published float32 recipe",
)
def fig1b_float32_leaves(single_local_float32: Results) -> Check:
    return check(_cosine_of_local_starts(single_local_float32).at(1000).max(), at_most(0.99))


@claim(
    "ext_precision",
    says="In cancellation-free arithmetic both trajectories of Fig 1b that reached LMM stay there: smaller cosine "
    "after 1000 steps",
    basis=CHOSEN,
    source="threshold just below the numbers of an independent cancellation-free run",
)
def fig1b_stable_stays(single_local: Results) -> Check:
    return check(_cosine_of_local_starts(single_local).at(1000).min(), at_least(0.99995))


@claim(
    "ext_precision",
    says="In single precision p of Fig 3b leaves the relaxed direction: change of the cosine from step 200 to 1000",
    basis=CHOSEN,
    source="threshold from an independent run of the published float32 recipe",
)
def fig3b_float32_flips(joint_relaxed_float32: Results) -> Check:
    return check(change(joint_relaxed_float32["correlation_relaxed"], 200, 1000), at_most(-0.005))


@claim(
    "ext_precision",
    says="With the published guard 1e-9 the norm of v of Fig 3b stalls: its value after 1000 steps of length 0.1",
    basis=RECOMPUTED,
    source="independent run of the published float32 recipe",
)
def fig3b_guard_stalls_v(joint_relaxed_float32: Results) -> Check:
    return check(joint_relaxed_float32["norm_v"].at(1000), near(25, within=1))


@claim(
    "ext_precision",
    says="In double precision the trajectories of Fig 1b leave LMM as well, only later: larger change of the cosine "
    "from step 300 to 1000",
    basis=CHOSEN,
    source="the textbook formula cancels below 1e-16, at a token margin of about 37; the threshold is ours",
)
def float64_falls_too(single_local_float64: Results) -> Check:
    return check(change(_cosine_of_local_starts(single_local_float64), 300, 1000).max(), at_most(-0.01))
