"""The configuration of this repository, which takes half a second to read, once for all tests of a process."""

import copy
import re
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attention_dynamics.config.load import COMPARISON, PLUGIN_FOLDER, Config, load_config
from attention_dynamics.pipeline.external_plugins import files_in
from attention_dynamics.registry import PACKAGE, find_files
from conftest import ROOT

REMOVED = object()


def shipped_files(root: Path) -> list[Path]:
    """Return the files in config/ without those of a reader: papers of their own, and what names their plug-ins.

    Tests are about what this repository has, and they do not load plug-ins.
    """
    folder = root / "config"
    papers = {place.name for place in (PACKAGE / "papers").iterdir()} | {COMPARISON, folder.name}
    plugins = {file.stem.removesuffix("_claims") for file in files_in(folder / PLUGIN_FOLDER)}
    files = find_files(folder, "*.yaml", "*/*.yaml")
    return [
        file
        for file in files
        if file.parent.name in papers and plugins.isdisjoint(re.findall(r"\w+", f"{file.stem} {file.read_text()}"))
    ]


def shipped_config(root: Path, copy: Path) -> Path:
    """Return config/, or, where a reader has added files to it, ``copy`` with the others."""
    folder = root / "config"
    files = shipped_files(root)
    if files == find_files(folder, "*.yaml", "*/*.yaml"):
        return folder
    for file in files:
        (copy / file.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy / file.relative_to(folder))
    return copy


def change_value(tree: Any, path: Sequence, value: Any) -> Any:
    """Return the content of a file with another value at a path, which is gone if the value is ``REMOVED``."""
    if not path:
        return value
    head, *rest = path
    tree = copy.copy(tree)
    if value is REMOVED and not rest:
        del tree[head]
    else:
        tree[head] = change_value(tree[head], rest, value) if rest else value
    return tree


# Removed at the end of the process.
_temporary = tempfile.TemporaryDirectory()
CONFIG_FOLDER = shipped_config(ROOT, Path(_temporary.name) / "config")


@cache
def folder_of(*papers: str) -> Path:
    """Return a folder with the configuration of some papers, which takes less time to read than all."""
    folder = Path(_temporary.name) / "-".join(papers)
    folder.mkdir()
    for name in ("config.yaml", *papers):
        (folder / name).symlink_to(CONFIG_FOLDER / name)
    return folder


@cache
def published_config(scale: str = "laptop") -> Config:
    """The configuration without overrides, at a scale."""
    return load_config(CONFIG_FOLDER, {"scale": scale})
