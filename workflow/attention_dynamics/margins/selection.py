"""Which token of each input a reference direction separates from the others."""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Problem
from attention_dynamics.types import Selection


def selected_tokens(problem: Problem, index: int, select: Selection) -> NDArray[np.int64]:
    """(n,) token indices in problem ``index``: its optimal tokens, or those listed."""
    return problem.optimal[index] if select == "optimal" else np.array(select)
