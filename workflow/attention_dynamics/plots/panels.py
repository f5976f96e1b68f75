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

    window: first and last step. time: function of the step. log: fit the logarithm of the curve. label: side of the
    line on which its slope is printed. place: where instead, from (0, 0) to (1, 1) in the axes, its middle.
    """

    run: RunName
    window: Window
    time: Time = "linear"
    log: bool = True
    label: Literal["above", "below"] = "above"
    place: Pair[Number] | None = None


class CurvePanel(Frozen):
    """One panel of curves over the iterations: a series, on a logarithmic axis or not, and lines fitted to it.

    title: the quantity, beside its axis. exp: the series is a logarithm; show what it is of. negative: the series is a
    logarithm; show minus it on a logarithmic axis, where powers of the iterations are straight. steps: axis of these.
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
    """Data sets that a figure points out: those in which a series ends above a number. label: in the legend."""

    series: SeriesName
    above: float
    label: str


class Zoom(Frozen):
    """A part of a plane that is drawn again, larger.

    xlim, ylim: its limits. corner: where the lower left corner of the larger picture is. factor: how much larger.
    marker: size of its tokens, relative to that of other figures.
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
    """One panel of closed forms: a run, a title, and labels of its curves with {eta_Y} and {eta_Z} in them."""

    run: RunName
    title: str
    labels: str


class RunPanel(Frozen):
    """One panel of a run, up to one of its records."""

    run: RunName
    title: str
    until: RecordedStep


class StepPanel(Frozen):
    """One panel of runs at one of their records."""

    runs: RunNames
    step: RecordedStep
    title: str = ""


class DirectionPanel(Frozen):
    """One panel of a comparison of runs: cosine with a reference for some of their trajectories."""

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
    """One panel of a path with the direction that it should reach, and one that it should not."""

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
