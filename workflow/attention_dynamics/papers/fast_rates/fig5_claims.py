"""Claims about Fig 5: those about Fig 2, where the optimal tokens of the two classes are opposite.

Only the cosine after few iterations is expected to be another one.
"""

from dataclasses import replace

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, Claim, Claims, claim, claims_in
from attention_dynamics.claims.expectation import Check, at_least, check
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.papers.fast_rates import fig2_claims
from attention_dynamics.papers.fast_rates.derivations import INDEPENDENT

# The smallest cosine of W and W_mm that is expected of NGD, by the number of iterations.
COSINES = {30: 0.97, 100: 0.998, 300: 0.9995}


def _about_fig5(original: Claim) -> Claim:
    """Return a claim about Fig 2 as one about Fig 5: about ``antipodal_ngd`` in place of ``ngd``, and so on."""

    def check_antipodal(runs: Runs, scale: str) -> Check:
        return original.check({name: runs[f"antipodal_{name}"] for name in original.runs}, scale)

    said = original.says
    said = said if said[1].isupper() else said[0].lower() + said[1:]
    says = f"With opposite optimal tokens in the two classes, {said}"
    source = f"as for Fig 2: {original.source}"
    return replace(original, figure="fig5", says=says, source=source, function=check_antipodal)


as_in_fig2 = Claims(_about_fig5(one) for one in claims_in(fig2_claims) if one not in fig2_claims.cosine_at)


@claim(
    "fig5",
    says="With opposite optimal tokens in the two classes, NGD turns W to W_mm: cosine after {case} iterations",
    cases=list(COSINES),
    basis=CHOSEN,
    source=f"Theorem 1, 'IB rate'; the threshold is ours, below the cosines {INDEPENDENT}",
    scales=FULL_SCALES,
)
def cosine_at(antipodal_ngd: Results, case: int) -> Check:
    return check(antipodal_ngd["correlation_w_mm"].starts(0).at(case), at_least(COSINES[case]))
