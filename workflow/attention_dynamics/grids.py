"""Grids of step sizes: an optimizer's block of the configuration with a list for one of its numbers. Torch-free."""

from collections.abc import Mapping
from typing import Any

Block = Mapping[str, Any]


def grid_axis(optimizer: Block) -> tuple[str, list[float]] | None:
    """Name and values of the argument that is a list; None without one. Raises ValueError for several."""
    lists = [(name, value) for name, value in optimizer.items() if isinstance(value, list)]
    if len(lists) > 1:
        raise ValueError(f"a grid has one axis, got lists for {' and '.join(name for name, _ in lists)}")
    return lists[0] if lists else None


def grid_points(optimizer: Block) -> list[dict[str, Any]]:
    """The block with each of the values in turn; the block alone where it has no list."""
    axis = grid_axis(optimizer)
    return [{**optimizer, axis[0]: value} for value in axis[1]] if axis else [dict(optimizer)]
