"""Jobs of the comparison of optimizers: a cell for each optimizer and problem (or shard of one), then the tables.

Ids of data: "compare/<problem>", or "compare/<problem>/2-of-3" for a shard. Ids of cells: "<id of data>/<optimizer>".
Ids of comparisons: "compare/all", of all optimizers, and "compare/<plug-in>", of this plug-in and the optimizers of
config/compare/all.yaml.
"""

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.comparison.entry import Entry
from attention_dynamics.comparison.starts import tuning_rows
from attention_dynamics.config.comparison import Comparison, OutsideEntry, load_comparison
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import COMPARISON
from attention_dynamics.config.schema import ProblemConfig
from attention_dynamics.digests import hash_file
from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.pipeline.jobs import Jobs, modules_of
from attention_dynamics.pipeline.shards import shard_ids, without_shard
from attention_dynamics.registry import find_module, plugin_folder

# Name of the comparison of all optimizers, plug-ins included.
ALL = "all"


def plugins() -> list[str]:
    """Return the names of the optimizers in plug-ins. Each has a comparison of its own."""
    folder = plugin_folder()
    return sorted(file.stem for file in folder.glob("optim/[a-z]*.py")) if folder else []


class ComparisonJobs(Jobs):
    """The jobs of the comparison of a configuration. config/compare/all.yaml is read when the first job is needed."""

    @cached_property
    def _loaded(self) -> tuple[Comparison, dict[str, ProblemConfig]]:
        return load_comparison(self.config)

    def _require(self, stage: str, id: str) -> None:
        """Accept every id: the methods below check the names in it, and list the known names in their errors."""

    def _problem(self, id: str) -> ProblemConfig:
        name, problems = without_shard(id)[0].split("/")[1], self._loaded[1]
        if name not in problems:
            raise ConfigError(f"problem {format_wrong_choice(name, problems)}")
        return problems[name]

    def _optimize(self, cell: str) -> dict[str, Any]:
        """Return the specification of training one optimizer on a problem or a shard of it."""
        problem, _, optimizer = cell.rpartition("/")
        settings, source = self._loaded[0], self._problem(problem).source
        whole, shard = without_shard(problem)
        first = 0
        if shard:
            number, count = map(int, shard.split("-of-"))
            first = sum(source.shard(before, count).shape.problems for before in range(1, number))
        name = whole.split("/")[1]
        common = {"steps": settings.steps, "repeats": settings.problems[name].starts, "first": first}
        common["tuning_rows"] = self._tuning_rows(name)
        return {**common, "sampling": self._sampling(problem), **self._entry(optimizer)}

    def _entry(self, name: str) -> dict[str, Any]:
        """Return the part of a specification that describes an optimizer: its "entry" in all.yaml, or its "plugin".

        A job imports the modules in "modules" before it begins, and fails if one raises an error. The module of a
        plug-in without an entry is not among them, so that its error becomes the status of the cell instead.
        """
        known = self._loaded[0].optimizers
        entry = known.get(name)
        if isinstance(entry, Entry):
            return {"modules": modules_of(entry.optimizer), "entry": entry.model_dump(mode="json")}
        if isinstance(entry, OutsideEntry):
            file = Path(os.path.relpath(self.config.folder / entry.file))
            if not file.is_file():
                raise ConfigError(f"{file}: there is no such file; remove {name} from config/compare/all.yaml")
            return {"plugin": {"kind": file.stem, "file": file.as_posix(), "code": hash_file(file)}}
        if name not in plugins():
            raise ConfigError(f"optimizer {format_wrong_choice(name, [*known, *plugins()])}")
        try:
            digest = stage_fingerprint("optimize", (str(find_module("optim", name)),))
        except (SyntaxError, OSError) as error:
            digest = str(error)
        return {"plugin": {"kind": name, "file": None, "code": digest}}

    def _comparison(self, id: str) -> dict[str, Any]:
        """Return the specification of the tables and the figure of a comparison."""
        settings, problems = self._loaded
        known = {name: entry for name, entry in settings.optimizers.items() if isinstance(entry, Entry)}
        boxes = {name: [entry.tuned, *entry.box] for name, entry in known.items()}
        names = self._optimizers(id)
        return {
            **self._label(id),
            "steps": settings.steps,
            "tuning": settings.tuning_seeds,
            "optimizers": names,
            "boxes": {name: boxes.get(name) for name in names},
            "exponents": {name: entry.norm for name, entry in known.items() if hasattr(entry.optimizer, "exponent")},
            "tuning_rows": {name: self._tuning_rows(name) for name in problems},
        }

    def _tuning_rows(self, name: str) -> int:
        """Return the number of rows for tuning in the whole batch of a problem."""
        settings, problems = self._loaded
        return tuning_rows(problems[name].source.shape.problems, settings.problems[name].starts, settings.tuning_seeds)

    def _comparison_claims(self, id: str) -> dict[str, Any]:
        """Return the specification of judging the claims about a comparison."""
        return self._label(id)

    def _label(self, id: str) -> dict[str, str]:
        fidelity = "extension" + self.change_label(COMPARISON, *self.config.papers)
        paper, figure = id.split("/")
        return {"paper": paper, "figure": figure, "fidelity": fidelity, "scale": self.settings.scale}

    def _optimizers(self, id: str) -> list[str]:
        """Return the names of the optimizers in a comparison. Raises ConfigError for an unknown comparison."""
        name = id.split("/")[1]
        if name != ALL and name not in plugins():
            raise ConfigError(f"figures/{id}: {format_wrong_choice(name, [ALL, *plugins()])}")
        added = plugins() if name == ALL else [name]
        return list(dict.fromkeys([*self._loaded[0].optimizers, *added]))

    def _reads(self, stage: str, id: str) -> dict[str, Any]:
        if stage == "optimize":
            return {"data": self._data_file(id)}
        return self._cells(id) if stage == "comparison" else super()._reads(stage, id)

    def _cells(self, id: str) -> dict[str, Any]:
        """Return the files that the tables of a comparison read, as lists with a file per shard of the problem.

        The key "<problem>.<optimizer>" is for results of cells, "<problem>.<optimizer>.cpu" for their CPU times.
        """
        files: dict[str, Any] = {}
        for name, problem in self._loaded[1].items():
            # A problem that is repeated from several starts is not split.
            repeated = self._loaded[0].problems[name].starts > 1
            whole = f"{COMPARISON}/{name}"
            shards = [whole] if repeated else shard_ids(whole, problem.source, self.settings)
            for optimizer in self._optimizers(id):
                folders = [f"<results>/{shard}/{optimizer}" for shard in shards]
                files[f"{name}.{optimizer}"] = [f"{folder}/cell.npz" for folder in folders]
                files[f"{name}.{optimizer}.cpu"] = [f"{folder}/cpu.json" for folder in folders]
        return files
