"""Selection of the pieces that a masked language model predicts (Devlin et al. 2019, Section 3.1)."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention_dynamics.deep.datasets.wordpiece import MASK, SPECIAL
from attention_dynamics.deep.training.evaluation import IGNORE_INDEX

CHOSEN_SHARE, MASKED_SHARE, REPLACED_SHARE = 0.15, 0.8, 0.1


class Masking:
    """Masking of texts: each piece is chosen with probability 0.15; of these 80 % become [MASK], 10 % a random piece.

    vocabulary: pieces by number; the special ones are neither chosen nor what others become. Draws from torch's
    generator, that of the CPU, so that a device draws what the CPU does. Raises ValueError where there is no [MASK].
    """

    def __init__(self, vocabulary: Sequence[str], device: str = "cpu") -> None:
        if MASK not in vocabulary:
            raise ValueError(f"vocabulary: {MASK} is missing")
        self._mask = list(vocabulary).index(MASK)
        ordinary = [number for number, piece in enumerate(vocabulary) if piece not in SPECIAL]
        self._ordinary = torch.tensor(ordinary, device=device)
        self._special = torch.ones(len(vocabulary), dtype=torch.bool, device=device)
        self._special[self._ordinary] = False

    def __call__(self, pieces: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Replace some pieces, and return IGNORE_INDEX as the label of those that were not chosen.

        pieces: (n, 2, T), numbers of pieces and of segments. labels: (n, T), the pieces.
        """
        device = labels.device
        chosen, kind = torch.rand(2, *labels.shape).to(device)
        which = torch.randint(len(self._ordinary), labels.shape).to(device)
        to_name = (chosen < CHOSEN_SHARE) & ~self._special[labels]
        masked, replaced = to_name & (kind < MASKED_SHARE), to_name & (kind >= 1 - REPLACED_SHARE)
        tokens = torch.where(replaced, self._ordinary[which], labels).masked_fill(masked, self._mask)
        return torch.stack([tokens.to(pieces.dtype), pieces[:, 1]], 1), torch.where(to_name, labels, IGNORE_INDEX)
