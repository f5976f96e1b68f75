"""Signatures as they are written in the code: ``Array`` rather than all that the alias stands for."""

import ast
import inspect
import textwrap
from typing import Any

from sphinx.application import Sphinx

from attention_dynamics.registry import Frozen


def of_function(function: Any) -> tuple[str, str | None] | None:
    """Return parameters and result of a function or method; None for what has no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    if not isinstance(tree, ast.FunctionDef):
        return None
    parameters = tree.args
    if parameters.args and parameters.args[0].arg in ("self", "cls"):
        del parameters.args[0]
    return f"({ast.unparse(parameters)})", ast.unparse(tree.returns) if tree.returns else None


def has_fields(cls: type) -> bool:
    """Return whether a class is made from its fields: a component, a data class or a named tuple."""
    return issubclass(cls, Frozen) or hasattr(cls, "__dataclass_fields__") or hasattr(cls, "_fields")


def fields_of(cls: type) -> list[str]:
    """Return the fields of such a class as they are written, those of its bases first."""
    fields: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith("attention_dynamics.") or not has_fields(base):
            continue
        for statement in ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body:  # type: ignore[attr-defined]
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name, kind = statement.target.id, ast.unparse(statement.annotation)
                if not kind.startswith("ClassVar"):
                    fields[name] = f"{name}: {kind}" + (f" = {ast.unparse(statement.value)}" if statement.value else "")
    return list(fields.values())


def process(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str, result: str
) -> tuple[str, str | None] | None:
    """Return the signature of a function or of a component's settings."""
    if what in ("function", "method"):
        return of_function(thing)
    if what == "class" and has_fields(thing):
        fields = ", ".join(fields_of(thing))
        return (f"(*, {fields})" if fields and issubclass(thing, Frozen) else f"({fields})"), None
    return None


def skip(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what pydantic and named tuples add to every class."""
    alias = str(getattr(thing, "__doc__", "")).startswith("Alias for field number")
    return True if alias or name in ("model_config", "model_post_init") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Replace the signatures that autodoc finds."""
    app.connect("autodoc-process-signature", process)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
