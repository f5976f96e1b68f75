"""From a claim and the runs it is about to a row of the ledger."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attention_dynamics.claims.claim import Claim
from attention_dynamics.claims.expectation import format_intervals, format_numbers
from attention_dynamics.series.series import EndedError


def judge(claim: Claim, runs: Mapping[str, Any], scale: str, data: str | None = None) -> dict[str, str]:
    """Return a claim's texts, what is expected, what was measured, and the verdict.

    runs: each a ``Run``, or the table of a comparison. data: the source of the data sets that the runs read, if any.
    verdict: held or failed; failed too where values are missing because a trajectory has diverged, which the measured
        text counts; reported for a claim that only shows what is measured; not_judged at a scale or with data that the
        claim does not name, and with the reason where the run was shortened and ends before the step in question.
    Raises ValueError, with the claim's name, where it asks for something that the runs do not have.
    """
    row = {"claim": claim.name, "says": claim.says, "source": claim.source, "basis": claim.basis,
           "explanation": claim.explanation, "expected": "", "measured": "", "interval": ""}  # fmt: skip
    if scale not in claim.scales or data not in (None, *claim.data):
        return {**row, "verdict": "not_judged"}
    diverged = "; ".join(_diverged(claim.runs or list(runs), runs))
    try:
        found = claim.check(runs, scale)
        verdict = found.verdict()
    except EndedError as error:
        return {**row, "measured": str(error), "verdict": "not_judged"}
    except (ValueError, KeyError, IndexError) as error:
        if diverged:
            # Statistics refuse values that are not there. A claim about a run that diverged fails.
            return {**row, "measured": diverged, "verdict": "failed"}
        raise ValueError(f"{claim.function.__code__.co_filename}: {claim.name}: {error}") from error
    measured = "; ".join(filter(None, [format_numbers(found.measured), found.remark, diverged]))
    texts = {"expected": found.expectation.text, "measured": measured, "interval": format_intervals(found.estimates)}
    return {**row, **texts, "verdict": verdict}


def _diverged(names: Iterable[str], runs: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many trajectories of each run have diverged, of runs with any. Their measured values are NaN."""
    for name in names:
        diverged = runs[name].diverged
        if diverged.any():
            yield f"{diverged[-1].sum()} of {diverged[-1].size} trajectories of {name} diverged"
