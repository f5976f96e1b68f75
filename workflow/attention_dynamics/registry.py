"""Components: small frozen classes with validated fields. Each is found by its ``kind``, and imported only if used.

``NormalizedGD(step_size=0.1)`` in Python and ``{kind: normalized_gd, step_size: 0.1}`` in a configuration are equal
objects. A base class lists its ``packages``. If a package is a folder, each kind has a module: ``normalized_gd`` is the
class with ``kind="normalized_gd"`` in ``optim/normalized_gd.py``. If it is a module, its classes are the kinds: ``vit``
is a class in ``deep/networks.py``. Only modules of the kinds in use are imported, and a job depends on no others.

A plug-in ``optim/<kind>.py`` in the folder of plug-ins adds a kind to the package ``optim`` (``PluginDirectory``).
"""

import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, GetCoreSchemaHandler, PydanticUserError, SerializerFunctionWrapHandler, model_serializer
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from attention_dynamics.progress import one_line

PACKAGE = Path(__file__).resolve().parent
NAME = PACKAGE.name
# The environment variable with the folder of plug-ins, which jobs inherit.
PLUGINS = "ATTENTION_DYNAMICS_PLUGINS"
KIND = re.compile(r"[a-z][a-z0-9_]*")
# Matches the beginning of the definition of a class with a kind.
DECLARATION = re.compile(r"^class \w+\([^)]*\bkind=['\"]([a-z][a-z0-9_]*)['\"]", re.MULTILINE)


class Frozen(BaseModel, frozen=True, extra="forbid", strict=True, allow_inf_nan=False):
    """Validated settings. Unknown keys, NaN, infinities and silent conversions are refused.

    Lists are accepted for fields of the type ``types.Several`` or ``types.Pair``, and become tuples.
    """


class Component(Frozen, frozen=True):
    """Settings with behavior. A base class sets ``packages``, the folders or modules in which its kinds are defined.

    Each kind is a subclass that sets ``kind``. A field whose type is a base class takes a component, a mapping
    with the key ``kind``, or the kind alone if no settings are required.
    """

    kind: ClassVar[str] = ""
    packages: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, kind: str = "", packages: tuple[str, ...] = (), **keys: Any) -> None:
        super().__init_subclass__(**keys)
        if kind:
            cls.kind = kind
        if packages:
            cls.packages = packages

    @classmethod
    def of(cls, given: Any) -> Self:
        """Return the component with the given settings.

        given: a mapping with the key ``kind``, a kind alone, or a component, which is returned unchanged.
        Raises PydanticCustomError for an unknown or missing kind and for an object of another type. Raises pydantic's
        ValidationError for invalid settings.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, str):
            given = {"kind": given}
        if not isinstance(given, Mapping):
            raise PydanticCustomError("model_type", "Input should be a mapping of keys to values")
        settings = dict(given)
        if "kind" not in settings:
            raise PydanticCustomError("missing_kind", "the key kind is required")
        return find(cls, settings.pop("kind")).model_validate(settings)

    @model_serializer(mode="wrap")
    def _with_kind(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"kind": self.kind, **serialize(self)}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        if cls.kind or not cls.packages:
            return handler(source)
        # By default, pydantic would write and accept only the fields of the annotated base class, not those of a kind.
        dump = core_schema.plain_serializer_function_ser_schema(
            lambda value, info: value.model_dump(mode=info.mode, exclude_none=info.exclude_none), info_arg=True
        )
        return core_schema.no_info_plain_validator_function(cls.of, serialization=dump)


C = TypeVar("C", bound=Component)


def find(base: type[C], kind: Any) -> type[C]:
    """Return the subclass of ``base`` that has this kind. Only the module that defines it is imported.

    Raises PydanticCustomError, with a list of the known kinds, for an unknown kind. Raises ImportError, with the path
    of the file, for a module that cannot be imported and for a plug-in whose methods do not fit the base.
    """
    if isinstance(kind, str) and KIND.fullmatch(kind):
        for name in _possible_modules(base, kind):
            for value in vars(import_module(name)).values():
                if isinstance(value, type) and issubclass(value, base) and value.kind == kind:
                    _check_methods(value, base)
                    return value
    allowed = kinds(base)
    context = {"given": kind, "allowed": allowed, "text": repr(kind), "listed": ", ".join(allowed)}
    raise PydanticCustomError("unknown_kind", "unknown kind {text}; choose one of {listed}", context)


def _possible_modules(base: type[Component], kind: str) -> Iterator[str]:
    """Yield, for each package of a base, the name of the module that may define a kind.

    This is the package itself if it is a module that declares the kind. If it is a folder, it is the module with the
    name of the kind, if there is one.
    """
    for package in base.packages:
        if kind in kinds_in_module(package):
            yield f"{NAME}.{package}"
        elif name := find_module(package, kind):
            yield name


@cache
def _check_methods(cls: type[Component], base: type[Component]) -> None:
    """Raise ImportError, with the path, for a plug-in that lacks a required method or has one with other parameters."""
    file = inspect.getsourcefile(cls) or cls.__module__
    if Path(file).is_relative_to(PACKAGE):
        return
    for name, theirs in inspect.getmembers_static(base, inspect.isfunction):
        if inspect.getattr_static(cls, name) is theirs and "NotImplementedError" in theirs.__code__.co_names:
            wanted = ", ".join(inspect.signature(theirs).parameters)
            raise ImportError(f"{file}: {cls.__name__} has no method {name}({wanted})")
    for name, function in vars(cls).items():
        theirs = inspect.getattr_static(base, name, None)
        if inspect.isfunction(function) and inspect.isfunction(theirs):
            try:
                inspect.signature(function).bind(*inspect.signature(theirs).parameters)
            except TypeError:
                wanted = ", ".join(inspect.signature(theirs).parameters)
                raise ImportError(f"{file}: {cls.__name__}.{name} needs the parameters ({wanted})") from None


def kinds(base: type[Component]) -> list[str]:
    """Return the names of all kinds of a base, sorted. Their modules are not imported."""
    found: set[str] = set()
    for package in base.packages:
        found |= kinds_in_module(package)
        for root in (PACKAGE, *filter(None, [plugin_folder()])):
            files = root.joinpath(*package.split(".")).glob("*.py")
            found |= {file.stem for file in files if _declares_own_kind(file)}
    return sorted(found)


@cache
def kinds_in_module(package: str) -> frozenset[str]:
    """Return the kinds that a module of the library declares; an empty set if ``package`` is a folder."""
    file = PACKAGE.joinpath(*package.split(".")).with_suffix(".py")
    return frozenset(DECLARATION.findall(file.read_text(encoding="utf-8")) if file.exists() else ())


def components(value: Any) -> Iterator[Component]:
    """Yield the value itself, if it is a component, and all components nested in it."""
    if isinstance(value, Component):
        yield value
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from components(item)


def declares_kind(text: str, kind: str) -> bool:
    """Return whether the source ``text`` of a module declares a class of this kind."""
    return kind in DECLARATION.findall(text)


def _declares_own_kind(file: Path) -> bool:
    """Return whether a module defines a class whose kind is the name of its file; False if it cannot be read."""
    try:
        return bool(KIND.fullmatch(file.stem)) and declares_kind(file.read_text(encoding="utf-8"), file.stem)
    except (OSError, UnicodeDecodeError):
        return False


def import_module(name: str) -> ModuleType:
    """Import a module. Raises ImportError, with the path of the module, if that fails for any reason."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        try:
            spec = importlib.util.find_spec(name)
        except (Exception, SystemExit):  # the parent package cannot be imported
            spec = None
        where = spec.origin if spec and spec.origin else name
        raise import_failure(where, error) from error


