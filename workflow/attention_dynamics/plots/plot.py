"""Plots: functions in ``papers/<paper>/`` that draw a figure from the runs that it lists.

The first parameter is ``runs``, a mapping of names to runs, or ``run``, the only run of the figure. The keyword-only
parameters are the settings of the plot. A kind of plot is written "<paper>.<module>.<function>".
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pydantic import create_model

from attention_dynamics.registry import PACKAGE, Frozen, find_module, import_module, plugin_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attention_dynamics.run import Run


class PlotSettings(Frozen, validate_default=True):
    """Base class of the settings of a plot. Defaults are checked, too: a default may be a step that no run records."""


class UnknownPlotError(LookupError):
    """Error for a plot that does not exist. part: the wrong part of the plot's kind. allowed: values it could have."""

    def __init__(self, part: str, allowed: Iterable[str]) -> None:
        self.part, self.allowed = part, sorted(allowed)
        super().__init__(f"unknown plot {part}; choose one of {', '.join(self.allowed) or '(there are none)'}")


def plot_module(kind: str) -> ModuleType:
    """Return the module of a plot "<paper>.<module>.<function>".

    Raises UnknownPlotError for an unknown paper or module. Raises ImportError, with the path of the module, if the
    import fails.
    """
    paper, module, _ = kind.split(".")
    name = find_module(f"papers.{paper}", module)
    if name is None:
        there = modules_of_paper(paper)
        raise UnknownPlotError(module, there) if there else UnknownPlotError(paper, papers())
    return import_module(name)


def plot_function(kind: str) -> Callable[..., Any]:
    """Return the function of a plot. Raises as ``plot_module``, and UnknownPlotError for an unknown function."""
    module, name = plot_module(kind), kind.rpartition(".")[2]
    public = [key for key, value in vars(module).items() if inspect.isfunction(value) and key.startswith("draw")]
    if name not in public:
        raise UnknownPlotError(name, public)
    function: Callable[..., Any] = getattr(module, name)
    return function


def papers() -> list[str]:
    """Return the names of the papers that have modules, in the package or in the folder of plug-ins."""
    folders = (folder for root in _roots() for folder in root.glob("[!.]*"))
    return sorted({folder.name for folder in folders if any(folder.glob("[a-z]*.py"))})


def modules_of_paper(paper: str) -> list[str]:
    """Return the names of a paper's modules, except modules of claims."""
    files = {file.stem for root in _roots() for file in (root / paper).glob("[a-z]*.py")}
    return sorted(name for name in files if not name.endswith("_claims"))


def _roots() -> list[Path]:
    folders = (folder / "papers" for folder in (PACKAGE, plugin_folder()) if folder)
    return [folder for folder in folders if folder.is_dir()]


@cache
def settings_type(function: Callable[..., Any]) -> type[PlotSettings]:
    """Return the class of a plot's settings, with a field for each keyword-only parameter of the function.

    Raises TypeError for a parameter without annotation.
    """
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.annotation is parameter.empty:
                raise TypeError(f"{function.__module__}.{function.__name__}: parameter {name} needs a type annotation")
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[name] = (parameter.annotation, default)
    settings: type[PlotSettings] = create_model(function.__name__, __base__=PlotSettings, **fields)
    return settings


def takes_one_run(function: Callable[..., Any]) -> bool:
    """Return True for a function whose first parameter is ``run``."""
    return next(iter(inspect.signature(function).parameters), "") == "run"


def call(kind: str, name: str, runs: "Mapping[str, Run]", settings: Mapping[str, Any]) -> Any:
    """Call the function ``name`` of a plot's module, such as ``draw`` or ``tabulate``, with checked settings.

    kind: "<paper>.<module>.<function>". The keyword-only parameters of this function are the settings. Raises as
    ``plot_function`` and ``settings_type``, and pydantic's ValidationError for invalid settings.
    """
    checked = settings_type(plot_function(kind)).model_validate(settings)
    arguments = {key: getattr(checked, key) for key in type(checked).model_fields}
    function = getattr(plot_module(kind), name)
    return function(next(iter(runs.values())) if takes_one_run(function) else runs, **arguments)


def draw(kind: str, runs: "Mapping[str, Run]", settings: Mapping[str, Any]) -> "Figure":
    """Draw a figure with the plot ``kind``; see ``call``."""
    figure: Figure = call(kind, kind.rpartition(".")[2], runs, settings)
    return figure
