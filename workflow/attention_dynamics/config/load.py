"""Loading of the whole configuration, with its checks. Errors are one line, and raised before any job starts."""

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attention_dynamics.choices import format_value, format_wrong_choice
from attention_dynamics.claims.claim import SCALES
from attention_dynamics.config.checks import PaperChecker, is_table
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.layers import (
    PARTS_WITH_DEFAULTS,
    Block,
    merge,
    require_mapping,
    split_defaults,
    with_defaults,
    with_panels,
)
from attention_dynamics.config.paper import SHARED_FILE, Paper
from attention_dynamics.config.paper_claims import load_claims
from attention_dynamics.config.schema import FigureFile, Settings, SharedFile
from attention_dynamics.config.validation import validate
from attention_dynamics.config.yaml_file import check_nesting, load_yaml, parse_value
from attention_dynamics.registry import find_files
from attention_dynamics.types import MAX_NAME_LENGTH

# Folders beside those of the papers: plug-ins, variants, and the comparison of optimizers.
PLUGIN_FOLDER, VARIANTS, COMPARISON = RESERVED = "plugins", "variants", "compare"
SETTINGS_FILE, COMPARISON_FILE = "config.yaml", "all.yaml"
# Name of the command line's overrides in messages.
COMMAND_LINE = "--config"
PARTS = tuple(FigureFile.model_fields)


@dataclass(frozen=True)
class Config:
    """The checked configuration.

    folder: path of its files. papers: name -> paper. overrides: settings and blocks of the command line or of a
    variant, already merged into ``settings`` and ``papers``. changed_by: where the overrides come from, for messages:
    "--config", or the file of a variant.
    """

    folder: Path
    settings: Settings
    papers: dict[str, Paper]
    overrides: Mapping[str, Any] = field(default_factory=dict)
    changed_by: str = COMMAND_LINE

    def figures(self) -> list[str]:
        """Return "<paper>/<figure>" of each figure, its path below figures/ without ending."""
        return [f"{paper}/{name}" for paper, content in self.papers.items() for name in content.figures]

    def tables(self) -> list[str]:
        """Return "<paper>/<figure>" of each table. Figures are written as CSV; tables are also written as Markdown."""
        return [id for id in self.figures() if is_table(id.split("/")[1])]


def load_config(folder: Path, overrides: Mapping[str, Any], changed_by: str = COMMAND_LINE) -> Config:
    """Read and check config.yaml and the files of every paper, <paper>/*.yaml, in a folder.

    Other YAML files beside config.yaml are for Snakemake's option --configfile; only their names and keys are checked.
    overrides: settings, and, under the name of a paper, blocks as in its files. changed_by: where the overrides come
    from, for messages. Raises ConfigError for the first error.
    """
    folder = Path(os.path.relpath(folder))
    settings_file = folder / SETTINGS_FILE
    if not folder.is_dir():
        raise ConfigError(f"--config: config_folder={folder}: there is no such folder")
    raw_settings = load_yaml(settings_file)
    files = find_files(folder, *(f"{where}*.{ending}" for where in ("", "*/") for ending in ("yaml", "yml")))
    files = [file for file in files if file.parent.name != PLUGIN_FOLDER]
    names = sorted({file.parent.name for file in files if file.parent != folder} - set(RESERVED))
    names_of_blocks = [*names, *([COMPARISON] if (folder / COMPARISON).is_dir() else [])]
    allowed = sorted([*Settings.model_fields, *names_of_blocks])
    for file in files:
        _check_file(file, folder, allowed)
    for key in overrides:
        if key not in allowed:
            raise ConfigError(f"{changed_by}: {format_wrong_choice(key, allowed)}")
    check_nesting(overrides, changed_by)
    overrides = parse_value(overrides)
    given = {key: value for key, value in overrides.items() if key not in names_of_blocks}
    settings = validate(Settings, merge(raw_settings, given), _display_path(settings_file, given, changed_by))
    papers = {name: _load_paper(folder / name, settings, overrides.get(name, {}), changed_by) for name in names}
    return Config(folder, settings, papers, overrides, changed_by)


def _check_file(file: Path, folder: Path, allowed: list[str]) -> None:
    """Raise ConfigError for a file that would be ignored or misread: a wrong ending, name, folder or top-level key.

    allowed: the top-level keys of a file for --configfile.
    """
    if file.suffix != ".yaml":
        raise ConfigError(f"{file}: name it {file.stem}.yaml; files that end with .yml are not read")
    if file.parent == folder:
        for key in load_yaml(file) if file.name != SETTINGS_FILE else ():
            if key not in (*allowed, "config_folder"):
                what = f"files of a paper are in {folder}/<paper>/, and in one for --configfile"
                raise ConfigError(f"{file}: {what} {format_wrong_choice(key, allowed)}")
        return
    for name in (file.parent.name, file.stem):
        if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) or len(name) > MAX_NAME_LENGTH:
            what = f"{format_value(name)} is not a name (at most {MAX_NAME_LENGTH} letters, digits and underscores)"
            raise ConfigError(f"{file}: {what}; rename it, or remove it if it is a copy")
    if file.parent.name == COMPARISON and file.name != COMPARISON_FILE:
        what = f"{COMPARISON} is the folder of the comparison of optimizers, which has {COMPARISON_FILE} only"
        raise ConfigError(f"{file}: {what}; give the folder of a paper another name")


def _display_path(file: Path, overrides: Any, changed_by: str) -> str:
    """Return the name of a file for messages, followed by the source of its overrides if there are any."""
    return f"{file} with {changed_by}" if overrides else str(file)


