"""Claims about our extension of Fig 6: entropy of attention after training from random weights and from zero."""

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates, mean_over_seeds
from attention_dynamics.run import Run
from attention_dynamics.series.published import published
from attention_dynamics.series.statistics import table


@claim(
    statement="fig6-log",
    says="Loss with seed 1 and eta_Y = eta_Z = 0.5 from random initial weights, at iterations 0, 2, ..., 98",
    basis=AUTHORS_CODE,
    source="published log",
)
def log(uniform_start: Run) -> Check:
    expected = published(__file__, "ext_fig6_zero_start_loss")
    of_seed_1 = at_rates(uniform_start, "loss", eta_Y=0.5, eta_Z=0.5).trajectories(0)
    losses = table(of_seed_1, expected["step"].astype(int).tolist())
    return check(losses, near(expected["loss"], within_percent=0.1, published=True))


@claim(
    says="From zero attention ends less sparse than from random weights: difference of the entropies for eta_Y / eta_Z "
    "= 1, 2, 5 and 10",
    basis=CHOSEN,
    source="seen in independent computations of both; random weights tell tokens apart from the start",
    scales=FULL_SCALES,
)
def denser_from_zero(uniform_start: Run, zero_start: Run) -> Check:
    from_uniform, from_zero = (
        [at_rates(run, "distinct_entropy", eta_Y=eta_Y).at(100) for eta_Y in (1, 2, 5, 10)]
        for run in (uniform_start, zero_start)
    )
    differences = [zero - uniform for zero, uniform in zip(from_zero, from_uniform, strict=True)]
    return check([mean_over_seeds(one, zero_start) for one in differences], at_least(0))
