"""Sweeps over a list in an override, and overrides that are wrong."""

from pathlib import Path

import numpy as np
import pytest

from attention_dynamics.config.load import load_config
from attention_dynamics.pipeline.sweeps import parse_sweep
from attention_dynamics.pipeline.try_variant import write_variant
from attention_dynamics.pipeline.variants import AllJobs
from attention_dynamics.plots.style import paper_style
from attention_dynamics.plots.sweep import draw, tabulate
from helpers.refusals import refusal

CONFIG = Path(__file__).parents[2] / "config"
STEP_SIZES = {
    "measure": "constant_step.norm_p",
    "max_margin": {"runs": {"constant_step": {"optimizer": {"step_size": [0.01, 0.1, 1.0]}}}},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of configuration with one paper."""
    folder = tmp_path_factory.mktemp("config")
    for name in ("config.yaml", "max_margin"):
        (folder / name).symlink_to(CONFIG / name)
    (folder / "variants").mkdir()
    return folder


@pytest.fixture(scope="module")
def config(folder):
    return load_config(folder, {})


@pytest.fixture
def variant(folder):
    """Return a function that writes the only variant."""
    for file in (folder / "variants").glob("*.yaml"):
        file.unlink()

    def write(text):
        (folder / "variants/changed.yaml").write_text(text)

    return write


def test_sweep_has_variant_for_each_value():
    sweep = parse_sweep(STEP_SIZES, "here")
    assert (sweep.paper, sweep.run, sweep.series) == ("max_margin", "constant_step", "norm_p")
    assert sweep.key == "runs.constant_step.optimizer.step_size"
    sizes = [block["max_margin"]["runs"]["constant_step"]["optimizer"]["step_size"] for block in sweep.blocks]
    assert sizes == sweep.values == [0.01, 0.1, 1.0]


def test_lists_without_measure_are_a_variant():
    assert parse_sweep({"max_margin": {"runs": {"gd": {"steps": [1, 2]}}}}, "here") is None


@pytest.mark.slow
def test_make_try_with_measure_writes_sweep(folder, config, variant):
    settings = "runs.constant_step.optimizer.step_size=[0.01,0.1,1]"
    write_variant(folder, "sizes", "max_margin/fig4b", settings, "", "constant_step.norm_p")
    job = AllJobs(config).get("sweep", "variants/sizes/sweep")
    assert job.spec["values"] == [0.01, 0.1, 1.0]
    # The last value is the published one, whose measures are shared.
    assert job.reads == {
        "value-0": ["<results>/variants/sizes_1/max_margin/multiple_inputs/constant_step/measures.npz"],
        "value-1": ["<results>/variants/sizes_2/max_margin/multiple_inputs/constant_step/measures.npz"],
        "value-2": ["<results>/max_margin/multiple_inputs/constant_step/measures.npz"],
    }
    assert job.spec["fidelity"] == "extension"
    changed = load_config(folder, {"max_margin": {"runs": {"constant_step": {"steps": 30}}}})
    assert AllJobs(changed).get("sweep", "variants/sizes/sweep").spec["fidelity"] == "extension, changed by --config"


def test_table_has_every_problem_and_start_at_the_end():
    measured = [np.arange(12.0).reshape(2, 3, 2), np.zeros((2, 3, 2))]
    table = tabulate([0.1, 1.0], measured, "runs.gd.steps", "norm_p")
    assert table["norm_p"].tolist() == [6, 7, 8, 9, 10, 11] + [0] * 6
    assert table["runs.gd.steps"].tolist() == [0.1] * 6 + [1.0] * 6


def test_drawing_shows_medians_over_values():
    for values, scale in (([0.01, 0.1, 1.0], "log"), ([1, 2, 3], "linear"), (["a", "b", "c"], "linear")):
        table = tabulate(values, [np.full((1, 2, 1), number) for number in (1.0, 4.0, 9.0)], "runs.gd.x", "norm_p")
        with paper_style():
            axes = draw(table, "runs.gd.x", "norm_p").axes[0]
        assert axes.get_xscale() == scale
        assert axes.lines[-1].get_ydata().tolist() == [1, 4, 9]


RUN, SIZE = "max_margin: {runs: {constant_step: ", "max_margin: {runs: {constant_step: {optimizer: {step_size: "
TITLE = "max_margin: {figures: {fig4a: {title: "
WRONG = {
    "3": "must be a mapping of keys to values",
    "max_margn: {}": "paper 'max_margn' is not one of max_margin (did you mean 'max_margin'?)",
    "max_margin: 3": "max_margin: 3 is not a mapping",
    "max_margin: {runs: 3}": "runs: 3 is not a mapping",
    "max_margin: {run: {}}": "unknown key: 'run' is not one of",
    "max_margin: {runs: {constant_stp: {steps: 5}}}": "no file of this paper has runs.constant_stp",
    f"{RUN}5}}}}": "runs.constant_step: 5 is not a mapping",
    f"{RUN}{{stepps: 5}}}}}}": "unknown key: 'stepps' is not one of",
    f"{RUN}{{steps: five}}}}}}": "runs.constant_step.steps: ",
    f"{RUN}{{problem: nowhere}}}}}}": "'nowhere' is not one of",
    f"{RUN}{{optimizer: {{kind: ggd}}}}}}}}": "'ggd' is not one of",
    f"{SIZE}0}}}}}}}}": "runs.constant_step.optimizer.step_size: ",
    f"{SIZE}[1, 2]}}}}}}}}": "a list needs one number per start",
    f"{SIZE}[1, 2]}}}}}}}}\nmeasure: norm_p": "measure: 'norm_p' is not <run>.<series>",
    f"{SIZE}[1, 2]}}}}}}}}\nmeasure: nobody.norm_p": "measure: run 'nobody' is not one of",
    f"{SIZE}[1, 2]}}}}}}}}\nmeasure: constant_step.norm_q": "measure: run constant_step: series 'norm_q' is not one of",
    f"{SIZE}1}}}}}}}}\nmeasure: constant_step.norm_p": "a sweep needs one list of values, got none",
    f"{SIZE}[1]}}}}}}}}\nmeasure: constant_step.norm_p": "a sweep needs at least two values, got [1]",
    f"{SIZE}[1, -2]}}}}}}}}\nmeasure: constant_step.norm_p": "runs.constant_step.optimizer.step_size: ",
    f"{RUN}{{steps: [5, 6], optimizer: {{step_size: [1, 2]}}}}}}}}\nmeasure: constant_step.norm_p": "a sweep needs one "
    "list of values, got max_margin.runs.constant_step.steps, max_margin.runs.constant_step.optimizer.step_size",
    "measure: constant_step.norm_p": "a sweep changes one paper, got none",
    "max_margin: {runs: {constant_step: {steps: 5}": "changed.yaml: ",
    f"{TITLE}$a}}}}}}": "figures.fig4a.title: '$a' has a $ without another one",
    rf"{TITLE}$\foo$}}}}}}": "Unknown symbol",
    f"{TITLE}<script>}}}}}}": "figures.fig4a.title: '<script>' looks like HTML",
}


@pytest.mark.slow
def test_wrong_override_gives_one_clear_line(config, variant):
    for text, wrong in WRONG.items():
        variant(f"{text}\n")
        jobs = AllJobs(config)
        sweep = (jobs.get, "sweep", "variants/changed/sweep")
        message = refusal(*sweep) if "measure" in text else refusal(jobs.variant, "changed")
        assert wrong in message
        assert "changed.yaml" in message


def test_caption_of_variant_names_changes_of_its_figure_only(config, variant):
    variant("max_margin: {runs: {constant_step: {steps: 5}}, problems: {random_n4_t6: {n: 8}}}\n")
    jobs = AllJobs(config).variant("changed")
    notes = {name: jobs.get("draw", f"max_margin/{name}").spec["note"] for name in ("fig4a", "fig9a")}
    assert "with runs.constant_step.steps = 5" in notes["fig4a"]
    assert "problems.random_n4_t6" not in notes["fig4a"]
    assert "with problems.random_n4_t6.n = 8" in notes["fig9a"]


def test_variant_of_sweep_that_is_none_is_refused(config, variant):
    variant("max_margin: {}\n")
    assert "has no key measure" in refusal(AllJobs(config).get, "sweep", "variants/changed/sweep")
    assert "variant 'changed_2' is not one of changed" in refusal(AllJobs(config).variant, "changed_2")
