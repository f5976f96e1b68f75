"""The whole configuration: files, overlays, checks. Raises ConfigError with one line, before any job starts."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from attention_dynamics.pipeline import plugins, source
from attention_dynamics.pipeline.checks import check_paper, is_table
from attention_dynamics.pipeline.each import expand
from attention_dynamics.pipeline.errors import ConfigError, not_one_of
from attention_dynamics.pipeline.layers import mapping, merge, merge_layers
from attention_dynamics.pipeline.schema import SCALES, Settings, paper_file
from attention_dynamics.pipeline.shards import shard_ids
from attention_dynamics.pipeline.validation import first_error
from attention_dynamics.pipeline.yaml_file import load_yaml, typed

# Tables of named blocks, and the tables within these blocks.
TABLES = {
    "problems": {"references": {}},
    "runs": {"references": {}},
    "figures": {"runs": {"references": {}}, "claims": {}},
}


@dataclass(frozen=True)
class Config:
    """The checked configuration.

    folder: of its files. papers: a paper's key -> its file as an object. overrides: what was given on the command line.
    """

    folder: Path
    settings: Settings
    papers: dict[str, Any]
    overrides: Mapping[str, Any] = field(default_factory=dict)

    @property
    def changed(self) -> set[str]:
        """Papers whose file was overridden."""
        return {paper for paper in self.papers if self.overrides.get(paper)}

    def figures(self) -> list[str]:
        """<paper>/<figure> of all figures, their paths below figures/."""
        return [f"{paper}/{name}" for paper, file in self.papers.items() for name in file.figures]

    def tables(self) -> list[str]:
        """Those of them that are tables, of which CSV and Markdown files are made too."""
        return [id for id in self.figures() if is_table(id.split("/")[1])]

    def problems(self) -> list[str]:
        """<paper>/<problem> of all problems, or of their shards or data: their paths below results/<scale>/."""
        return [id for paper, file in self.papers.items() for name in file.problems for id in self._shards(paper, name)]

    def runs(self, paper: str | None = None, run: str | None = None) -> list[str]:
        """The same of all runs, of one paper, or of one: <problem or shard>/<run>."""
        return [
            f"{problem}/{name}"
            for key, file in self.papers.items()
            if paper in (None, key)
            for name, block in file.runs.items()
            if run in (None, name)
            for problem in self._shards(key, block.problem)
        ]

    def _shards(self, paper: str, problem: str) -> list[str]:
        return shard_ids(f"{paper}/{problem}", self.papers[paper].problems[problem], self.settings)


def load_config(folder: Path, overrides: Mapping[str, Any]) -> Config:
    """Read config.yaml and every <paper>.yaml in a folder.

    overrides: what was given on the command line: settings, and under a paper's key anything of that paper's file.
    """
    folder = Path(os.path.relpath(folder))
    papers = [file.stem for file in source.files(folder, "*.yaml") if file.stem != "config"]
    settings_file = folder / "config.yaml"
    allowed = sorted([*Settings.model_fields, *papers])
    for key in overrides:
        if key not in allowed:
            raise ConfigError(f"--config: {not_one_of(key, allowed)}")
    overrides = typed(overrides)
    given = {key: value for key, value in overrides.items() if key not in papers}
    settings = validated(Settings, merge(load_yaml(settings_file), given), _place(settings_file, given))
    files = {p: _load_paper(folder / f"{p}.yaml", settings.scale, overrides.get(p, {})) for p in papers}
    return Config(folder, settings, files, overrides)


def _place(file: Path, overrides: Any) -> str:
    """What a message names as the place of an error."""
    return f"{file} with --config" if overrides else str(file)


def _load_paper(file: Path, scale: str, overrides: Any) -> Any:
    paper = file.stem
    mapping(overrides, "--config", paper)
    if paper not in plugins.papers():
        raise ConfigError(f"{file}: paper {not_one_of(paper, plugins.papers())} (the folders of plots)")
    where = _place(file, overrides)
    raw = _without_each(load_yaml(file), f"{where}: ")
    scales, overlays = mapping(raw.pop("scales", {}), where, "scales"), {}
    for name, overlay in scales.items():
        if name not in SCALES:
            raise ConfigError(f"{where}: scales: {not_one_of(name, SCALES)}")
        place = f"scales.{name}"
        overlays[name] = _without_each(mapping(overlay, where, place), f"{where}: {place}.")
    checked = validated(paper_file(paper), merge_layers([raw, overlays.get(scale, {}), overrides], where), where)
    check_paper(paper, checked, where)
    return checked


def _without_each(block: Mapping[str, Any], where: str, tables: Mapping[str, Any] = TABLES) -> dict[str, Any]:
    """A block with every ``each`` in its tables, and in the tables of their blocks, replaced by what it stands for."""
    result = dict(block)
    for table, inner in tables.items():
        if isinstance(block.get(table), Mapping):
            place = f"{where}{table}"
            result[table] = {
                name: _without_each(one, f"{place}.{name}.", inner) if isinstance(one, Mapping) else one
                for name, one in expand(block[table], place).items()
            }
    return result


def validated(model: type[BaseModel], raw: Mapping[str, Any], where: str) -> Any:
    """The model's object. Raises ConfigError for the first thing that is wrong."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{where}: {first_error(error, model, raw)}") from None
