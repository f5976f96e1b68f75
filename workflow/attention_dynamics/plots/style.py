"""One look for all figures, and how they are saved."""

import os
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from attention_dynamics.plots.labels import provenance
from attention_dynamics.store import write

# Okabe and Ito's palette, told apart by all common forms of colour blindness. Roles keep their colour everywhere.
RED, BLUE, GREEN, ORANGE, PURPLE, SKY = "#D55E00", "#0072B2", "#009E73", "#E69F00", "#CC79A7", "#56B4E9"
INK, GRAY, FAINT = "#222222", "#777777", "#BBBBBB"
COLORS = {
    "gmm": RED, "lmm": BLUE, "p": RED, "v": BLUE,
    "normalized_gd": RED, "gd": BLUE, "polyak": GREEN,
    "correlation": RED, "logistic": BLUE, "exponential": GREEN,
    "stable": INK, "float64": ORANGE, "float32": PURPLE,
}  # fmt: skip
INPUT_COLORS = (GREEN, SKY, ORANGE)

RC = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 10,
    "axes.labelsize": 11,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.prop_cycle": mpl.cycler(color=[INK, RED, BLUE, GREEN, ORANGE, PURPLE, SKY]),
    "lines.linewidth": 1.4,
    "legend.fontsize": 9,
    "legend.frameon": True,
    "legend.framealpha": 0.92,
    "legend.edgecolor": "#DDDDDD",
    "legend.fancybox": False,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "pdf.fonttype": 42,
    "svg.hashsalt": "attention-dynamics",
    "svg.fonttype": "path",
    "savefig.dpi": 200,
}

STAMP_CHARACTERS_PER_INCH = 22


@contextmanager
def paper_style() -> Iterator[None]:
    """The settings under which figures are made and saved; nothing of the user's own matplotlibrc leaks in."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.use("agg")
        mpl.rcParams.update(RC)
        yield


def panels(width: float = 4.4, height: float = 3.5, columns: int = 1, rows: int = 1) -> tuple[Figure, Any]:
    """A figure and its axes: one, an array of ``columns``, or one of (rows, columns).

    width, height: of a panel, in inches.
    """
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.05)
    return figure, figure.subplots(rows, columns)


def save(figure: Figure, outputs: Any, label: Mapping[str, str]) -> None:
    """Save in the format of each output, with title and fidelity on the figure and in the file.

    label: paper, figure, title, fidelity, note, scale. Files carry no date, so equal figures are equal bytes.
    """
    figure.suptitle(label["title"], x=0.01, ha="left", fontsize=11.5, color=INK)
    about = provenance(label)
    lines = textwrap.fill(about, int(STAMP_CHARACTERS_PER_INCH * figure.get_figwidth()), break_on_hyphens=False)
    figure.supxlabel(lines, x=0.01, ha="left", fontsize=7.5, color=GRAY)
    subject = f"{label['paper']}/{label['figure']} ({about})"
    texts = {
        "pdf": {"Title": label["title"], "Subject": subject, "Creator": "attention-dynamics", "CreationDate": None},
        "png": {"Title": label["title"], "Description": subject, "Software": "attention-dynamics"},
        "svg": {"Title": label["title"], "Description": subject, "Creator": "attention-dynamics", "Date": None},
    }
    # Laid out once: every format would do it again. With "none" a placeholder stays, for which each draws twice.
    figure.draw_without_rendering()
    figure.set_layout_engine(None)
    for output in outputs:
        form = os.path.splitext(output)[1][1:]
        buffer = BytesIO()
        figure.savefig(buffer, format=form, metadata=texts[form])
        write(output, buffer.getvalue())
