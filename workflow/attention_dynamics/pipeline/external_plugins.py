"""Plug-ins from outside: files beside the configuration, modules of installed packages.

They are checked as a whole before anything is made of them, because no test of this package covers them.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.attention.models.model import Model
from attention_dynamics.config.errors import ConfigError, not_one_of
from attention_dynamics.config.signatures import functions
from attention_dynamics.deep.networks.network import Network
from attention_dynamics.deep.optim.deep_optimizer import DeepOptimizer
from attention_dynamics.margins.reference import Reference
from attention_dynamics.measures.measure import Measure
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.pipeline.fingerprint import module_file
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.registry import NAME, PACKAGE, PLUGINS, Component, installed, plugin_folder
from attention_dynamics.training import Training

FOLDER = "plugins"
BASES: tuple[type[Component], ...] = (
    ProblemSource, Reference, Model, Loss, Optimizer, Network, DeepOptimizer, Measure, Training,
)  # fmt: skip
PLACES = {package.replace(".", "/"): base for base in BASES for package in base.packages}
# Folders of plug-ins of version 0.1, which held functions, and those of today.
FORMER = {
    "models": "attention/models", "losses": "attention/losses", "networks": "deep/networks",
    "deep_optimizers": "deep/optim",
}  # fmt: skip
# The folder that this process uses: jobs find it in the environment, so there can be only one.
_in_use: list[str] = []
FORMER_FUNCTIONS = re.compile(r"^def (step|build|loss|solve|measure|shape)\(", re.MULTILINE)


def use_plugins(config: Path) -> None:
    """Make the plug-ins beside a configuration known, in this process and in those started from it.

    config: the folder of the configuration; its ``plugins/`` need not exist. Raises ConfigError for a plug-in that
    cannot be used.
    """
    folder = (config / FOLDER).resolve()
    new = str(folder) if folder.is_dir() else ""
    if _in_use and _in_use != [new]:
        raise ConfigError(f"{config}: has other plug-ins than those in use; one folder of plug-ins at a time")
    _in_use[:] = [new]
    os.environ[PLUGINS] = new
    for where, package, name, text in (*_files(), *_entry_points()):
        base = PLACES[package]
        if (PACKAGE / package / f"{name}.py").exists():
            raise ConfigError(f"{where}: {package} has {name} already; give it another name")
        if f'kind="{name}"' not in text:
            form = f'class {name.title().replace("_", "")}({base.__name__}, kind="{name}")'
            since = "functions are now classes" if FORMER_FUNCTIONS.search(text) else "there is no class of this kind"
            raise ConfigError(f"{where}: {since}; write `{form}` ({base.__module__}; see CHANGELOG.md)")


def files_in(folder: Path) -> list[Path]:
    """Return the modules in a folder of plug-ins, also in folders that are linked there, but no hidden files."""
    walked = os.walk(folder, followlinks=True)
    return sorted(
        Path(where, name) for where, _, names in walked for name in names if name.endswith(".py") and name[0] != "."
    )


def _files() -> Iterator[tuple[str, str, str, str]]:
    """Path, folder, name and text of every component in the folder of plug-ins."""
    folder = plugin_folder()
    if folder is None:
        return
    for file in files_in(folder):
        package = file.relative_to(folder).parent.as_posix()
        if package in FORMER:
            raise ConfigError(f"{file}: plug-ins of this kind are now classes in {FORMER[package]}/ (see CHANGELOG.md)")
        text = _read(file)
        if re.fullmatch(r"plots/\w+", package):
            _check_plot(file, package)
        elif package not in PLACES:
            raise ConfigError(f"{file}: {not_one_of(package, [*PLACES, 'plots/<paper>'])}")
        elif not file.name.startswith("_"):
            yield str(file), package, file.stem, text


def _entry_points() -> Iterator[tuple[str, str, str, str]]:
    """The same of every component that an installed package names."""
    seen, folder = set(), plugin_folder()
    for group, name, module in installed():
        where, package = f"entry point {name} of {group}", group.removeprefix(f"{NAME}.").replace(".", "/")
        file = module_file(module)
        if file is None:
            raise ConfigError(f"{where}: there is no module {module}")
        if (group, name) in seen or (folder and (folder / package / f"{name}.py").exists()):
            raise ConfigError(f"{where}: {package} has {name} already; give it another name")
        seen.add((group, name))
        if re.fullmatch(r"plots/\w+", package):
            if "draw" not in functions(file):
                raise ConfigError(f"{where}: defines no draw, which plots need")
        elif package in PLACES:
            yield where, package, name, _read(file)


def _check_plot(file: Path, package: str) -> None:
    if (PACKAGE / package / file.name).exists():
        raise ConfigError(f"{file}: {package} has {file.stem} already; give it another name")
    try:
        if not file.name.startswith("_") and "draw" not in functions(file):
            raise ConfigError(f"{file}: defines no draw, which plots need")
    except SyntaxError as error:
        raise ConfigError(f"{file}: line {error.lineno}: {error.msg}") from None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read ({error})") from None
