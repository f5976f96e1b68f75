"""Texts of the figure of a comparison."""

from attention_dynamics.plots.comparison import label


def rows(steps):
    return [
        {"problem": problem, "optimizer": name, "column": "tuned", "status": status, "steps_cosine_99": 5.0}
        for name, statuses in steps.items()
        for problem, status in zip("ab", statuses, strict=True)
    ]


SPEC = {"name": "all", "exponents": {}, "scale": "laptop", "fidelity": "extension", "steps": 100, "tuning": 5}
FOUND = {"gd": ["reached", "budget"], "normalized_gd": ["reached", "reached"], "mine": ["reached", "diverged"]}
BOXES = {"gd": ["step_size", 0.1, 10.0], "normalized_gd": ["c", 0.1, 10.0], "mine": None}


def test_title_names_optimizers_that_solve_most():
    texts = label(rows(FOUND), {**SPEC, "boxes": BOXES})
    assert texts["title"] == "Tuned by one rule, NGD finds the max-margin direction on 2 of 2 problems"


def test_title_of_plugin_says_how_many_it_solves():
    texts = label(rows(FOUND), {**SPEC, "boxes": BOXES, "name": "mine"})
    assert texts["title"] == "Tuned by one rule, mine finds the max-margin direction on 1 of 2 problems"


def test_note_states_tuning_rule_with_boxes():
    note = label(rows(FOUND), {**SPEC, "boxes": BOXES})["note"]
    assert "tuning rule: 100 steps for each; of 12 step sizes" in note
    assert "gd [0.1, 10]; normalized gd [0.1, 10] of $c$; mine [0.001, 10]" in note
