"""Checks of claims: that what is measured exists, and that what it is compared with has as many numbers."""

from collections.abc import Mapping
from typing import Any

from attention_dynamics.config.paper_context import LMM_SET, PaperContext
from attention_dynamics.config.schema import Quantity
from attention_dynamics.config.signatures import STATISTICS, constant
from attention_dynamics.margins.references import LMM_QUANTITIES, QUANTITIES


class ClaimChecker:
    """Checks claims about the runs of a paper's file."""

    def __init__(self, context: PaperContext) -> None:
        self.context = context

    def check(self, where: str, claim: Any, runs: list[str]) -> None:
        """Raise ConfigError for the first thing in a claim that does not fit the runs of its figure."""
        self._check_measured(f"{where}.measured", claim.measured, runs)
        share = getattr(claim.measured, "statistic", None) == "share"
        shares = share and not (claim.measured.differences or claim.measured.versus)
        if claim.expected.like is not None and not shares:
            self.context.fail(f"{where}.expected.like", "only shares can be compared with those of samples")
        if getattr(claim.measured, "by", None):
            self._check_count(f"{where}.expected", claim)

    def _check_measured(self, where: str, measured: Any, runs: list[str]) -> None:
        self.context.need(measured.run, runs, f"{where}.run")
        versus = getattr(measured, "versus", None)
        if versus:
            self.context.need(versus.run, runs, f"{where}.versus.run")
            if measured.differences:
                self.context.fail(f"{where}.differences", "these are not compared with those of another run")
            self._check_versus(where, measured, (measured.run, versus.run))
            measured = measured.model_copy(update={"versus": None})
            self._check_measured(where, measured.model_copy(update={"run": versus.run}), runs)
        self.context.check_names(where, measured, [measured.run])
        run = self.context.paper.runs[measured.run]
        if isinstance(measured, Quantity):
            lmm_set = [LMM_SET] if self.context.paper.problems[run.problem].lmm_set else []
            self.context.need(measured.reference, [*self.context.references(run), *lmm_set], f"{where}.reference")
            table = LMM_QUANTITIES if measured.reference == LMM_SET else QUANTITIES
            self.context.need(measured.quantity, table, f"{where}.quantity")
            return
        shape = self.context.shapes[run.problem]
        counts = {"trajectories": self.context.trajectories(measured.run), "starts": self.context.starts(measured.run)}
        for key, count in counts.items():
            if getattr(measured, key) and max(getattr(measured, key)) >= count:
                self.context.fail(f"{where}.{key}", f"run {measured.run} has {count} {key}, counted from 0")
        for setting, values in (measured.where or {}).items():
            self.context.need(setting, shape.settings, f"{where}.where")
            for value in values:
                self.context.need(value, list(shape.settings[setting]), f"{where}.where.{setting}")
        if measured.by:
            self.context.need(measured.by, shape.settings, f"{where}.by")
        if measured.differences and not (measured.by or measured.each_start):
            what = "these are of a number to that of the next group: give by or each_start"
            self.context.fail(f"{where}.differences", what)
        if measured.by and measured.each_start:
            self.context.fail(f"{where}.each_start", "give this or by, not both")

    def _check_count(self, where: str, claim: Any) -> None:
        """A list of expected numbers has one for each group of problems, where the statistic gives one for each."""
        measured = claim.measured
        together = measured.statistic in constant(STATISTICS, "TOGETHER")
        if hasattr(measured, "at") or not (together or getattr(measured, "over", "each") != "each"):
            return
        count = len(self._groups(measured, measured.run)) - measured.differences
        for form in ("equals", "near", "like", "of"):
            given = getattr(claim.expected, form)
            if isinstance(given, list | tuple) and len(given) != count:
                self.context.fail(
                    f"{where}.{form}", f"{len(given)} numbers, but {count} are measured, by {measured.by}"
                )

    def _groups(self, measured: Any, name: str) -> list[float]:
        """For which values of the setting ``by`` a claim has numbers of a run."""
        kept = (measured.where or {}).get(measured.by)
        return sorted({v for v in self.context.shape_of(name).settings.get(measured.by, ()) if not kept or v in kept})

    def _check_versus(self, where: str, measured: Any, names: tuple[str, str]) -> None:
        """Raise ConfigError unless as much is measured of one run as of the other."""
        if measured.statistic not in constant(STATISTICS, "TOGETHER"):
            trajectories = {name: self.context.trajectories(name) for name in names}
            self._need_same(f"{where}.versus", "as many trajectories", trajectories)
        if measured.by:
            groups = {name: tuple(self._groups(measured, name)) for name in names}
            self._need_same(f"{where}.by", "the same groups", groups)
        if measured.each_start:
            starts = {name: self.context.starts(name) for name in names}
            self._need_same(f"{where}.each_start", "as many starts", starts)

    def _need_same(self, where: str, what: str, of_runs: Mapping[str, Any]) -> None:
        if len(set(of_runs.values())) != 1:
            there = " and ".join(f"{name} has {value}" for name, value in of_runs.items())
            self.context.fail(where, f"the two runs need {what}, {there}")
