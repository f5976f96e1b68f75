"""Formulas in titles and notes of pages."""

import pytest

from attention_dynamics.gallery.mathematics import (
    fold_numbers,
    pretty_numbers,
    shorten_measured,
    split_numbers,
    to_html,
)


def test_formulas_become_mathml_and_text_and_code_are_escaped():
    text = to_html(r"a < b, $\ell_{1.1}$ and $p$")
    assert text.startswith("a &lt; b, <math ")
    assert "<msub>" in text
    assert text.endswith("<mi>p</mi></mrow></math>")
    assert "$" not in text
    assert to_html("Fig 1: two starts") == "Fig 1: two starts"
    assert to_html("a `x < 1` b") == "a <code>x &lt; 1</code> b"


PRETTY = {
    "1 +- 1e-08": "1 ± 10⁻⁸", "<= 2.5e-05": "≤ 2.5 · 10⁻⁵", ">= -1e+12": "≥ -1 · 10¹²", "= 3 4": "= 3 4",
    "version1e-3": "version1e-3",
}  # fmt: skip


def test_numbers_are_written_as_people_do():
    assert {text: pretty_numbers(text) for text in PRETTY} == PRETTY


def test_many_numbers_are_folded_to_minimum_median_maximum():
    few = "5 1 4 2 3 6"
    assert fold_numbers(few) == (few, "", 6)
    folded = fold_numbers(f"{few} 1e-08 +- 0.1")
    assert folded == ("10⁻⁸ to 6, median 3 ± 0.1", f"{few} 10⁻⁸ ± 0.1", 7)
    assert fold_numbers("<= 1 2 3 4 5 6 7").short == "≤ 1 to 7, median 4"


def test_numbers_have_three_digits_unless_more_tell_them_from_what_is_expected():
    assert fold_numbers("0.0493827 -1.00018; 2 of 2, worst 0.123456").short == "0.0494 -1; 2 of 2, worst 0.123"
    assert fold_numbers("123456 1.5e-08 l_1.75").short == "123456 1.5 · 10⁻⁸ l_1.75"
    assert fold_numbers("0.999999", "<= 1").short == "0.999999"
    assert fold_numbers("0.9996 0.2", ">= 0.9998").short == "0.9996 0.2"
    assert fold_numbers("2.09204 1.00018", "2.092 1 +- 0.001").short == "2.092 1"
    assert fold_numbers("1.01996 0.951", "1 +- 5 %").short == "1.02 0.951"


READ = {
    "1 2 +- 0.1": ([1, 2], " +- 0.1"),
    ">= -0.5": ([-0.5], ""),
    "like 0.5 1 in samples of 4 (p >= 0.1)": ([0.5, 1], " in samples of 4 (p >= 0.1)"),
    "1 2; 3 of 4 trajectories of a diverged": ([1, 2], " ; 3 of 4 trajectories of a diverged"),
    "the run ends before": ([], " the run ends before"),
    "": ([], ""),
}


def test_numbers_are_read_from_ledger():
    assert {text: split_numbers(text) for text in READ} == READ


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("fails: 0.0546667, expected <= 0.008 (scale x)", "fails: 0.0547, expected ≤ 0.008 (scale x)"),
        ("holds: 0.26627; 6 of 6 cases hold, expected >= 0", "holds: 0.266; 6 of 6 cases hold, expected ≥ 0"),
        # Rounding does not move 0.00800001 to 0.008, nor does it change what is expected.
        ("fails: 0.00800001, expected <= 0.008", "fails: 0.00800001, expected ≤ 0.008"),
        ("holds: 1.23449, expected <= 1.2345", "holds: 1.23, expected ≤ 1.2345"),
        ("3 of 4 checks hold", "3 of 4 checks hold"),
    ],
)
def test_measured_numbers_of_records_are_short(text, short):
    assert shorten_measured(text) == short
