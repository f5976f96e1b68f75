"""Captions: they begin with the fidelity, follow the experiment, and can be read by LaTeX."""

import re

import pytest

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.figure_texts import PLACE
from attention_dynamics.config.load import load_config
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.plots.labels import MATH, latex_captions, markdown_caption, tag, to_latex, to_plain
from helpers.published_config import folder_of, published_config

JOBS = Jobs(published_config("smoke"))
FIGURES = JOBS.config.figures()
MAX_WORDS = 80


def test_captions_and_tags_of_all_figures():
    for figure in FIGURES:
        spec = JOBS.get("draw", figure).spec
        page = markdown_caption(spec)
        assert page.startswith(f"**{spec['fidelity'][0].upper()}{spec['fidelity'][1:]}** (smoke scale). ")
        assert page.count("$") % 2 == 0
        assert not PLACE.search(page)
        # Data sets are listed without their label.
        assert "data:" not in tag(spec)
        assert spec["note"].count("data:") <= 1


def test_captions_are_short():
    jobs = Jobs(published_config())
    for figure in jobs.config.figures():
        # A formula is a word, and the tag has the data that stand in.
        text = markdown_caption(jobs.get("draw", figure).spec).partition(". ")[2].partition("; data: ")[0]
        assert len(re.sub(r"\$[^$]*\$", "x", text).split()) <= MAX_WORDS, figure


@pytest.mark.slow
def test_caption_follows_experiment():
    for figure, override, text in (
        ("max_margin/fig9a", {"problems": {"random_n4_t6": {"n": 8}}}, "$n = 8$"),
        ("max_margin/fig9a", {"runs": {"random_small": {"steps": 700}}}, "700 normalized steps"),
        ("max_margin/fig9a", {"runs": {"random_small": {"step_size": 0.5}}}, "steps of length 0.5"),
        ("max_margin/fig7", {"runs": {"vit": {"seeds": [0, 1, 2, 3]}}}, "4 seeds"),
        ("fast_rates/fig2", {"problems": {"example_1": {"n": 7}}}, "$n = 7$"),
    ):
        paper = figure.split("/")[0]
        jobs = Jobs(load_config(folder_of(paper), {paper: override}))
        page = markdown_caption(jobs.get("draw", figure).spec)
        assert text in page
        assert ", changed by " in page
        assert text not in markdown_caption(JOBS.get("draw", figure).spec)


def test_text_that_names_no_setting_is_rejected():
    wrong = {"max_margin": {"figures": {"fig9a": {"note": "{random_small.stepps} steps"}}}}
    with pytest.raises(ConfigError, match=r"fig9a: \{random_small.stepps\}: 'stepps' is not one of .*'steps'"):
        load_config(folder_of("max_margin"), wrong)


def test_latex_captions_define_every_figure_with_balanced_braces():
    page = latex_captions(JOBS.get("captions").spec["figures"])
    for figure in FIGURES:
        assert rf"\@namedef{{attention-dynamics/{figure}}}{{\textbf{{" in page
    assert page.replace(r"\{", "").count("{") == page.replace(r"\}", "").count("}")
    texts = re.findall(r"\\@namedef\{[^}]*\}(.*)", page)
    assert len(texts) == len(FIGURES)
    for text in texts:
        outside_math = "".join(MATH.split(text)[::2])
        assert not re.search(r"(?<!\\)[%&#_^]", outside_math)
        assert not re.search("[≥≤×±·°]", outside_math)


def test_latex_escapes_marks_outside_math_and_tag_names_what_stands_in():
    assert to_latex("95 % of a_b, $p_1 \\leq 2$ & 3 × 4") == r"95 \% of a\_b, $p_1 \leq 2$ \& 3 $\times$ 4"
    label = {"fidelity": "stand-in", "data": "data: digits, in place of MNIST"}
    assert tag(label) == "stand-in: digits, in place of MNIST"
    assert tag({"fidelity": "exact", "data": ""}) == "exact"


PLAIN = {
    "Fig 1: two starts": "Fig 1: two starts",
    r"rate $1 - \cos(W,\, W_{\mathrm{mm}})$ of $\|W\|$": "rate 1 - cos(W, W_mm) of |W|",
    r"$p^{\mathrm{mm}\star}$, $\bar{p}(R)$ and $\nu\max_i$": "p^mm star, bar p(R) and nu max_i",
    r"$10^{p - 2}$, $10^{-5}$, $\nabla\mathcal{L}$, $\Gamma^{\min}$": "10^(p - 2), 10^-5, nabla L, Gamma^min",
}


def test_plain_formulas_have_no_commands():
    assert {text: to_plain(text) for text in PLAIN} == PLAIN
