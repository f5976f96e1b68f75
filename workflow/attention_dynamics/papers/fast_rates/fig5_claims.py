"""Claims about Fig 5: the claims about Fig 2, for data whose two classes have opposite optimal tokens."""

from dataclasses import replace

from attention_dynamics.claims.claim import Claim, Claims, claims_in
from attention_dynamics.claims.expectation import Check
from attention_dynamics.papers.fast_rates import fig2_claims
from attention_dynamics.run import Runs

THEOREMS = ("abstract-gd-direction", "abstract-rates", "w-norm", "theorem-1", "lemma-1")


def _about_fig5(original: Claim) -> Claim:
    """Return a claim about Fig 2 as a claim about Fig 5, which reads antipodal_<run> in place of <run>."""

    def check_antipodal(runs: Runs, scale: str) -> Check:
        return original.check({name: runs[f"antipodal_{name}"] for name in original.runs}, scale)

    said = original.says
    said = said if said[1].isupper() else said[0].lower() + said[1:]
    says = f"With opposite optimal tokens in the two classes, {said}"
    source = f"as for Fig 2: {original.source}"
    # Theorems hold for the data of both figures. Other statements of the paper are about Fig 2 only.
    statement = original.statement if original.statement in THEOREMS else ""
    return replace(original, figure="fig5", statement=statement, says=says, source=source, function=check_antipodal)


as_in_fig2 = Claims(_about_fig5(one) for one in claims_in(fig2_claims))
