"""External plug-ins: Python files in the folder plugins/ of the configuration.

All of them are checked before any is used, because no test of this package covers them.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from attention_dynamics.bounded_files import read_bounded
from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import PLUGIN_FOLDER
from attention_dynamics.config.schema import BASES
from attention_dynamics.pipeline.fingerprint import MAX_MODULE_BYTES
from attention_dynamics.registry import (
    DECLARATION,
    KIND,
    PACKAGE,
    PLUGINS,
    Component,
    declares_kind,
    find_module,
    kinds_in_module,
    plugin_folder,
)

COMPONENT_FOLDERS = {package.replace(".", "/"): base for base in BASES for package in base.packages}
# Exit code of a child process that no plug-in has ended, and the program of this process: it imports all plug-ins.
IMPORTED = 86
IMPORT_ALL = f"""
import os, sys
end = os._exit
from attention_dynamics.registry import import_module
for name in sys.argv[1:]:
    try:
        import_module(name)
    except ImportError:
        pass
end({IMPORTED})
"""
# The folder of plug-ins that this process uses. Jobs read it from an environment variable, so there is at most one.
_active_folder: list[str] = []


class Plugin(NamedTuple):
    """An external module.

    package: its folder, such as "optim" or "papers/<paper>". name: name of the file without ending, which for a
    component is also its kind.
    """

    package: str
    name: str
    file: Path


def use_plugins(config: Path) -> None:
    """Register the plug-ins beside a configuration, in this process and its child processes.

    config: the folder of the configuration; its ``plugins/`` need not exist. Raises ConfigError for a plug-in that
    cannot be used.
    """
    folder = (config / PLUGIN_FOLDER).resolve()
    new = str(folder) if folder.is_dir() else ""
    if _active_folder and _active_folder != [new]:
        raise ConfigError(f"{config}: this process uses the plug-ins of another folder; start a new process")
    _active_folder[:] = [new]
    os.environ[PLUGINS] = new
    seen: set[tuple[tuple[str, ...], str]] = set()
    for plugin in _folder_plugins():
        of_paper = re.fullmatch(r"papers/\w+", plugin.package) is not None
        if not of_paper and plugin.package not in COMPONENT_FOLDERS:
            raise ConfigError(
                f"{plugin.file}: {format_wrong_choice(plugin.package, [*COMPONENT_FOLDERS, 'papers/<paper>'])}"
            )
        packages = (plugin.package,) if of_paper else COMPONENT_FOLDERS[plugin.package].packages
        if (packages, plugin.name) in seen or _is_built_in(plugin, packages):
            raise ConfigError(f"{plugin.file}: {plugin.package} already has {plugin.name}; choose another name")
        seen.add((packages, plugin.name))
        if not of_paper:
            _check_component(plugin, COMPONENT_FOLDERS[plugin.package])


def check_imports() -> None:
    """Raise ConfigError for a plug-in that ends the process that imports it: Snakemake would end without a message."""
    plugins = list(_folder_plugins())
    modules = [find_module(plugin.package.replace("/", "."), plugin.name) for plugin in plugins]
    if plugins and _import_status(modules) != IMPORTED:
        for plugin, module in zip(plugins, modules, strict=True):
            if (status := _import_status([module])) != IMPORTED:
                raise ConfigError(f"{plugin.file}: ends the process that imports it (exit code {status})")


def _import_status(modules: Iterable[str | None]) -> int:
    """Return the exit code of another process that imports modules: IMPORTED unless one of them ends it.

    A module that raises an error does not end the process; the jobs that use the module report the error.
    """
    command = [sys.executable, "-c", IMPORT_ALL, *filter(None, modules)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode  # noqa: S603 (ours)


def files_in(folder: Path) -> list[Path]:
    """Return the Python files in a folder of plug-ins, linked folders included, hidden files and folders excluded."""
    walked = os.walk(folder, followlinks=True)
    files = (Path(where, name) for where, _, names in walked for name in names if name.endswith(".py"))
    return sorted(file for file in files if not any(part[0] == "." for part in file.relative_to(folder).parts))


def _folder_plugins() -> Iterator[Plugin]:
    folder = plugin_folder()
    for file in files_in(folder) if folder else ():
        if not file.name.startswith("_"):
            yield Plugin(file.parent.relative_to(str(folder)).as_posix(), file.stem, file)


def _is_built_in(plugin: Plugin, packages: Iterable[str]) -> bool:
    """Return whether the library has this module, or defines this kind in any package with the same base class.

    packages: all packages of the library that have components of this base class.
    """
    if any(plugin.name in kinds_in_module(package) for package in packages):
        return True
    files = {package: PACKAGE.joinpath(*re.split(r"[./]", package), f"{plugin.name}.py") for package in packages}
    return any(
        file.exists() and (package.replace(".", "/") == plugin.package or declares_kind(_read(file), plugin.name))
        for package, file in files.items()
    )


def _check_component(plugin: Plugin, base: type[Component]) -> None:
    name, text = plugin.name, _read(plugin.file)
    if not KIND.fullmatch(name):
        allowed = "a kind (lower-case letters, digits and underscores, starting with a letter)"
        raise ConfigError(f"{plugin.file}: {name!r} is not {allowed}")
    # Files that are not valid Python are skipped here; a job that uses one fails with the place of the error.
    if not declares_kind(text, name) and _is_python(text):
        form = f'class {name.title().replace("_", "")}({base.__name__}, kind="{name}")'
        others = ", ".join(DECLARATION.findall(text))
        there = f" (its kinds: {others}; the kind is the name of the file)" if others else ""
        raise ConfigError(f"{plugin.file}: has no class of kind {name!r}{there}; write `{form}` ({base.__module__})")


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _read(file: Path) -> str:
    try:
        return read_bounded(file, MAX_MODULE_BYTES).decode()
    except OSError as error:
        raise ConfigError(str(error)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: cannot be read ({error})") from None
