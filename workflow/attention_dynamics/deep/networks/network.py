"""Base class of the networks."""

from typing import TYPE_CHECKING, Any, ClassVar

from attention_dynamics.registry import Component

if TYPE_CHECKING:
    from torch import nn


class Network(Component, packages=("deep.networks",)):
    """An architecture. Its modules import torch only in ``build``, so that a configuration is read without it.

    data: the kind of data that it reads, or "masked texts". observable: allowed values of ``observe``. classes: the
    number of classes, if it is fixed.
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
        # Without the kind: a classifier takes over the encoder of a network trained on masked pieces.
        return {name: getattr(self, name) for name in type(self).model_fields if name != "dropout"}
