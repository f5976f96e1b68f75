"""The whole configuration: files, overlays, checks. Raises ConfigError with one line, before any job starts."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from attention_dynamics.config.checks import check_paper, is_table
from attention_dynamics.config.each import expand
from attention_dynamics.config.errors import ConfigError, not_one_of
from attention_dynamics.config.layers import mapping, merge, merge_layers
from attention_dynamics.config.schema import SCALES, Settings, paper_file
from attention_dynamics.config.signatures import papers, plot_names
from attention_dynamics.config.validation import first_error
from attention_dynamics.config.yaml_file import load_yaml, typed

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


def load_config(folder: Path, overrides: Mapping[str, Any]) -> Config:
    """Read config.yaml and every <paper>.yaml in a folder.

    overrides: what was given on the command line: settings, and under a paper's key anything of that paper's file.
    """
    folder = Path(os.path.relpath(folder))
    # Editors put files beside them whose names begin with a dot.
    names = [file.stem for file in sorted(folder.glob("[!.]*.yaml")) if file.stem != "config"]
    settings_file = folder / "config.yaml"
    allowed = sorted([*Settings.model_fields, *names])
    for key in overrides:
        if key not in allowed:
            raise ConfigError(f"--config: {not_one_of(key, allowed)}")
    overrides = typed(overrides)
    given = {key: value for key, value in overrides.items() if key not in names}
    settings = validated(Settings, merge(load_yaml(settings_file), given), _place(settings_file, given))
    files = {name: _load_paper(folder / f"{name}.yaml", settings.scale, overrides.get(name, {})) for name in names}
    return Config(folder, settings, files, overrides)


def _place(file: Path, overrides: Any) -> str:
    """Return what a message names as the place of an error."""
    return f"{file} with --config" if overrides else str(file)


def _load_paper(file: Path, scale: str, overrides: Any) -> Any:
    paper = file.stem
    mapping(overrides, "--config", paper)
    if not plot_names(paper):
        raise ConfigError(f"{file}: paper {not_one_of(paper, papers())} (the folders of plots)")
    where = _place(file, overrides)
    raw = _without_each(load_yaml(file), f"{where}: ")
    scales, overlays = mapping(raw.pop("scales", {}), where, "scales"), {}
    for name, overlay in scales.items():
        if name not in SCALES:
            raise ConfigError(f"{where}: scales: {not_one_of(name, SCALES)}")
        place = f"scales.{name}"
        overlays[name] = _without_each(mapping(overlay, where, place), f"{where}: {place}.")
    schema = paper_file(paper, tuple(plot_names(paper)))
    checked = validated(schema, merge_layers([raw, overlays.get(scale, {}), overrides], where), where)
    try:
        check_paper(paper, checked, where)
    except NotImplementedError as error:
        raise ConfigError(f"{where}: {error}") from None
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
    """Return the model's object. Raises ConfigError for the first thing that is wrong."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{where}: {first_error(error, model, raw)}") from None
    except ImportError as error:
        raise ConfigError(str(error)) from None
