"""The whole configuration: files, overlays, checks. Raises ConfigError with one line, before any job starts."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from attention_dynamics.pipeline import plugins, source
from attention_dynamics.pipeline.checks import check_paper
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.schema import SCALES, Settings, paper_file
from attention_dynamics.pipeline.validation import first_error, not_one_of
from attention_dynamics.pipeline.yaml_file import load_yaml


@dataclass(frozen=True)
class Config:
    """The checked configuration; ``papers`` maps a paper's key to its file as an object."""

    settings: Settings
    papers: dict[str, Any]

    def ids(self, part: str) -> list[str]:
        """Paths below results/<scale>/ or figures/ of all problems, runs or figures."""
        return [self._id(paper, part, name) for paper, file in self.papers.items() for name in getattr(file, part)]

    def _id(self, paper: str, part: str, name: str) -> str:
        if part != "runs":
            return f"{paper}/{name}"
        return f"{paper}/{self.papers[paper].runs[name].problem}/{name}"

    def run_id(self, paper: str, run: str) -> str:
        """<paper>/<problem>/<run>."""
        return self._id(paper, "runs", run)


def load_config(folder: Path, overrides: Mapping[str, Any]) -> Config:
    """Read config.yaml and every <paper>.yaml in a folder.

    overrides: what was given on the command line: settings, and under a paper's key anything of that paper's file.
    """
    folder = Path(os.path.relpath(folder))
    papers = sorted(file.stem for file in folder.glob("*.yaml") if file.stem != "config")
    settings_file = folder / "config.yaml"
    allowed = sorted([*Settings.model_fields, *papers])
    for key in overrides:
        if key not in allowed:
            raise ConfigError(f"--config: {not_one_of(key, allowed)}")
    given = {key: value for key, value in overrides.items() if key not in papers}
    where = f"--config: {settings_file}" if given else str(settings_file)
    settings = validated(Settings, merge(load_yaml(settings_file), given), where)
    return Config(
        settings, {p: _load_paper(folder / f"{p}.yaml", settings.scale, overrides.get(p, {})) for p in papers}
    )


def _load_paper(file: Path, scale: str, overrides: Any) -> Any:
    paper = file.stem
    if not plugins.plot(paper).names():
        known = sorted(f.name for f in (source.PACKAGE / "plots").iterdir() if plugins.plot(f.name).names())
        raise ConfigError(f"{file}: paper {not_one_of(paper, known)} (the folders of plots)")
    if not isinstance(overrides, Mapping):
        raise ConfigError(f"--config: {paper}: must hold keys and values")
    raw = load_yaml(file)
    scales = raw.pop("scales", {})
    for name in _mapping(scales, file, "scales"):
        if name not in SCALES:
            raise ConfigError(f"{file}: scales: {not_one_of(name, SCALES)}")
    raw = merge(merge(raw, _mapping(scales.get(scale, {}), file, f"scales.{scale}")), overrides)
    defaults = _mapping(raw.pop("defaults", {}), file, "defaults")
    _own_runs(raw, file)
    for part, default in (("runs", "run"), ("figures", "figure")):
        blocks = _mapping(raw.get(part, {}), file, part)
        raw[part] = {
            name: merge(
                _mapping(defaults.get(default, {}), file, f"defaults.{default}"), _mapping(b, file, f"{part}.{name}")
            )
            for name, b in blocks.items()
        }
    if unknown := sorted(set(defaults) - {"run", "figure"}):
        raise ConfigError(f"{file}: defaults: {not_one_of(unknown[0], ['figure', 'run'])}")
    checked = validated(paper_file(paper), raw, str(file))
    check_paper(checked, str(file))
    return checked


def _own_runs(raw: dict[str, Any], file: Path) -> None:
    """Move runs that a figure defines in place (a mapping) to the paper's, and leave their names."""
    runs = dict(_mapping(raw.get("runs", {}), file, "runs"))
    figures = dict(_mapping(raw.get("figures", {}), file, "figures"))
    for name, figure in figures.items():
        own = _mapping(figure, file, f"figures.{name}").get("runs")
        if isinstance(own, Mapping):
            for run, block in own.items():
                if run in runs:
                    raise ConfigError(f"{file}: figures.{name}.runs.{run}: a run of this name is defined already")
                runs[run] = block
            figures[name] = {**figure, "runs": list(own)}
        figures[name] = {"plot": {"kind": name}, **figures[name]}
    raw["runs"], raw["figures"] = runs, figures


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``over`` laid on ``base``: mappings are merged, anything else replaces, null removes.

    A block with another ``kind`` replaces the whole block, because its other keys belong to that kind.
    """
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(old, Mapping) and isinstance(value, Mapping) and value.get("kind") in (None, old.get("kind")):
            result[key] = merge(old, value)
        else:
            result[key] = value
    return result


def validated(model: type[BaseModel], raw: Mapping[str, Any], where: str) -> Any:
    """The model's object. Raises ConfigError for the first thing that is wrong."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{where}: {first_error(error, raw)}") from None


def _mapping(value: Any, file: Path, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{file}: {where}: must hold keys and values, got {value!r}")
    return value
