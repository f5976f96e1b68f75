"""The decorator ``claim``: a measurable reading of a statement, and the function that checks it.

    @claim("fig4a", statement="fig4a-quicker", says="Normalized GD selects the optimal token in fewer steps than GD",
           basis=PAPER, source="Section 4: 'normalized GD ... quicker'")
    def normalized_is_quicker(normalized_step: Run, constant_step: Run) -> Check:
        steps = [first_step_above(run["softmax_optimal"], 0.9) for run in (normalized_step, constant_step)]
        return check(steps[0] / steps[1], at_most(1))

A parameter of the function is the name of a run of the figure, or "runs" (all runs by name), "case" or "scale".
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from attention_dynamics.claims.expectation import Check

# Basis of a claim. "paper": the text says it. "authors_code": the published notebooks, logs or outputs show it.
# "derived": it follows by mathematics. "chosen": the threshold is ours.
PAPER, AUTHORS_CODE, DERIVED, CHOSEN = BASES = "paper", "authors_code", "derived", "chosen"
SCALES = ("smoke", "laptop", "workstation", "paper")
# All scales except smoke, whose runs are too short for most statements.
FULL_SCALES = SCALES[1:]
SOURCES = ("embedded", "mirror", "official")
# Parameters of a claim's function that do not name runs.
RESERVED_PARAMETERS = ("runs", "case", "scale")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim about a figure, for one case.

    name: its id, with the name of the case in brackets if there are cases. says: what is claimed. basis: one of BASES.
    source: the place in the paper, or the origin of the expected number. function: returns the check; its parameters
    are names of runs or RESERVED_PARAMETERS. statement: ids of the statements of the paper that the claim interprets
    (papers/<paper>/statements.csv), joined by semicolons; empty for a claim of ours. case: the value of the parameter
    ``case``. scales, data: the claim is judged only at these scales and with these sources of data sets. explanation:
    why the claim fails, if it does.
    """

    figure: str
    name: str
    says: str
    basis: str
    source: str
    function: Callable[..., Check]
    statement: str = ""
    case: Any = None
    scales: tuple[str, ...] = SCALES
    data: tuple[str, ...] = SOURCES
    explanation: str = ""

    @property
    def runs(self) -> list[str]:
        """Names of the runs that the function of the claim takes as parameters."""
        return [name for name in inspect.signature(self.function).parameters if name not in RESERVED_PARAMETERS]

    @property
    def statements(self) -> list[str]:
        """Ids of the statements that the claim interprets."""
        return split_ids(self.statement)

    def check(self, runs: Mapping[str, Any], scale: str) -> Check:
        """Call ``function`` and return its check. runs: name -> run, for all runs of the figure.

        Raises ValueError for unknown runs or series.
        """
        given = {"runs": runs, "case": self.case, "scale": scale}
        parameters = inspect.signature(self.function).parameters
        return self.function(**{name: given[name] if name in given else runs[name] for name in parameters})


class Claims(list[Claim]):
    """Claims of one function, one for each figure and case. The decorator ``claim`` replaces the function by them."""


def claim(
    *figures: str, says: str, basis: str, source: str, statement: str = "",
    cases: Iterable[Any] | Mapping[str, Any] | None = None, scales: Iterable[str] = SCALES,
    data: Iterable[str] = SOURCES, explanation: str = "",
) -> Callable[[Callable[..., Check]], Claims]:  # fmt: skip
    """Turn a function that measures and checks into claims about figures.

    figures: by default, the figure that has the name of the file, fig4 in ``fig4_claims.py``.
    cases: the values of the parameter ``case``; each makes a claim, whose id ends with the value in brackets. If cases
        is a mapping, name -> value, the id ends with the name in brackets.
    statement, says, source, explanation: as in ``Claim``. If there are cases, {case}, {case.name} and {case[name]} are
        filled in, and other braces must be written twice.
    Raises ValueError for an unknown basis, scale or source of data and, if there are cases, for any other single brace.
    """
    _check_allowed([basis], BASES, "basis")
    _check_allowed(scales, SCALES, "scale")
    _check_allowed(data, SOURCES, "source of data")

    def decorate(function: Callable[..., Check]) -> Claims:
        if cases is None:
            named = {function.__name__: None}
        else:
            pairs = cases.items() if isinstance(cases, Mapping) else ((str(one), one) for one in cases)
            named = {f"{function.__name__}[{name}]": case for name, case in pairs}

        def fill(text: str, case: Any) -> str:
            try:
                return text if cases is None else text.format(case=case)
            except (LookupError, ValueError, AttributeError, TypeError):
                what = "only {case} and its parts can be filled in; write other braces twice, {{ and }}"
                raise ValueError(f"{function.__name__}: {text!r}: {what}") from None

        made = [
            Claim(
                figure=figure, name=name, statement=fill(statement, case), says=fill(says, case), basis=basis,
                source=fill(source, case), function=function, case=case, scales=tuple(scales), data=tuple(data),
                explanation=fill(explanation, case),
            )
            for figure in figures or [function.__module__.rpartition(".")[2].removesuffix("_claims")]
            for name, case in named.items()
        ]  # fmt: skip
        return Claims(made)

    return decorate


def split_ids(joined: str) -> list[str]:
    """Return the ids in a text that joins them by semicolons."""
    return [part.strip() for part in joined.split(";") if part.strip()]


def claims_in(module: ModuleType) -> list[Claim]:
    """Return the claims that a module defines, in the order in which it defines them."""
    return [one for value in vars(module).values() if isinstance(value, Claims) for one in value]


def _check_allowed(given: Iterable[str], allowed: Iterable[str], what: str) -> None:
    for one in given:
        if one not in allowed:
            raise ValueError(f"{one!r} is not a {what}; choose one of {', '.join(allowed)}")
