"""Claims about Fig 5: token composition under Adam, for three learning rates eta = eta_Y = eta_Z.

The ten distinct tokens of a class are numbered from 0, in the order of their probability.
"""

import numpy as np

from attention_dynamics.claims.claim import PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, check
from attention_dynamics.run import Run


@claim(
    "fig5",
    says="Different learning rates focus on different distinct tokens: smallest distance between the numbers of the "
    "most attended token for eta = 0.1, 0.5 and 1, at iteration 48",
    basis=PAPER,
    source="Section 8: 'self-attention with different learning rate picks different subsets of distinct tokens to "
    "focus on'",
)
def differ(adam: Run) -> Check:
    return check(np.diff(np.sort(adam["top_token"].at(48))).min(), at_least(1))
