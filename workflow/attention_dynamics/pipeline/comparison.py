"""Jobs of the comparison of optimizers: a cell for each optimizer and problem (or shard of one), then the tables.

Ids: "compare/<problem>" and "compare/<problem>/2-of-3" of data, these with "/<optimizer>" of cells, "compare/all" and
"compare/<plug-in>" of comparisons, in which that plug-in joins the optimizers of config/compare/all.yaml.
"""

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.comparison.entry import Entry
from attention_dynamics.comparison.report import tuning_rows
from attention_dynamics.config.comparison import Comparison, OutsideEntry, load_comparison
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import COMPARISON, Config
from attention_dynamics.digests import hash_file
from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.pipeline.jobs import Job, modules_of
from attention_dynamics.pipeline.shards import shard_ids, shard_of, without_shard
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.registry import find_module, plugin_folder

# The comparison of all optimizers, plug-ins among them.
ALL = "all"


def plugins() -> list[str]:
    """Return the names of the optimizers in plug-ins: a comparison each."""
    folder = plugin_folder()
    return sorted(file.stem for file in folder.glob("optim/[a-z]*.py")) if folder else []


class ComparisonJobs:
    """The jobs of the comparison of a configuration. Its file is read when the first of them is asked for."""

    def __init__(self, config: Config) -> None:
        self.config = config

    @cached_property
    def _loaded(self) -> tuple[Comparison, dict[str, ProblemSource]]:
        return load_comparison(self.config)

    def get(self, stage: str, id: str) -> Job:
        """Return a job; see ``Jobs.get``."""
        if stage == "data":
            name, shard = self._problem(id)
            source = shard_of(self._loaded[1][name], shard)
            spec = {"modules": modules_of(source), "problem": source.model_dump(mode="json"), "location": {}}
            reads: dict[str, Any] = {}
        elif stage == "optimize":
            problem, _, optimizer = id.rpartition("/")
            spec, reads = self._cell(problem, optimizer), {"data": f"<results>/{problem}/data.npz"}
        elif stage == "comparison":
            spec, reads = self._comparison(id), self._cells(id)
        else:
            spec, reads = {"scale": self.config.settings.scale, "fidelity": self._fidelity}, {}
        spec = json.loads(json.dumps({"modules": [], **spec, "stage": stage}, sort_keys=True))
        return Job(spec, stage_fingerprint(stage, tuple(spec["modules"])), reads)

    def _problem(self, id: str) -> tuple[str, str | None]:
        """Return the name of a problem and its shard."""
        whole, shard = without_shard(id)
        name = whole.split("/")[1]
        if name not in self._loaded[1]:
            raise ConfigError(f"problem {format_wrong_choice(name, self._loaded[1])}")
        return name, shard

    def _cell(self, problem: str, optimizer: str) -> dict[str, Any]:
        """Return the specification of one optimizer on a problem or a shard of it."""
        (settings, sources), (name, shard) = self._loaded, self._problem(problem)
        source, first = sources[name], 0
        if shard:
            number, count = map(int, shard.split("-of-"))
            first = sum(source.shard(before, count).shape.problems for before in range(1, number))
        repeats = settings.problems[name].starts
        tuning = int(tuning_rows(source.shape.problems, repeats, settings.tuning_seeds).sum())
        common = {"steps": settings.steps, "repeats": repeats, "first": first, "tuning_rows": tuning}
        return {**common, "sampling": shard_of(source, shard).sampling, **self._entry(optimizer)}

    def _entry(self, name: str) -> dict[str, Any]:
        """Return what a job makes an entry of: that of config/compare/all.yaml, or a plug-in without one.

        The module of such a plug-in is not among those that the job imports first: what it raises is a status.
        """
        entry = self._loaded[0].optimizers.get(name)
        if isinstance(entry, Entry):
            return {"modules": modules_of(entry.optimizer), "entry": entry.model_dump(mode="json")}
        if isinstance(entry, OutsideEntry):
            file = Path(os.path.relpath(self.config.folder / entry.file))
            if not file.is_file():
                raise ConfigError(f"{file}: there is no such file; remove {name} from config/compare/all.yaml")
            digest = hash_file(file)
            return {"plugin": {"kind": file.stem, "file": file.as_posix(), "code": digest}}
        if name not in plugins():
            raise ConfigError(f"optimizer {format_wrong_choice(name, [*self._loaded[0].optimizers, *plugins()])}")
        try:
            digest = stage_fingerprint("optimize", (str(find_module("optim", name)),))
        except (SyntaxError, OSError) as error:
            digest = str(error)
        return {"plugin": {"kind": name, "file": None, "code": digest}}

    def _optimizers(self, id: str) -> list[str]:
        """Return the optimizers of a comparison."""
        name = id.split("/")[1]
        if name != ALL and name not in plugins():
            raise ConfigError(f"figures/{id}: {format_wrong_choice(name, [ALL, *plugins()])}")
        added = plugins() if name == ALL else [name]
        return list(dict.fromkeys([*self._loaded[0].optimizers, *added]))

    def _shards(self, problem: str) -> list[str]:
        """Return the ids of a problem, one for each shard. One that is repeated from several starts stays whole."""
        settings, sources = self._loaded
        if settings.problems[problem].starts > 1:
            return [f"{COMPARISON}/{problem}"]
        return shard_ids(f"{COMPARISON}/{problem}", sources[problem], self.config.settings)

    def _comparison(self, id: str) -> dict[str, Any]:
        """Return the specification of the tables, the figure and the verdicts of a comparison."""
        settings, sources = self._loaded
        known = {name: entry for name, entry in settings.optimizers.items() if isinstance(entry, Entry)}
        boxes = {name: [entry.tuned, *entry.box] for name, entry in known.items()}
        exponents = {name: entry.norm for name, entry in known.items() if hasattr(entry.optimizer, "exponent")}
        names = self._optimizers(id)
        return {
            "name": id.split("/")[1],
            "steps": settings.steps,
            "tuning": settings.tuning_seeds,
            "scale": self.config.settings.scale,
            "fidelity": self._fidelity,
            "optimizers": names,
            "boxes": {name: boxes.get(name) for name in names},
            "exponents": exponents,
            "problems": {
                name: {"size": source.shape.problems, "starts": settings.problems[name].starts}
                for name, source in sources.items()
            },
        }

    @property
    def _fidelity(self) -> str:
        changed = self.config.overrides.keys() & {COMPARISON, *self.config.papers}
        return "extension" + (f", changed by {self.config.changed_by}" if changed else "")

    def _cells(self, id: str) -> dict[str, Any]:
        """Return the files of a comparison: "<problem>.<optimizer>" and the same with ".cpu", with a file per shard."""
        files: dict[str, Any] = {}
        for problem in self._loaded[1]:
            for optimizer in self._optimizers(id):
                folders = [f"<results>/{shard}/{optimizer}" for shard in self._shards(problem)]
                files[f"{problem}.{optimizer}"] = [f"{folder}/cell.npz" for folder in folders]
                files[f"{problem}.{optimizer}.cpu"] = [f"{folder}/cpu.json" for folder in folders]
        return files
