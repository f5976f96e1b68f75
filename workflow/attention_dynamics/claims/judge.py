"""From a claim and the runs it is about to a row of the ledger."""

from collections.abc import Mapping

from attention_dynamics.claims.claim import Claim
from attention_dynamics.claims.expectation import show, show_intervals
from attention_dynamics.claims.results import Results


def judge(claim: Claim, runs: Mapping[str, Results], scale: str, data: str | None = None) -> dict[str, str]:
    """Return a claim's texts, what is expected, what was measured, and the verdict.

    data: the source of the data sets that the runs read, if any. verdict: held or failed; reported for a claim that
        only shows what is measured; not_judged at a scale or with data that the claim does not name.
    Raises ValueError, with the claim's name, where it asks for something that the runs do not have.
    """
    row = {"claim": claim.name, "says": claim.says, "source": claim.source, "basis": claim.basis,
           "explanation": claim.explanation, "expected": "", "measured": "", "interval": ""}  # fmt: skip
    if scale not in claim.scales or data not in (None, *claim.data):
        return {**row, "verdict": "not_judged"}
    try:
        found = claim.check(runs, scale)
        expected = claim.at_scale.get(scale, found.expectation)
        verdict = found.verdict(expected)
    except (ValueError, KeyError, IndexError) as error:
        raise ValueError(f"{claim.function.__code__.co_filename}: {claim.name}: {error}") from error
    texts = {"expected": expected.text, "measured": show(found.measured), "interval": show_intervals(found.estimates)}
    return {**row, **texts, "verdict": verdict}
