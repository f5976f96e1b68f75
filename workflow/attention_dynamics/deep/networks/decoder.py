"""The decoder that models language (Scan and snap Figs 7 and 10)."""

from typing import TYPE_CHECKING, Self

from pydantic import model_validator

from attention_dynamics.deep.networks.transformer import Transformer

if TYPE_CHECKING:
    from torch import nn


class Decoder(Transformer, kind="decoder"):
    """A decoder as in PyTorch's tutorial on language modelling, which the published notebook follows.

    dropout: also of attention's probabilities.
    """

    data = "corpus"

    @model_validator(mode="after")
    def _check_dim(self) -> Self:
        if self.dim % 2:
            raise ValueError(f"dim: must be even, for pairs of sines and cosines, got {self.dim}")
        return self

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``."""
        from attention_dynamics.deep.language.decoder_module import DecoderModule

        return DecoderModule(self, inputs, classes)
