"""Checks and conversions of arrays that users pass to the library.

``takes_arrays`` decorates the functions that users call with their own arrays. Functions that only training calls, as
in ``attention.attention_gradient``, are not decorated: their arrays were converted before.
"""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike, NDArray

FLOAT, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
# Type of the result -> NumPy's letters for the kinds of arrays that are converted to it, and a name for messages.
SOURCES = {np.float64: ("biuf", "numbers"), np.int64: ("iu", "whole numbers"), np.int32: ("iu", "whole numbers"),
           np.uint16: ("iu", "whole numbers"), np.bool_: ("b", "booleans")}  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])


def as_array(
    name: str, given: ArrayLike, dtype: np.dtype[Any] = FLOAT, *, order: Literal["C", "K"] = "C", copy: bool = False
) -> NDArray[Any]:
    """Return ``given`` as an array of ``dtype``, one of the types in SOURCES.

    name: name of the argument, for messages. order: "C" for a C-contiguous result, "K" to keep the memory layout. copy:
    if False, an array that already has this type and order is returned itself.
    Raises ValueError for rows of different lengths and for masked entries.
    Raises ValueError for entries that ``dtype`` does not take: float64 takes real numbers and booleans, integer types
    take integers in their range, and bool takes booleans.
    """
    # Types are compared by ``is``, because NumPy has a single object for each native type.
    if not copy and type(given) is np.ndarray and given.dtype is dtype and given.flags.c_contiguous:
        return given
    try:
        array = np.asarray(given)
    except ValueError:
        raise ValueError(f"{name}: need an array, got rows of different lengths") from None
    if np.ma.is_masked(given):
        raise ValueError(f"{name}: some entries are masked")
    kinds, what = SOURCES[dtype.type]
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name}: need {what}, got an array of {array.dtype}")
    # The memory layout is set, because the order of sums, and with it their last bits, depends on it.
    converted = array.astype(dtype, order=order, copy=copy)
    if dtype.kind in "iu" and (converted != array).any():
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        raise ValueError(f"{name}: need whole numbers from {low} to {high}, got {array.min()} to {array.max()}")
    return converted


def check_array(name: str, given: ArrayLike, axes: Sequence[str], sizes: Sequence[int | None]) -> NDArray[np.float64]:
    """Return ``given`` as an array of float64.

    Raises ValueError, with ``name``, as ``as_array`` does, for another shape than expected, and for entries that are
    not finite.

    axes: names of the axes, for the message; sizes: their lengths, or None for any length but 0.
    """
    array = as_array(name, given)
    check_shape(name, array, axes, sizes)
    if not np.isfinite(array).all():
        place = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        raise ValueError(f"{name}: not all numbers are finite, got {array[place]} in {format_entry(name, place)}")
    return array


def format_entry(name: str, place: Sequence[int]) -> str:
    """Return the text for an entry of an array, such as "tokens[0, 2, 1]"."""
    return f"{name}[{', '.join(map(str, place))}]"


def check_shape(name: str, array: NDArray[Any], axes: Sequence[str], sizes: Sequence[int | None]) -> None:
    """Raise ValueError, with ``name``, unless an array has the expected shape. axes, sizes: as in ``check_array``."""
    if array.ndim != len(sizes) or any(
        have != want if want is not None else have == 0 for have, want in zip(array.shape, sizes, strict=True)
    ):
        given = zip(axes, sizes, strict=True)
        expected = ", ".join(axis if size is None else f"{axis} = {size}" for axis, size in given)
        raise ValueError(f"{name}: need an array ({expected}), got shape {array.shape}")


def check_increasing(recorded: Sequence[int]) -> None:
    """Raise ValueError unless ``recorded`` is a strictly increasing sequence of integers >= 0 that is not empty."""
    steps = np.asarray(recorded)
    whole = steps.ndim == 1 and steps.dtype.kind in "iu" and len(steps) > 0
    if not whole or steps[0] < 0 or (steps[1:] <= steps[:-1]).any():
        raise ValueError(f"recorded steps must increase from 0 or more, got {recorded}")


def takes_arrays(*, empty: bool = False, single: bool = False) -> Callable[[F], F]:
    """Return a decorator that converts arguments annotated as arrays by ``as_array``, before the function is called.

    Results then depend on the numbers alone, not on their type and memory layout. The values of mappings are converted
    too; None and Python's ``int`` and ``float`` are not. empty: if False, an array without entries raises ValueError,
    except in a mapping. single: leave float32 arrays as they are.
    """

    def decorate(function: F) -> F:
        readers = [
            (place, parameter.name, _reader(parameter.name, dtype, empty, single))
            for place, parameter in enumerate(inspect.signature(function).parameters.values())
            if (dtype := array_type(parameter.annotation))
        ]

        @functools.wraps(function)
        def checked(*args: Any, **keywords: Any) -> Any:
            given = list(args)
            for place, name, read in readers:
                if place < len(given):
                    given[place] = read(given[place])
                elif name in keywords:
                    keywords[name] = read(keywords[name])
            return function(*given, **keywords)

        return cast(F, checked)

    return decorate


def _reader(name: str, dtype: np.dtype[Any], empty: bool, single: bool) -> Callable[[Any], Any]:
    """Return a function that converts the argument ``name`` to ``dtype``. empty, single: see ``takes_arrays``."""

    def read(given: Any) -> Any:
        # Arrays that need no conversion are tested first, because training passes them in each step.
        if type(given) is np.ndarray and given.size:
            if (given.dtype is dtype and given.flags.c_contiguous) or (single and given.dtype is SINGLE):
                return given
        elif type(given) is float or _is_scalar(given):
            return given
        if isinstance(given, Mapping):
            return {key: as_array(f"{name} {key}", value, dtype) for key, value in given.items()}
        array = as_array(name, given, dtype)
        if not (empty or array.size):
            raise ValueError(f"{name}: need at least one number, got shape {array.shape}")
        return array

    return read


def own_arrays(instance: Any) -> None:
    """Replace the arrays of a new instance of a dataclass by copies, converted by ``as_array``.

    Later changes of the caller's arrays then do not change the instance.
    """
    for name, dtype in _array_fields(cast(Any, type(instance))):
        given = getattr(instance, name)
        if _is_scalar(given):
            continue
        if isinstance(given, Mapping):
            own: Any = {
                key: as_array(f"{name} {key}", value, dtype, order="K", copy=True) for key, value in given.items()
            }
        else:
            own = as_array(name, given, dtype, order="K", copy=True)
        object.__setattr__(instance, name, own)


@functools.cache
def _array_fields(kind: type[Any]) -> list[tuple[str, np.dtype[Any]]]:
    """Return the fields of a dataclass that are annotated as arrays, with the types of their entries."""
    typed = ((field.name, array_type(field.type)) for field in fields(kind))
    return [(name, dtype) for name, dtype in typed if dtype is not None]


def array_type(annotation: Any) -> np.dtype[Any] | None:
    """Return the dtype of the arrays in an annotation, such as float64 for ``Array | None``; None for no arrays."""
    if annotation is ArrayLike:
        return FLOAT
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is np.ndarray:
        (kind,) = get_args(parts[1])
        return np.dtype(kind) if kind in SOURCES else None
    if origin in (Union, UnionType) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return next((dtype for part in parts if (dtype := array_type(part))), None)
    return None


def _is_scalar(given: Any) -> bool:
    return given is None or (isinstance(given, int | float) and not isinstance(given, bool))
