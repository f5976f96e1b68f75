"""Components: small frozen classes with validated fields, found by their ``kind`` without importing the others.

``NormalizedGD(step_size=0.1)`` in Python and ``{kind: normalized_gd, step_size: 0.1}`` in a configuration are the same
object. A kind is the name of a module: ``normalized_gd`` is the class with ``kind="normalized_gd"`` in
``optim/normalized_gd.py``. Only the modules that are named are imported, so that a job depends on nothing else.

A component of one's own lies in the same folder of a folder of plug-ins (``PluginDirectory``), or is named by an
installed package as an entry point in the group that is called as the folder, such as ``attention_dynamics.optim``.
"""

import importlib
import importlib.util
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

from pydantic import BaseModel, GetCoreSchemaHandler, SerializerFunctionWrapHandler, model_serializer
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

PACKAGE = Path(__file__).resolve().parent
NAME = PACKAGE.name
# Names the folder of plug-ins in the environment, so that jobs find it too.
PLUGINS = "ATTENTION_DYNAMICS_PLUGINS"
KIND = re.compile(r"[a-z][a-z0-9_]*")


class Frozen(BaseModel, frozen=True, extra="forbid", strict=True, allow_inf_nan=False):
    """Validated settings. Unknown keys, infinities and silent conversions are refused; lists become tuples."""


class Component(Frozen, frozen=True):
    """Settings with behaviour. A base names the ``packages`` that its kinds are modules of; a kind names itself.

    A field whose type is a base takes a component, a mapping with ``kind``, or a kind alone where nothing is to be set.
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
        """Return the component that a mapping with ``kind`` describes.

        Raises pydantic's ValidationError for settings that are wrong, and PydanticCustomError for a kind that there is
        none of.
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
        # A field of the base itself would be written as {}, and would read any mapping as an empty base.
        dump = core_schema.plain_serializer_function_ser_schema(
            lambda value, info: value.model_dump(mode=info.mode, exclude_none=info.exclude_none), info_arg=True
        )
        return core_schema.no_info_plain_validator_function(cls.of, serialization=dump)


C = TypeVar("C", bound=Component)


def find(base: type[C], kind: Any) -> type[C]:
    """Return the class of a kind, importing its module and no other.

    Raises PydanticCustomError, with the kinds that there are, where there is none, and ImportError, with the file, for
    a module that cannot be imported.
    """
    if isinstance(kind, str) and KIND.fullmatch(kind):
        for package in base.packages:
            if name := find_module(package, kind):
                for value in vars(import_module(name)).values():
                    if isinstance(value, type) and issubclass(value, base) and value.kind == kind:
                        return value
    allowed = kinds(base)
    context = {"given": kind, "allowed": allowed, "text": repr(kind), "listed": ", ".join(allowed)}
    raise PydanticCustomError("unknown_kind", "there is no kind {text}; there are {listed}", context)


def kinds(base: type[Component]) -> list[str]:
    """Return the names of all kinds of a base, sorted. Their modules are not imported."""
    found = {name for package in base.packages for name in entry_points(package)}
    for root in (PACKAGE, *filter(None, [plugin_folder()])):
        for package in base.packages:
            files = root.joinpath(*package.split(".")).glob("*.py")
            found |= {file.stem for file in files if _declares_own_kind(file)}
    return sorted(found)


def components(value: Any) -> Iterator[Component]:
    """Yield all components within a value, however deep, itself included."""
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
    """Return whether the source of a module has a class of a kind."""
    return re.search(rf"^class \w+\([^)]*\bkind=(['\"]){re.escape(kind)}\1", text, re.MULTILINE) is not None


def _declares_own_kind(file: Path) -> bool:
    """Return whether a module has a class of the kind that is called as its file. Files that cannot be read do not."""
    try:
        return bool(KIND.fullmatch(file.stem)) and declares_kind(file.read_text(encoding="utf-8"), file.stem)
    except (OSError, UnicodeDecodeError):
        return False


def import_module(name: str) -> ModuleType:
    """Import a module. Raises ImportError, with its file, for one that cannot be imported, for whatever reason."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        try:
            spec = importlib.util.find_spec(name)
        except (Exception, SystemExit):  # the package that it is in cannot be imported
            spec = None
        where = spec.origin if spec and spec.origin else name
        raise ImportError(f"{where}: cannot be imported ({type(error).__name__}: {error})") from error


def find_module(package: str, name: str) -> str | None:
    """Return the dotted name of a module of a package of the library, from a plug-in if need be, or None."""
    full = f"{NAME}.{package}.{name}"
    with suppress(ModuleNotFoundError):
        if importlib.util.find_spec(full):
            return full
    return entry_points(package).get(name)


def entry_points(package: str) -> dict[str, str]:
    """Return the modules that installed packages name for kinds of a package: kind -> module."""
    return {name: module for group, name, module in installed() if group == f"{NAME}.{package}"}


@cache
def installed() -> tuple[tuple[str, str, str], ...]:
    """Return group, name and module of every entry point that an installed package has for this one."""
    from importlib.metadata import entry_points as every  # 40 ms, which most jobs do not need

    found = every()
    groups = [group for group in found.groups if group.startswith(f"{NAME}.")]
    return tuple((group, entry.name, entry.value) for group in groups for entry in found.select(group=group))


def plugin_folder() -> Path | None:
    """Return the folder of plug-ins, or None."""
    folder = os.environ.get(PLUGINS)
    return Path(folder) if folder else None


class PluginDirectory:
    """Imports modules of this package that are not in it from the folder of plug-ins."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return where a module is; see ``importlib.abc.MetaPathFinder``."""
        package, *parts = name.split(".")
        folder = plugin_folder()
        if package != NAME or not parts or folder is None:
            return None
        return PathFinder.find_spec(name, [str(folder.joinpath(*parts[:-1]))], target)


# After Python's own finders: what is in the package comes first.
sys.meta_path.append(PluginDirectory)
