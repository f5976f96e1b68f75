"""The whole configuration: files, overlays, checks. Raises ConfigError with one line, before any job starts."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from attention_dynamics.choices import not_one_of
from attention_dynamics.claims.claim import SCALES
from attention_dynamics.config.checks import check_paper, is_table
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.layers import Block, mapping, merge, with_defaults
from attention_dynamics.config.paper import SHARED, Paper
from attention_dynamics.config.paper_claims import load_claims
from attention_dynamics.config.schema import FigureFile, Settings, SharedFile
from attention_dynamics.config.validation import first_error
from attention_dynamics.config.yaml_file import load_yaml, typed

# Folders beside the papers' that are no papers.
PLUGINS = "plugins"
PARTS = tuple(FigureFile.model_fields)
# Key of ``defaults`` in shared.yaml.
DEFAULT_RUN = "run"


@dataclass(frozen=True)
class Config:
    """The checked configuration.

    folder: of its files. papers: by name. overrides: what was given on the command line.
    """

    folder: Path
    settings: Settings
    papers: dict[str, Paper]
    overrides: Mapping[str, Any] = field(default_factory=dict)

    @property
    def changed(self) -> set[str]:
        """Papers whose files were overridden."""
        return {paper for paper in self.papers if self.overrides.get(paper)}

    def figures(self) -> list[str]:
        """<paper>/<figure> of all figures, their paths below figures/."""
        return [f"{paper}/{name}" for paper, content in self.papers.items() for name in content.figures]

    def tables(self) -> list[str]:
        """Those of them that are tables, of which CSV and Markdown files are made too."""
        return [id for id in self.figures() if is_table(id.split("/")[1])]


def load_config(folder: Path, overrides: Mapping[str, Any]) -> Config:
    """Read config.yaml and the files of every paper, <paper>/*.yaml, in a folder.

    overrides: what was given on the command line: settings, and under a paper's name anything of that paper's files.
    """
    folder = Path(os.path.relpath(folder))
    settings_file = folder / "config.yaml"
    raw_settings = load_yaml(settings_file)
    for file in sorted(folder.glob("[!.]*.yaml")):
        if file.stem != "config":
            what = f"a paper is now a folder, {file.stem}/, with a file for each figure (see CHANGELOG.md)"
            raise ConfigError(f"{file}: {what}")
    # Editors put files beside them whose names begin with a dot.
    names = sorted(
        path.name for path in folder.iterdir() if path.name != PLUGINS and any(path.glob("[!.]*.yaml"))
    )  # fmt: skip
    allowed = sorted([*Settings.model_fields, *names])
    for key in overrides:
        if key not in allowed:
            raise ConfigError(f"--config: {not_one_of(key, allowed)}")
    overrides = typed(overrides)
    given = {key: value for key, value in overrides.items() if key not in names}
    settings = validated(Settings, merge(raw_settings, given), _place(settings_file, given))
    papers = {name: _load_paper(folder / name, settings.scale, overrides.get(name, {})) for name in names}
    return Config(folder, settings, papers, overrides)


def _place(file: Path, overrides: Any) -> str:
    """Return what a message names as the place of an error."""
    return f"{file} with --config" if overrides else str(file)


def _load_paper(folder: Path, scale: str, overrides: Any) -> Paper:
    """Read and check the files of a paper. overrides: of the command line, for blocks of any of them."""
    mapping(overrides, "--config", folder.name)
    shared_file, files = folder / f"{SHARED}.yaml", sorted(folder.glob("[!.]*.yaml"), key=_by_number)
    shared = load_yaml(shared_file) if shared_file in files else {}
    defaults = mapping(shared.pop("defaults", {}), str(shared_file), "defaults")
    for key in defaults:
        if key != DEFAULT_RUN:
            raise ConfigError(f"{shared_file}: defaults: {not_one_of(key, [DEFAULT_RUN])}")
    default_run = mapping(defaults.get(DEFAULT_RUN, {}), str(shared_file), f"defaults.{DEFAULT_RUN}")
    layers = {shared_file: _layers(shared, scale, str(shared_file))}
    layers |= {file: _layers(load_yaml(file), scale, str(file)) for file in files if file != shared_file}
    given = _by_file(overrides, layers, shared_file)
    contents, places = {}, {}
    for file, parts in layers.items():
        where = places[file.stem] = _place(file, given.get(file))
        raw: dict[str, Any] = {}
        for layer in (*parts, given.get(file, {})):
            raw = _laid(raw, layer, default_run, where)
        model = SharedFile if file == shared_file else FigureFile
        try:
            contents[file.stem] = validated(model, raw, where, (folder.name, file.stem))
        except ConfigError as error:
            raise ConfigError(f"{error}{_new_block(str(error), given.get(file, {}), parts)}") from None
    paper = Paper(folder.name, contents, places)
    paper.need_different_names()
    try:
        check_paper(paper)
    except NotImplementedError as error:
        raise ConfigError(f"{folder}: {error}") from None
    paper.claims.update(load_claims(paper, scale))
    return paper


def _by_number(file: Path) -> list[tuple[int, str]]:
    """Sort fig10 behind fig2."""
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", file.stem)]


def _layers(content: Block, scale: str, where: str) -> list[Block]:
    """Return a file without ``scales``, and what it lays on itself at this scale."""
    scales = mapping(content.get("scales", {}), where, "scales")
    for name, overlay in scales.items():
        if name not in SCALES:
            raise ConfigError(f"{where}: scales: {not_one_of(name, SCALES)}")
        mapping(overlay, where, f"scales.{name}")
    return [{key: value for key, value in content.items() if key != "scales"}, scales.get(scale, {})]


def _laid(below: Block, layer: Block, default_run: Block, where: str) -> dict[str, Any]:
    merged = merge(below, layer)
    for part in PARTS:
        for name, block in mapping(merged.get(part, {}), where, part).items():
            mapping(block, where, f"{part}.{name}")
    figures = {name: {"plot": {}, **figure} for name, figure in merged.get("figures", {}).items()}
    return {**merged, "runs": with_defaults(merged.get("runs", {}), default_run), "figures": figures}


def _by_file(overrides: Block, layers: Mapping[Path, list[Block]], shared: Path) -> dict[Path, dict[str, Any]]:
    """Return the overrides of each file that has any: a new block is one of shared.yaml."""
    given: dict[Path, dict[str, Any]] = {}
    for part, blocks in overrides.items():
        if part not in PARTS:
            given.setdefault(shared, {})[part] = blocks
            continue
        for name, block in mapping(blocks, "--config", f"{shared.parent.name}.{part}").items():
            owners = (file for file, parts in layers.items() if any(name in layer.get(part, {}) for layer in parts))
            given.setdefault(next(owners, shared), {}).setdefault(part, {})[name] = block
    return given


def _new_block(message: str, given: Block, layers: list[Block]) -> str:
    """Return what to add to a message about a block that only the command line has, which may be a misspelt name."""
    for part in PARTS:
        there = [name for layer in layers for name in layer.get(part, {})]
        for name in given.get(part, {}):
            if name not in there and f"{part}.{name}" in message:
                return f" (no file of this paper has {part}.{name})"
    return ""


def validated(model: type[BaseModel], raw: Mapping[str, Any], where: str, context: Any = None) -> Any:
    """Return the model's object. Raises ConfigError for the first thing that is wrong.

    context: of a paper's file, the names of paper and file.
    """
    try:
        return model.model_validate(raw, context=context)
    except ValidationError as error:
        raise ConfigError(f"{where}: {first_error(error, model, raw, context)}") from None
    except ImportError as error:
        raise ConfigError(str(error)) from None
