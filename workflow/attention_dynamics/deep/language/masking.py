"""Which pieces a masked language model has to name (Devlin et al. 2019, 3.1)."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention_dynamics.datasets.wordpiece import MASK, SPECIAL
from attention_dynamics.deep_training.evaluation import IGNORED

CHOSEN, MASKED, REPLACED = 0.15, 0.8, 0.1


class Masking:
    """Chooses each piece of a text with probability .15; of those, 80 % become [MASK] and 10 % any piece at all.

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
        """pieces (n, 2, T), numbers of pieces and of segments; labels (n, T), the pieces -> with some pieces replaced,
        and with labels IGNORED where none was chosen.
        """
        device = labels.device
        chosen, kind = torch.rand(2, *labels.shape).to(device)
        which = torch.randint(len(self._ordinary), labels.shape).to(device)
        asked = (chosen < CHOSEN) & ~self._special[labels]
        masked, replaced = asked & (kind < MASKED), asked & (kind >= 1 - REPLACED)
        tokens = torch.where(replaced, self._ordinary[which], labels).masked_fill(masked, self._mask)
        return torch.stack([tokens.to(pieces.dtype), pieces[:, 1]], 1), torch.where(asked, labels, IGNORED)
