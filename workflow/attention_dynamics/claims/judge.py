"""Judge a claim by the runs of its figure: the result is a row of the ledger."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attention_dynamics.claims.claim import Claim
from attention_dynamics.claims.expectation import Check, format_numbers
from attention_dynamics.claims.verdict import Verdict, value_of
from attention_dynamics.series.confidence import POWER, Estimate, MissingValuesError
from attention_dynamics.series.series import EndedError

# Unit of a sample -> the argument of ``make try`` that sets the number of these units.
MORE = {"seed": "SEEDS={}", "data set": "SEEDS={}", "trial": 'SET="problems.<name>.trials={}"'}
# Columns about the estimates among the measured numbers. "estimate": their values. "interval": their 95 % confidence
# intervals as "[low, high]". "low", "high": the ends of the intervals. "n": the numbers of units that were drawn.
# "unit": name of a unit, such as seed. "method": method of the intervals, such as Student or Wilson.
ESTIMATE_COLUMNS = ("interval", "estimate", "low", "high", "n", "unit", "method")


def judge(
    claim: Claim, runs: Mapping[str, Any], scale: str, data: str | None = None, paper: str = "<paper>"
) -> dict[str, Any]:
    """Return a row of the ledger: a claim's texts, what is expected, what was measured, and the verdict (``Verdict``).

    runs: name -> ``Run`` or, for a comparison of optimizers, its table. data: the source of the data sets that the runs
    read, if any. paper: the name of the figure's paper.

    The row also has ESTIMATE_COLUMNS; "cases", the verdicts on the parts of the sentence by name; "decided_by", the
    number of units that would decide an undecided claim, with the command that draws them; and "published" (see
    ``Expectation``). A claim also fails if values are missing and trajectories diverged in its runs (in any run of the
    figure, if its function has no run as a parameter); "measured" then counts these trajectories. A claim is not tested
    at a scale or with data that are not in ``claim.scales`` and ``claim.data``. Nor is it tested if a shortened run
    ends before the step in question; "measured" then says so.
    Raises ValueError, with the claim's name, if the claim asks for something that the runs do not have.
    """
    row = {"claim": claim.name, "statement": claim.statement, "says": claim.says, "source": claim.source,
           "basis": claim.basis, "explanation": claim.explanation, "cases": {}, "decided_by": "", "published": False,
           **dict.fromkeys(("expected", "measured", *ESTIMATE_COLUMNS), "")}  # fmt: skip
    if scale not in claim.scales or data not in (None, *claim.data):
        return {**row, "verdict": Verdict.NOT_TESTED}
    diverged = "; ".join(_diverged(claim.runs or list(runs), runs))
    try:
        found = claim.check(runs, scale)
        verdict, cases = found.verdict(), found.case_verdicts()
    except EndedError as error:
        return {**row, "measured": str(error), "verdict": Verdict.NOT_TESTED}
    except (ValueError, KeyError, IndexError) as error:
        if diverged and isinstance(error, MissingValuesError):
            return {**row, "measured": diverged, "verdict": Verdict.FAILS}
        raise ValueError(f"{claim.function.__code__.co_filename}: {claim.name}: {error}") from error
    numbers = format_numbers([value_of(one) for one in found.measured])
    measured = "; ".join(filter(None, [numbers, _count_cases(cases), found.remark, diverged]))
    return {**row, **_columns(found.estimates), "expected": found.expectation.text, "measured": measured,
            "cases": cases, "decided_by": _decided_by(found, verdict, f"{paper}/{claim.figure}"),
            "published": found.expectation.published, "verdict": verdict}  # fmt: skip


def _columns(estimates: Sequence[Estimate]) -> dict[str, str]:
    """Return the texts in the ESTIMATE_COLUMNS of a row.

    "interval", "low", "high" and "method" leave out estimates without an interval.
    """
    shown = [one for one in estimates if one.method]
    return {
        "interval": " ".join(f"[{one.low:.3g}, {one.high:.3g}]" for one in shown),
        "estimate": format_numbers([one.value for one in estimates]),
        "low": format_numbers([one.low for one in shown]),
        "high": format_numbers([one.high for one in shown]),
        "n": " ".join(str(one.size) for one in estimates),
        "unit": " ".join(dict.fromkeys(one.unit for one in estimates)),
        "method": " ".join(dict.fromkeys(one.method for one in shown)),
    }


def _count_cases(cases: Mapping[str, Verdict]) -> str:
    """Return how many cases hold, and which fail, such as "14 of 16 cases hold, 1 undecided, fails: eta_Z = 2"."""
    if not cases:
        return ""
    counts = Counter(cases.values())
    others = [f"{counts[one]} {one}" for one in (Verdict.UNDECIDED, Verdict.REPORTED) if counts[one]]
    failing = [name for name, verdict in cases.items() if verdict == Verdict.FAILS]
    texts = [f"{counts[Verdict.HOLDS]} of {len(cases)} cases hold", *others]
    return ", ".join([*texts, f"fails: {'; '.join(failing)}"] if failing else texts)


def _decided_by(found: Check, verdict: Verdict, figure: str) -> str:
    """Return how many units would decide a claim, and the command that draws them; empty unless it is undecided."""
    if verdict != Verdict.UNDECIDED:
        return ""
    needed, unit = found.units_needed(), found.estimates[0].unit
    if needed is None:
        return "no number of units at this estimate"
    text = f"about {needed} {unit}s, instead of {found.estimates[0].size}, with a power of {POWER:.0%}"
    return f"{text}: make try FIGURE={figure} {MORE[unit].format(needed)}" if unit in MORE else text


def _diverged(names: Iterable[str], runs: Mapping[str, Any]) -> Iterator[str]:
    """Yield, for each of the named runs in which trajectories diverged, a text with their number at the last record."""
    for name in names:
        diverged = runs[name].diverged
        if diverged.any():
            yield f"{diverged[-1].sum()} of {diverged[-1].size} trajectories of {name} diverged"
