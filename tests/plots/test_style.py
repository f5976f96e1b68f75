"""Colors, panels, letters and titles of figures."""

import re
from itertools import pairwise

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from attention_dynamics.deep.optim import DeepOptimizer
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.plots import style
from attention_dynamics.plots.renderings import WORDS, break_lines, lay_out
from attention_dynamics.plots.style import INK, known_colors, optimizer_style, panels, paper_style, ramp
from attention_dynamics.registry import kinds


def test_letters_of_several_panels_come_before_titles():
    with paper_style():
        figure, (left, right) = panels(2)
        left.set_title("one")
        single, axes = panels()
        axes.set_title("alone")
        for one in (figure, single):
            lay_out(one)
    titles = [one.get_title(loc="left") for one in (left, right, axes)]
    assert titles == [r"$\mathbf{a}$  one", r"$\mathbf{b}$", "alone"]


def test_layout_keeps_minor_ticks_of_shared_axes():
    with paper_style():
        figure, row = panels(2, sharex=True)
        row[0].set(xscale="log", xlim=(1, 1e4))
        locator = row[0].xaxis.get_minor_locator()
        lay_out(figure)
    assert all(axes.xaxis.get_minor_locator() is locator for axes in row)
    assert len(row[0].xaxis.get_minorticklocs())


def test_title_breaks_between_words_and_not_within_math():
    lines = break_lines(WORDS.findall(r"The norm $\|p\| \to \infty$, as $t$ grows"), lambda words: len(words) <= 2)
    assert lines == ["The norm", r"$\|p\| \to \infty$, as", "$t$ grows"]


def test_ramp_goes_by_value():
    few, many = ramp([1, 10, 100]), ramp([100, 1, 50, 10])
    assert [few[0], few[2]] == [many[1], many[0]]
    assert len(set(many)) == 4
    assert set(ramp([0, 1, 10])) <= known_colors()
    assert len(ramp([3])) == 1
    with pytest.raises(ValueError, match="not negative"):
        ramp([-1, 1])
    exponents = {style.exponent_color(p) for p in (1.1, 1.75, 2, 3, 10)}
    assert len(exponents) == 5
    assert exponents <= known_colors()


def test_optimizers_have_colors_of_the_table_and_vermilion_is_the_max_margin_target():
    assert [role for role, color in style.COLORS.items() if color == style.VERMILION] == ["gmm"]
    assert style.VERMILION not in {
        *style.INPUT_COLORS,
        *style.TAG_COLORS.values(),
        *(color for _, color in style.OPTIMIZERS.values()),
    }
    for base in (Optimizer, DeepOptimizer):
        assert {optimizer_style(kind)[1].lower() for kind in kinds(base)} <= known_colors()
    assert optimizer_style("sign_descent") == ("sign descent", INK)


def test_labels_of_close_ends_are_pushed_apart():
    with paper_style():
        _, axes = panels()
        axes.set_ylim(0, 1)
        style.label_ends(
            axes, [(0.5, "one", style.BLUE), (0.501, "two", style.BLUE), (0.99, "three", style.BLUE)], gap=0.1
        )
    leaders, texts = ([one for one in axes.texts if bool(one.get_text()) == written] for written in (False, True))
    assert sorted(leader.xy[1] for leader in leaders) == pytest.approx([0.5, 0.501, 0.99])
    heights = sorted(text.xy[1] for text in texts)
    assert min(b - a for a, b in pairwise(heights)) >= 0.1 - 1e-9
    assert heights == sorted(leader.xyann[1] for leader in leaders)
    # Text in light colors is hard to read, so the line to it has the color.
    assert {text.get_color() for text in texts} == {INK}
    assert {to_hex(leader.arrow_patch.get_edgecolor()).upper() for leader in leaders} == {style.BLUE}


def test_fonts_do_not_depend_on_the_list_that_matplotlib_keeps(tmp_path, monkeypatch):
    other = [font for font in fontManager.ttflist if not font.name.startswith("STIX")]
    monkeypatch.setattr(fontManager, "ttflist", other)
    # This makes it forget what it has found before.
    fontManager.addfont(other[0].fname)
    with paper_style():
        figure = Figure()
        figure.text(0, 0, r"a stale list of fonts, $\int_0^1 x^{2.5}\,\mathbf{dx}$")
        figure.text(0, 1, "bold", weight="bold")
        figure.savefig(tmp_path / "a.pdf")
    fonts = set(re.findall(rb"/BaseFont /(?:[A-Z]+\+)?([\w-]+)", (tmp_path / "a.pdf").read_bytes()))
    assert {b"STIXGeneral-Regular", b"STIXGeneral-Bold"} <= fonts
    assert all(name.startswith(b"STIX") for name in fonts)
    assert fontManager.ttflist == other


def test_missing_font_is_named(monkeypatch):
    monkeypatch.setattr(style, "FONTS", ("General", "Gone"))
    message = r"^\S*STIXGone.ttf: the font is missing; install Matplotlib again$"
    with pytest.raises(FileNotFoundError, match=message), paper_style():
        pytest.fail("it is not missed")
    assert len(fontManager.ttflist) > 2
