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

    run: whose curve. window: first and last step of the fit. time: the function of the step that is the abscissa.
    log: fit the logarithm of the curve. label: side of the line on which its slope is printed. place: middle of the
    printed slope instead, as shares of the width and height of the axes, from (0, 0) to (1, 1).
    """

    run: RunName
    window: Window
    time: Time = "linear"
    log: bool = True
    label: Literal["above", "below"] = "above"
    place: Pair[Number] | None = None


class CurvePanel(Frozen):
    """One panel of curves over the iterations: a series, on a logarithmic axis or not, and lines fitted to it.

    title: the quantity, as label of the y axis. log: make the y axis logarithmic. exp: show the exponential of the
    series, a logarithm, on a logarithmic axis. negative: show minus the series, a logarithm, on a logarithmic axis,
    where powers of the iteration are straight lines. steps: scale of the x axis.
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
    """Data sets that a figure points out, in which ``series`` ends above ``above``. label: their name in the legend."""

    series: SeriesName
    above: float
    label: str


class Zoom(Frozen):
    """A part of a plane that is drawn again, larger.

    xlim, ylim: limits of the part. corner: lower left corner of the larger picture, in coordinates of the plane.
    factor: magnification. marker: size of the tokens in the larger picture, relative to that of other figures.
    """

    xlim: Interval
    ylim: Interval
    corner: Pair[Number]
    factor: Positive
    marker: Positive = 1


class PathPanel(Frozen):
    """One panel of a path through a plane: a run, limits of the axes, iterations to mark with arrows.

    zoom: the part to draw again, larger, in plots that can.
    """

    run: RunName
    xlim: Interval
    ylim: Interval
    zoom: Zoom | None = None
    arrows: Annotated[tuple[RecordedStep, ...], Strict(False)] = ()


class GrowthPanel(Frozen):
    """One panel of closed forms of a run. labels: template of the labels of curves, with {eta_Y} and {eta_Z}."""

    run: RunName
    title: str
    labels: str


class RunPanel(Frozen):
    """One panel of a run, up to the recorded step ``until``."""

    run: RunName
    title: str
    until: RecordedStep


class StepPanel(Frozen):
    """One panel of several runs at the same recorded step."""

    runs: RunNames
    step: RecordedStep
    title: str = ""


class DirectionPanel(Frozen):
    """One panel of a comparison of runs: cosine with a reference. trajectories: indices of the starts to draw."""

    title: str
    runs: RunNames
    reference: ReferenceName
    trajectories: Indices = (0,)
    ylim: Interval


class SeriesPanel(Frozen):
    """One panel of a series over the steps: label and limits of its axis."""

    series: SeriesName
    ylabel: str
    ylim: Interval


class TargetPanel(Frozen):
    """One panel of a path. target: the direction that it should reach. contrast: one that it should not reach."""

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
