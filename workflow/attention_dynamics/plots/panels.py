"""Nested settings of plots: panels and fitted lines."""

from typing import Annotated, Literal

from pydantic.types import Strict

from attention_dynamics.registry import Frozen
from attention_dynamics.types import (
    Indices,
    Interval,
    Number,
    Pair,
    Positive,
    RecordedStep,
    ReferenceName,
    RunName,
    RunNames,
    SeriesName,
    Several,
    Time,
    Window,
)


class Fit(Frozen):
    """A line fitted to a curve of a panel.

    run: the run whose curve is fitted. window: first and last step of the fit. time: function of the step over which
    the line is fitted. log: fit the logarithm of the curve. label: side of the line on which its slope is printed.
    place: position of the printed slope, overriding ``label``, as shares of the width and height of the axes.
    """

    run: RunName
    window: Window
    time: Time = "linear"
    log: bool = True
    label: Literal["above", "below"] = "above"
    place: Pair[Number] | None = None


class CurvePanel(Frozen):
    """One panel with the curves of a series over the iterations, and lines fitted to them.

    title: the quantity, as label of the y axis. log: make the y axis logarithmic. exp: the series is a logarithm; show
    its exponential on a logarithmic axis. negative: the series is the logarithm of numbers below one; show minus the
    series on a logarithmic axis, where powers of the iteration are straight lines. steps: scale of the x axis. ylim:
    limits of the y axis.
    """

    title: str
    series: SeriesName
    exp: bool = False
    log: bool = False
    negative: bool = False
    steps: Literal["log", "linear"] = "log"
    ylim: Interval | None = None
    fits: Annotated[tuple[Fit, ...], Strict(False)] = ()


class Trapped(Frozen):
    """Criterion for trapped data sets: the last value of ``series`` exceeds ``above``.

    Each trapped data set is drawn as a separate line and left out of the means. label: their name in the legend.
    """

    series: SeriesName
    above: float
    label: str


class Zoom(Frozen):
    """A part of a plane that is drawn again, larger.

    xlim, ylim: limits of the part. corner: lower left corner of the larger picture, in coordinates of the plane.
    factor: magnification. marker: size of the tokens in the larger picture, relative to their size in other figures.
    """

    xlim: Interval
    ylim: Interval
    corner: Pair[Number]
    factor: Positive
    marker: Positive = 1


class PathPanel(Frozen):
    """One panel with the path of a run through a plane.

    xlim, ylim: limits of the axes. arrows: iterations to mark with arrowheads. zoom: part to draw again, larger, in
    plots that support it.
    """

    run: RunName
    xlim: Interval
    ylim: Interval
    zoom: Zoom | None = None
    arrows: Annotated[tuple[RecordedStep, ...], Strict(False)] = ()


class GrowthPanel(Frozen):
    """One panel with a curve for each pair of learning rates of a run.

    labels: template of the labels of the curves, with the placeholders {eta_Y} and {eta_Z}.
    """

    run: RunName
    title: str
    labels: str


class RunPanel(Frozen):
    """One panel with a run, up to the recorded step ``until``."""

    run: RunName
    title: str
    until: RecordedStep


class StepPanel(Frozen):
    """One panel with several runs at the same recorded step."""

    runs: RunNames
    step: RecordedStep
    title: str = ""


class DirectionPanel(Frozen):
    """One panel that compares runs by their cosines with a reference. trajectories: indices of the starts to draw."""

    title: str
    runs: RunNames
    reference: ReferenceName
    trajectories: Indices = (0,)
    ylim: Interval


class SeriesPanel(Frozen):
    """One panel with a series over the steps. ylabel, ylim: label and limits of the y axis."""

    series: SeriesName
    ylabel: str
    ylim: Interval


class TargetPanel(Frozen):
    """One panel with the path of a run.

    target: direction that the path should reach. contrast: direction that it should not reach.
    """

    run: RunName
    target: ReferenceName
    contrast: ReferenceName | None = None


SeriesPanels = Several[SeriesPanel]
TargetPanels = Several[TargetPanel]
GrowthPanels = Several[GrowthPanel]
RunPanels = Several[RunPanel]
StepPanels = Several[StepPanel]
PathPanels = Several[PathPanel]
CurvePanels = Several[CurvePanel]
DirectionPanels = Several[DirectionPanel]