def import_failure(where: str, error: BaseException) -> ImportError:
    """Return the ImportError for a module that cannot be imported because of ``error``. where: path of the module."""
    what = one_line(error)
    if isinstance(error, PydanticUserError) and error.code == "model-field-missing-annotation":
        # The rest of pydantic's message is advice about other cases.
        what = f"{what.partition('. ')[0]}; write the type of every field, as in step_size: PositivePerStart = 0.1"
    return ImportError(f"{where}: cannot be imported ({type(error).__name__}: {what})")


def find_module(package: str, name: str) -> str | None:
    """Return the dotted name of a module in a package of the library or of plug-ins; None if neither has the module."""
    full = f"{NAME}.{package}.{name}"
    with suppress(ModuleNotFoundError):
        if importlib.util.find_spec(full):
            return full
    return None


def plugin_folder() -> Path | None:
    """Return the folder of plug-ins; None if the environment variable PLUGINS is not set."""
    folder = os.environ.get(PLUGINS)
    return Path(folder) if folder else None


def find_files(folder: Path, *patterns: str) -> list[Path]:
    """Return the files in a folder that match one of the patterns, sorted.

    Hidden files and files in hidden folders are left out: editors, notebooks, git and file managers keep copies in
    them.
    """
    files = {file for pattern in patterns for file in folder.glob(pattern)}
    return sorted(file for file in files if not any(part[0] == "." for part in file.relative_to(folder).parts))


class PluginDirectory:
    """Import finder that looks up modules of this package in the folder of plug-ins."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module in the folder of plug-ins, or None; see ``importlib.abc.MetaPathFinder``."""
        package, *parts = name.split(".")
        folder = plugin_folder()
        if package != NAME or not parts or folder is None:
            return None
        return PathFinder.find_spec(name, [str(folder.joinpath(*parts[:-1]))], target)


# The finder comes last, after Python's own finders, so that a plug-in cannot replace a module of the package.
sys.meta_path.append(PluginDirectory)
