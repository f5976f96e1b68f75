"""Base class of the networks."""

from typing import TYPE_CHECKING, Any, ClassVar

from attention_dynamics.registry import Component

if TYPE_CHECKING:
    from torch import nn


class Network(Component, packages=("deep.networks",)):
    """An architecture. Its modules import torch only in ``build``, so that a configuration is read without it.

    data: what it is for, a kind of data or "masked texts". observable: what ``observe`` may name. classes: how many
    classes there must be, if that is fixed.
    """

    data: ClassVar[str] = ""
    observable: ClassVar[tuple[str, ...]] = ()
    classes: ClassVar[int | None] = None

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """Return the network with fresh weights.

        inputs: (channels, height, width) of images, (2, length, size of the vocabulary) of texts with classes, (length,
        size of the vocabulary) of a corpus. Raises ValueError for sizes that do not fit.
        """
        raise NotImplementedError

    @property
    def sizes(self) -> dict[str, Any]:
        """Settings that determine the shapes of the weights: networks of equal sizes can exchange weights."""
        # Not the kind: a network that names masked pieces leaves its encoder to one that tells classes apart.
        return {name: getattr(self, name) for name in type(self).model_fields if name != "dropout"}
