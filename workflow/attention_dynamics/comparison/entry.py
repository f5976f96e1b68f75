"""Entry of a comparison: an optimizer, its setting that is tuned, and the interval (box) over which it is tuned."""

import importlib.util
import sys
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, ValidationError, model_validator

from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.problems.problem import Array
from attention_dynamics.registry import NAME, Frozen, find, import_failure
from attention_dynamics.types import Increasing, Name, Pair, Positive

# Number of values of the tuned setting that are tried besides the default.
TUNED_VALUES = 12
# Step size of an optimizer whose class gives no default for it, and default interval over which a setting is tuned.
STEP_SIZE, BOX = 0.1, (0.001, 10.0)


class Entry(Frozen, frozen=True):
    """An optimizer with its default settings, and how it is tuned.

    tuned: the setting that is tuned. box: its smallest and largest value. TUNED_VALUES values are tried, these two and
    others between them, evenly spaced on a logarithmic axis. exponent: the p of the l_p norm whose SVM the direction is
    compared with; by default the exponent of the optimizer, or 2 for an optimizer without one.
    """

    optimizer: Optimizer
    tuned: Name = "step_size"
    box: Annotated[Pair[Positive], Increasing()] = BOX
    exponent: Annotated[float, Field(gt=1, le=10)] | None = None

    @model_validator(mode="after")
    def _has_tuned_setting(self) -> Self:
        if not isinstance(getattr(self.optimizer, self.tuned, None), float):
            raise ValueError(f"tuned: {self.optimizer.kind} has no number {self.tuned!r}")
        return self

    @classmethod
    def of_kind(cls, kind: str, file: str | None = None) -> Self:
        """Return the entry of an optimizer of which only the kind is given, such as a plug-in.

        The step size is the default of the class, or STEP_SIZE if the class gives no default. file: the module of the
        class, if the module is not in the folder of plug-ins. Raises ImportError if the module cannot be imported, and
        ValueError for a class without step_size or with other settings that have no default.
        """
        if file:
            _import_file(kind, Path(file))
        settings = find(Optimizer, kind).model_fields
        if "step_size" not in settings:
            raise ValueError(f"{kind} has no setting step_size")
        others = [name for name, field in settings.items() if field.is_required() and name != "step_size"]
        if others:
            raise ValueError(f"{kind} needs {', '.join(others)}, for which there is no default")
        given: dict[str, Any] = {"step_size": STEP_SIZE} if settings["step_size"].is_required() else {}
        return cls(optimizer=find(Optimizer, kind)(**given))

    @cached_property
    def values(self) -> Array:
        """Values of the tuned setting, (1 + TUNED_VALUES,): the default, then those of the box in increasing order."""
        return np.append(getattr(self.optimizer, self.tuned), np.geomspace(self.box[0], self.box[1], TUNED_VALUES))

    @property
    def norm(self) -> float:
        """Exponent of the norm of the SVM that the direction is compared with."""
        return self.exponent or float(getattr(self.optimizer, "exponent", 2.0))

    def optimizers(self) -> list[tuple[Optimizer, int]]:
        """Return pairs (optimizer, number of starts). Together the optimizers have all values, in order.

        If the setting accepts a list, there is a single pair, whose optimizer has one value for each start. If the
        setting accepts one number only, there is a pair with one start for each value.
        """
        values = tuple(self.values.tolist())
        try:
            return [(self._with(values), len(values))]
        except ValidationError:
            return [(self._with(value), 1) for value in values]

    def _with(self, value: Any) -> Optimizer:
        settings = {name: getattr(self.optimizer, name) for name in type(self.optimizer).model_fields}
        return type(self.optimizer).model_validate({**settings, self.tuned: value})


def _import_file(kind: str, file: Path) -> None:
    """Import a file as the module that defines an optimizer of this kind. Raises ImportError if the import fails."""
    name = f"{NAME}.optim.{kind}"
    try:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None  # noqa: PT018 (for the type checker)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        sys.modules.pop(name, None)
        raise import_failure(str(file), error) from error
