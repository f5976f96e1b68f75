"""Drawings of Scan and snap: colors of learning rates, published numbers, and scales that show small changes."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex

from attention_dynamics.papers.scan_and_snap import fig6, fig8, heat_maps
from attention_dynamics.plots.panels import RunPanel
from attention_dynamics.plots.style import PUBLISHED, paper_style
from attention_dynamics.run import Run


def run(series, *, eta_Y, eta_Z=None, classes=None):
    rates = SimpleNamespace(eta_Y=eta_Y, eta_Z=eta_Z)
    steps = {"step": np.arange(len(next(iter(series.values()))))}
    return Run(training=rates, problem=SimpleNamespace(classes=classes), trajectory=steps, series=series)


def test_fig8_gives_a_learning_rate_one_color_in_all_panels():
    rates = {"small": [0.1, 1, 2], "large": [1, 2, 4]}
    runs = {name: run(dict.fromkeys(("h_star", "h"), np.ones((3, 1, 3))), eta_Y=rates[name]) for name in rates}
    with paper_style():
        figure = fig8.draw(runs, panel=tuple(RunPanel(run=name, title=name, until=2) for name in runs))
    colors = [[to_hex(line.get_color()) for line in axes.lines[::2]] for axes in figure.axes]
    assert colors[0][1:] == colors[1][:2]
    assert len({*colors[0], *colors[1]}) == 4


def test_fig6_draws_published_means_at_the_lines_of_their_learning_rate():
    eta_Z = np.repeat([0.5, 1], 4)
    ratios = np.tile([1, 2, 5, 10], 2)
    classes = SimpleNamespace(queries=range(3), next=range(6))
    entropies = np.random.default_rng(0).uniform(1, 2, (1, 10, 8))
    medium = run({"distinct_entropy": entropies}, eta_Y=eta_Z * ratios, eta_Z=eta_Z, classes=classes)
    with paper_style():
        (axes,) = fig6.draw({"medium": medium}).axes
    crosses = [line for line in axes.lines if line.get_marker() == PUBLISHED["marker"]]
    # Table of the specification, 3/6 tokens.
    assert [list(line.get_ydata()) for line in crosses] == [[2.019, 1.988, 2.031, 2.063], [1.963, 1.920, 1.982, 2.024]]
    lines = [line for line in axes.lines if line.get_marker() in ("o", "s")]
    for line, cross in zip(lines, crosses, strict=True):
        np.testing.assert_allclose(line.get_xdata(), cross.get_xdata())


def test_logarithmic_colors_show_small_changes_beside_large_ones():
    linear, logarithmic = (heat_maps.color_scale(14.0, linear_until)[0] for linear_until in (None, 1))
    # Shares of the half of the scale that has colors of growth, for a factor of two.
    assert 2 * linear(1.0) - 1 == pytest.approx(1 / 14)
    assert 2 * logarithmic(1.0) - 1 > 0.4
    for norm in (linear, logarithmic):
        np.testing.assert_allclose(norm([-14, 0, 14]), [0, 0.5, 1], atol=1e-12)
