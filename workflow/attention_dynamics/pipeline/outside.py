"""Plug-ins from outside: files beside the configuration, modules of installed packages.

They are checked as a whole before anything is made of them, the more strictly as they are not in this package's tests.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from attention_dynamics.pipeline import plugins, source
from attention_dynamics.pipeline.errors import ConfigError, not_one_of
from attention_dynamics.pipeline.fingerprint import closure

FOLDER = "plugins"
# Folders of plug-ins that this process has used, or tried to.
_used: set[str] = set()


class Plugin(NamedTuple):
    """Folder of its kind with dots, name in the configuration, and module."""

    group: str
    name: str
    module: str


def use_plugins(config: Path) -> list[Plugin]:
    """Make the plug-ins beside a configuration known, in this process and in those started from it.

    config: the folder of the configuration; its ``plugins/`` need not exist. To be called before the schema is
    imported, which is made of the plug-ins. Returns what ``check_plugins`` does. Raises ConfigError for a plug-in that
    cannot be used, and where others are in use.
    """
    folder = (config / FOLDER).resolve()
    new = str(folder) if folder.is_dir() else ""
    settled = _used or f"{source.NAME}.pipeline.run_kinds" in sys.modules
    if settled and new != os.environ.get(source.LAID_OVER, ""):
        raise ConfigError(f"{config}: has other plug-ins than those in use; one folder of plug-ins at a time")
    _used.add(new)
    os.environ[source.LAID_OVER] = new
    return check_plugins()


def check_plugins() -> list[Plugin]:
    """All plug-ins from outside.

    Raises ConfigError for the first plug-in that is not what its kind asks for: it must have a place among the kinds, a
    name that nothing else has, and the names that its kind defines; files in a folder of plug-ins whose names begin
    with an underscore need only the first two.
    """
    found = []
    for kind, name, module, where in _outside():
        file = source.module_file(module)
        if file is None:
            raise ConfigError(f"{where}: there is no module {module}")
        if not name.startswith("_"):
            missing = [one for one in (kind.function, *kind.also) if not source.defines(file, one)]
            if missing:
                raise ConfigError(f"{where}: defines no {missing[0]}, which plug-ins in {kind.folder} need")
        closure(None, [module])
        found.append(Plugin(kind.group, name, module))
    return found


def files_of(found: list[Plugin]) -> set[Path]:
    """The files of plug-ins from outside, and of all that they import of this package and of each other's."""
    return set(closure(None, [plugin.module for plugin in found]).values())


def files_in(folder: Path) -> list[Path]:
    """The files in a folder of plug-ins, also in folders that are linked there; none where there is no folder."""
    walked = os.walk(folder, followlinks=True)
    return sorted(file for where, _, _ in walked for file in source.files(Path(where), "*.py"))


def _outside() -> Iterator[tuple[plugins.Kind, str, str, str]]:
    """Kind, name and module of every plug-in from outside, and what a message calls it."""
    folder = source.laid_over()
    for file in files_in(folder) if folder else ():
        kind = _kind_of(file.relative_to(folder))
        if kind is None:
            there = [*(kind.folder for kind in plugins.KINDS), f"{plugins.PLOTS}/<paper>"]
            raise ConfigError(f"{file}: {not_one_of(file.parent.relative_to(folder).as_posix(), there)}")
        if (source.PACKAGE / kind.folder / file.name).exists():
            raise ConfigError(f"{file}: {kind.folder} has {file.stem} already; give it another name")
        yield kind, file.stem, f"{kind.group}.{file.stem}", str(file)
    for kind in plugins.places():
        for name, entries in plugins.registered(kind.group).items():
            where = f"entry point {name} of {kind.group}"
            if len(entries) > 1 or source.module_file(f"{kind.group}.{name}"):
                raise ConfigError(f"{where}: {kind.folder} has {name} already; give it another name")
            yield kind, name, entries[0].value, where


def _kind_of(file: Path) -> plugins.Kind | None:
    """The kind that a file, relative to the folder of plug-ins, is a plug-in of."""
    if len(file.parts) == 3 and file.parts[0] == plugins.PLOTS:
        return plugins.plot(file.parts[1])
    return next((kind for kind in plugins.KINDS if kind.folder == file.parent.as_posix()), None)
