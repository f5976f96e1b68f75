"""Drawings of Scan and snap: colors of learning rates, published numbers, and tokens that a class does not have."""

from types import SimpleNamespace

import numpy as np
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
    # The legend has a cross of its own.
    crosses = [line for line in axes.lines if line.get_marker() == PUBLISHED["marker"] and len(line.get_xdata())]
    # Table of the specification, 3/6 tokens.
    assert [list(line.get_ydata()) for line in crosses] == [[2.019, 1.988, 2.031, 2.063], [1.963, 1.920, 1.982, 2.024]]
    lines = [line for line in axes.lines if line.get_marker() in ("o", "s")]
    for line, cross in zip(lines, crosses, strict=True):
        np.testing.assert_allclose(line.get_xdata(), cross.get_xdata())


def test_heat_maps_leave_tokens_white_that_a_class_does_not_have():
    classes = SimpleNamespace(common=range(1), distinct=[range(1, 2), range(2, 3)], next=range(2))
    shares = np.zeros((2, 1, 1, 2, 3))
    shares[0, 0, 0], shares[1, 0, 0] = [[0.5, 0.5, 0], [0.5, 0, 0.5]], [[0.2, 0.8, 0], [0.3, 0, 0.7]]
    trained = run({"token_shares": shares}, eta_Y=[1.0], eta_Z=[1.0], classes=classes)
    with paper_style():
        figure = heat_maps.draw({"sgd": trained}, shown="sgd", steps=(0, 1), classes=(0, 1), tokens=(0, 3))
    first, second = (axes.images[0].get_array() for axes in figure.axes[:2])
    assert first.filled(-1).tolist() == [[0.5, 0.5, -1], [-1, -1, -1], [0.2, 0.8, -1]]
    assert second.filled(-1).tolist() == [[0.5, -1, 0.5], [-1, -1, -1], [0.3, -1, 0.7]]