def _load_paper(folder: Path, settings: Settings, overrides: Any, changed_by: str) -> Paper:
    """Read and check the files of a paper. overrides: blocks to merge into them; changed_by: where these come from."""
    require_mapping(overrides, changed_by, folder.name)
    shared_file, files = folder / f"{SHARED_FILE}.yaml", sorted(find_files(folder, "*.yaml"), key=_figure_order)
    defaults: dict[Path, Block] = {}
    layers: dict[Path, list[Block]] = {}
    contents: dict[Path, Any] = {shared_file: {}} | {file: load_yaml(file) for file in files}
    for file, content in contents.items():
        defaults[file], parts = split_defaults(layers_of(content, settings.scale, str(file)), str(file))
        layers[file] = [_read_layer(layer, str(file)) for layer in parts]
    given = _split_by_file(overrides, layers, shared_file, changed_by)
    checked, display_paths = {}, {}
    for file, parts in layers.items():
        where = display_paths[file.stem] = _display_path(file, given.get(file), changed_by)
        raw: dict[str, Any] = {}
        parts = [*parts, _read_layer(given.get(file, {}), where)]
        for layer in parts:
            raw = _merge_layer(raw, layer, (defaults[file], defaults[shared_file]))
        model = SharedFile if file == shared_file else FigureFile
        try:
            checked[file.stem] = validate(model, raw, where, (folder.name, file.stem))
        except ConfigError as error:
            place = str(error).removeprefix(f"{where}: ").partition(": ")[0]
            hint = _defaults_hint(place, raw, {one: defaults[one] for one in (file, shared_file)})
            raise ConfigError(f"{error}{hint or _new_block_hint(place, parts)}") from None
    paper = Paper(folder.name, folder, checked, display_paths)
    paper.require_unique_names()
    try:
        PaperChecker(paper, settings).check()
    except NotImplementedError as error:
        raise ConfigError(f"{folder}: {error}") from None
    paper.claims.update(load_claims(paper, settings.scale))
    return paper


def _figure_order(file: Path) -> list[tuple[int, str]]:
    """Return a key that sorts fig10 after fig2."""
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", file.stem)]


def layers_of(content: Block, scale: str, where: str) -> list[Block]:
    """Return two layers: the content of a file without ``scales``, and its overlay in ``scales`` for this scale.

    Raises ConfigError, beginning with ``where``, for an unknown scale.
    """
    scales = require_mapping(content.get("scales", {}), where, "scales")
    for name, overlay in scales.items():
        if name not in SCALES:
            raise ConfigError(f"{where}: scales: {format_wrong_choice(name, SCALES)}")
        require_mapping(overlay, where, f"scales.{name}")
    return [{key: value for key, value in content.items() if key != "scales"}, scales.get(scale, {})]


def _read_layer(layer: Block, where: str) -> dict[str, Any]:
    """Return a layer with panels as figures (``with_panels``). Raises ConfigError for a block that is no mapping."""
    for part in PARTS:
        for name, block in require_mapping(layer.get(part, {}), where, part).items():
            require_mapping(block, where, f"{part}.{name}")
    return {**layer, "figures": with_panels(layer.get("figures", {}), where)}


def _merge_layer(below: Block, layer: Block, defaults: Sequence[Block]) -> dict[str, Any]:
    """Return the blocks of a file with one more layer merged into them, completed with defaults.

    defaults: those of the file, then those of shared.yaml, which apply to all files of the paper.
    """
    merged = merge(below, layer)
    merged["figures"] = {name: {"plot": {}, **figure} for name, figure in merged.get("figures", {}).items()}
    for part, of_file in itertools.product(PARTS_WITH_DEFAULTS, defaults):
        merged[part] = with_defaults(merged.get(part, {}), of_file.get(part, {}))
    return merged


def _split_by_file(
    overrides: Block, layers: Mapping[Path, list[Block]], shared: Path, changed_by: str
) -> dict[Path, dict[str, Any]]:
    """Return file -> the overrides of the blocks that it defines. Blocks that no file defines go to shared.yaml."""
    given: dict[Path, dict[str, Any]] = {}
    for part, blocks in overrides.items():
        if part in FigureFile.COMPOSED:
            what = "only a paper's files have this key; change its problems and runs themselves"
            raise ConfigError(f"{changed_by}: {shared.parent.name}.{part}: {what}")
        if part not in PARTS:
            given.setdefault(shared, {})[part] = blocks
            continue
        for name, block in require_mapping(blocks, changed_by, f"{shared.parent.name}.{part}").items():
            owners = (file for file, parts in layers.items() if any(name in layer.get(part, {}) for layer in parts))
            given.setdefault(next(owners, shared), {}).setdefault(part, {})[name] = block
    return given


def _defaults_hint(place: str, raw: Block, defaults: Mapping[Path, Block]) -> str:
    """Return a hint if an error is in a key that a block has from defaults; otherwise "".

    place: the key with the error, such as "runs.one.steps". raw: the merged blocks of the file. defaults: file -> its
    defaults, for the file with the error and for shared.yaml.
    """
    part, name, key, *_ = [*place.split("."), "", ""]
    for file, of_file in defaults.items():
        given = of_file.get(part, {})
        if key in given and raw[part].get(name, {}).get(key) is given[key]:
            return f" (from defaults in {file})"
    return ""


def _new_block_hint(place: str, layers: Sequence[Block]) -> str:
    """Return a hint if an error is in a block that only the overrides have, whose name may be misspelt; otherwise "".

    place: the key with the error. layers: those of the file, then the overrides.
    """
    *files, given = layers
    for part in PARTS:
        there = [name for layer in files for name in layer.get(part, {})]
        for name in given.get(part, {}):
            if name not in there and place.startswith(f"{part}.{name}"):
                return f" (no file of this paper has {part}.{name})"
    return ""
