"""Formulas in titles and notes of pages."""

from attention_dynamics.gallery.mathematics import to_html


def test_formulas_become_mathml_and_text_is_escaped():
    text = to_html(r"a < b, $\ell_{1.1}$ and $p$")
    assert text.startswith("a &lt; b, <math ")
    assert "<msub>" in text
    assert text.endswith("<mi>p</mi></mrow></math>")
    assert "$" not in text


def test_text_without_formulas_is_unchanged():
    assert to_html("Fig 1: two starts") == "Fig 1: two starts"
