"""Every job that there can be under a configuration: its specification, its code, which intermediates it reads."""

from collections.abc import Callable
from typing import Any

from attention_dynamics.pipeline.config import Config
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.pipeline.specs import Specs


class Jobs:
    """The jobs of one configuration."""

    def __init__(self, config: Config) -> None:
        self.config, self.specs = config, Specs(config)

    def all(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Stage -> problem, run or figure (of all figures at once: nothing) -> the job.

        That is its ``spec`` (``specs.Specs``), its ``code`` (a fingerprint) and what it ``reads``: name -> file, or
        files of shards, with Snakemake's path variable ``results``. Or else the ``error`` of asking for it.
        """
        problems, runs, figures = self.config.problems(), self.config.runs(), self.config.figures()
        stages: dict[str, tuple[list[str], Callable[[str], dict[str, Any]]]] = {
            "data": (problems, self._nothing),
            "svm": (problems, self._solved),
            "train": (runs, self._trained),
            "selected_svm": (runs, self._selected),
            "measure": (runs, self._measured),
            "draw": (figures, self._shown),
            "tabulate": (self.config.tables(), self._shown),
            "judge": (figures, self._shown),
            # These read what others write about figures.
            **dict.fromkeys(("ledger", "manifest", "gallery", "bundle"), ([""], self._nothing)),
        }
        return {stage: {id: self._job(stage, id, reads) for id in ids} for stage, (ids, reads) in stages.items()}

    def _job(self, stage: str, id: str, reads: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
        try:
            spec = self.specs.get(stage, id)
            return {"spec": spec, "code": stage_fingerprint(spec), "reads": reads(id)}
        except (ConfigError, SyntaxError, OSError) as error:
            # Such as a module that is being edited: jobs that do not need it can be run.
            return {"error": str(error)}

    @staticmethod
    def _nothing(id: str) -> dict[str, str]:
        return {}

    def _solved(self, problem: str) -> dict[str, str]:
        """What solving a problem's reference directions reads."""
        return {"data": self._data(problem)}

    def _trained(self, run: str) -> dict[str, str]:
        """What training a run reads."""
        problem, block = self._of(run)
        pretrained = getattr(block, "pretrained", None)
        lent = {"pretrained": f"<results>/{problem}/{pretrained}/train.npz"} if pretrained else {}
        return {"data": self._data(problem), **lent}

    def _selected(self, run: str) -> dict[str, str]:
        """What solving a run's own reference directions reads."""
        return {name: file for name, file in self._files_of(run).items() if name in ("data", "train")}

    def _measured(self, run: str) -> dict[str, str]:
        """What measuring a run reads."""
        problem, block = self._of(run)
        lent = {"counterpart": f"<results>/{problem}/{block.counterpart}/train.npz"} if block.counterpart else {}
        return {name: file for name, file in self._files_of(run).items() if name != "measures"} | lent

    def _shown(self, figure: str) -> dict[str, list[str]]:
        """What drawing, tabulating or judging a figure reads: "<run>.<intermediate>", a file per shard."""
        paper, name = figure.split("/")
        files: dict[str, list[str]] = {}
        for run in self.config.papers[paper].figures[name].runs:
            for shard in self.config.runs(paper, run):
                for made, file in self._files_of(shard).items():
                    files.setdefault(f"{run}.{made}", []).append(file)
        return files

    def _files_of(self, run: str) -> dict[str, str]:
        """The intermediates of a run, or of a shard of one, with those of its problem and those borrowed."""
        problem, block = self._of(run)
        files = {
            "data": self._data(problem),
            "train": f"<results>/{run}/train.npz",
            "measures": f"<results>/{run}/measures.npz",
        }
        if self.specs.has_svm(problem):
            files["svm"] = f"<results>/{problem}/svm.npz"
        if block.references:
            files["selected_svm"] = f"<results>/{run}/svm.npz"
        for lender in block.borrowed.values():
            files[f"borrowed-{lender.run}"] = f"<results>/{problem}/{lender.run}/svm.npz"
        return files

    @staticmethod
    def _data(problem: str) -> str:
        return f"<results>/{problem}/data.npz"

    def _of(self, run: str) -> tuple[str, Any]:
        """The problem of a run, or of a shard of one, and the run's block."""
        problem, name = run.rsplit("/", 1)
        return problem, self.config.papers[run.split("/")[0]].runs[name]
