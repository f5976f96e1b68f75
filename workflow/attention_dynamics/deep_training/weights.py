"""How large the weights of queries, keys and values are (Mirror descent 4.3 and 4.5)."""

from numpy.typing import NDArray
from torch import nn

from attention_dynamics.deep_training.histogram import counts


def observe_weights(model: nn.Module) -> dict[str, NDArray]:
    """weight_counts_q, ...: (bins,), how many |w| of all layers lie in each bin. weight_max_q, ...: (), the largest."""
    sizes = {name.lower(): weights.abs().cpu().double().numpy() for name, weights in model.projections().items()}
    numbers = {f"weight_counts_{name}": counts(size) for name, size in sizes.items()}
    return numbers | {f"weight_max_{name}": size.max() for name, size in sizes.items()}
