"""Regions of starts in Fig 2 of Max-margin: a border without the steps of the grid."""

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from attention_dynamics.papers.max_margin.fig2 import _draw_regions

SPACING = 0.1
STYLES = {0: ("#D55E00", "above"), 1: ("#0072B2", "below")}


def draw(slope):
    """Return axes with the regions above and below a line through (5, 0), on a grid of starts."""
    x, y = np.meshgrid(SPACING * np.arange(101), SPACING * np.arange(-50, 51))
    axes = Figure().subplots()
    _draw_regions(axes, np.column_stack([x.ravel(), y.ravel()]), np.where(y > slope * (x - 5), 0, 1).ravel(), STYLES)
    return axes


@pytest.mark.parametrize("slope", [0.07, 0.3, 0.8])
def test_rising_border_is_within_half_a_cell_of_the_line(slope):
    areas = [one for one in draw(slope).get_children() if isinstance(one, PolyCollection)]
    assert [area.get_label() for area in areas] == ["above", "below"]
    for area in areas:
        x, y = area.get_paths()[0].vertices.T
        border = (np.abs(y) < 5) & (x > 0) & (x < 10)
        assert border.sum() > 5
        np.testing.assert_allclose(y[border], slope * (x[border] - 5), atol=SPACING / 2)


def test_falling_border_has_the_cells_of_the_grid():
    axes = draw(-0.3)
    assert len(axes.images) == 1
    assert not [one for one in axes.get_children() if isinstance(one, PolyCollection)]
