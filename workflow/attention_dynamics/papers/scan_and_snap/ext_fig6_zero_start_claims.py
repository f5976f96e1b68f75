"""Claims about our extension of Fig 6: entropy of attention after training from random weights and from zero."""

from attention_dynamics.claims.claim import AUTHORS_CODE, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, check, near
from attention_dynamics.claims.published import published
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import mean, table
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates


@claim(
    "ext_fig6_zero_start",
    says="random weights, seed 1, eta_Z = .5, eta_Y / eta_Z = 1: loss at iterations 0, 2, ..., 98",
    basis=AUTHORS_CODE,
    source="published log",
)
def log(uniform_start: Results) -> Check:
    expected = published(__file__, "ext_fig6_zero_start_loss")
    of_seed_1 = at_rates(uniform_start, "loss", eta_Y=0.5, eta_Z=0.5).trajectories(0)
    losses = table(of_seed_1, expected["step"].astype(int).tolist())
    return check(losses, near(expected["loss"], within_percent=0.1))


@claim(
    "ext_fig6_zero_start",
    says="zero: mean entropy for eta_Y / eta_Z = 1, 2, 5, where it is higher than from random weights",
    basis=DERIVED,
    source="independent computation with other draws; three standard deviations of a difference of means",
    scales=FULL_SCALES,
)
def zero(zero_start: Results) -> Check:
    entropies = [at_rates(zero_start, "distinct_entropy", eta_Y=eta_Y).at(100) for eta_Y in (1, 2, 5)]
    return check(map(mean, entropies), near([1.953, 2.002, 2.061], within=0.02))
