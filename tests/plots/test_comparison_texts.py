"""Texts and lines of the figure of a comparison."""

from attention_dynamics.plots.comparison import draw, label
from attention_dynamics.plots.style import INK, paper_style


def rows(steps):
    return [
        {"problem": problem, "optimizer": name, "column": "tuned", "status": status, "steps_cosine_99": 5.0}
        for name, statuses in steps.items()
        for problem, status in zip("ab", statuses, strict=True)
    ]


LABEL = {"paper": "compare", "figure": "all", "fidelity": "extension", "scale": "laptop"}
SPEC = {**LABEL, "exponents": {}, "steps": 100, "tuning": 5}
FOUND = {"gd": ["reached", "budget"], "normalized_gd": ["reached", "reached"], "mine": ["reached", "diverged"]}
BOXES = {"gd": ["step_size", 0.1, 10.0], "normalized_gd": ["c", 0.1, 10.0], "mine": None}


def test_title_and_note_say_what_is_solved_and_how_it_was_tuned():
    texts = label(rows(FOUND), {**SPEC, "boxes": BOXES})
    assert texts["title"] == "Tuned by one rule, NGD finds the max-margin direction on 2 of 2 problems"
    assert "tuning rule: 100 steps for each; of 12 step sizes" in texts["note"]
    assert "gd [0.1, 10]; normalized gd [0.1, 10] of $c$; mine [0.001, 10]" in texts["note"]
    texts = label(rows(FOUND), {**SPEC, "boxes": BOXES, "figure": "mine"})
    assert texts["title"] == "Tuned by one rule, mine finds the max-margin direction on 1 of 2 problems"


def lines(optimizers, name):
    """Return label -> color, dashes and width of the lines of panel a."""
    found = rows({name: ["reached", "budget"] for name in optimizers})
    with paper_style():
        axes = draw(found, {**SPEC, "figure": name, "exponents": {"mirror": 3.0}}).axes[0]
    return {line.get_label(): (line.get_color(), line.get_linestyle(), line.get_linewidth()) for line in axes.lines}


BUILT_IN = ["gd", "normalized_gd", "polyak", "momentum", "nesterov", "adam", "mirror"]
PLUGINS = [f"plugin_{number}" for number in range(19)]


def test_own_plugin_has_the_only_thick_line_and_others_keep_theirs():
    of_all, own = lines([*BUILT_IN, *PLUGINS[:2]], "all"), lines([*BUILT_IN, *PLUGINS[:2]], "plugin_0")
    assert [label for label, (_, _, width) in own.items() if width > 1] == ["plugin 0"]
    assert own["plugin 0"][0] == INK
    assert {label for label in own if own[label] != of_all[label]} == {"plugin 0"}


def test_nineteen_plugins_have_different_lines():
    found = lines([*BUILT_IN, *PLUGINS], "all")
    assert len(set(found.values())) == len(BUILT_IN) + len(PLUGINS)
