"""Variants from assignments on the command line."""

from pathlib import Path

import pytest
import yaml

from attention_dynamics.pipeline.targets import scale_of_figures
from attention_dynamics.pipeline.try_variant import first_seeds, parse_assignments, write_variant
from attention_dynamics.pipeline.variants import changes
from helpers.refusals import refusal

CONFIG = Path(__file__).parents[2] / "config"


def test_assignments_become_nested_blocks_and_changes_list_them():
    given = parse_assignments("runs.gd.steps=500 runs.gd.optimizer.step_size=1e-3 figures.fig1a.plot.xlim=[-4,10]")
    assert given == {
        "runs": {"gd": {"steps": 500, "optimizer": {"step_size": 0.001}}},
        "figures": {"fig1a": {"plot": {"xlim": [-4, 10]}}},
    }
    blocks = {"problems": {"random": {"n": 8, "T": 10}}, "figures": {"fig9a": {"title": "New"}}}
    assert list(changes(blocks)) == ["problems.random.n = 8", "problems.random.T = 10", "figures.fig9a.title = New"]


def test_first_seeds_are_own_and_those_after_them():
    for count, expected in {1: [3], 2: [3, 7], 4: [3, 7, 8, 9]}.items():
        assert list(first_seeds((3, 7), count)) == expected


@pytest.fixture
def config(tmp_path):
    """A folder of configuration that can be written to, with the papers of the real one."""
    for entry in CONFIG.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


@pytest.mark.slow
def test_variant_is_written_as_file_of_blocks(config):
    file = write_variant(config, "large", "max_margin/fig9a", "problems.random_n4_t6.n=8", "")
    assert file == config / "variants/large.yaml"
    assert yaml.safe_load(file.read_text()) == {"max_margin": {"problems": {"random_n4_t6": {"n": 8}}}}


@pytest.mark.slow
def test_seeds_replace_those_of_problems_and_runs(config):
    file = write_variant(config, "seeds", "fast_rates/fig4", "", "5")
    runs = yaml.safe_load(file.read_text())["fast_rates"]["runs"]
    assert runs
    assert {tuple(run["seeds"]) for run in runs.values()} == {(0, 1, 2, 3, 4)}


FIG9A, STEPS = "max_margin/fig9a", "runs.random_small.steps"
FORM = "is not of the form <part>.<name>.<key>=<value>"
ONE_TO_1000 = "is not an integer from 1 to 1000"
# Variable of make -> its values and what is said of them; the others are right.
WRONG = {
    "FIGURE": {
        "max_margn/fig9a": "FIGURE: paper 'max_margn' is not one of",
        "max_margin/fig9c": "(did you mean 'fig9b'?)",
        "max_margin": "FIGURE: max_margin: '' is not one of",
    },
    "NAME": {
        "a/b": "NAME: 'a/b': use at most 100 letters", "": "NAME: '': use at most 100 letters",
        "x" * 300: "use at most 100 letters",
    },
    "SET": {
        "": "no change given",
        "steps=5": f"SET: 'steps=5' {FORM}",
        STEPS: FORM,
        "runs..steps=5": FORM,
        f"runs.random_small.{'a.' * 3000}b=1": FORM,
        "run.random_small.steps=5": "'run' is not one of problems, runs, figures",
        f"{STEPS}=[": "did not find expected node content; spaces separate assignments",
        f"{STEPS}=010": "steps=010': line 1: '010' is not the same number",
        f"{STEPS}=1:30": "'1:30' is not the same number in YAML 1.1 and",
        f"{STEPS}={'[' * 3000}{']' * 3000}": "has more than 100 blocks within each other",
        f"runs.random_small.{'a.' * 90}b={'[' * 90}{']' * 90}": "within each other",
        f"{STEPS}=-5": "variants/x.yaml: runs.random_small.steps",
        "runs.random_small.stepz=5": "(did you mean 'steps'?)",
        "runs.random_smal.steps=5": "(no file of this paper has runs.random_smal)",
        "problems.random_n4_t6.kind=nothing": "'nothing' is not one of",
        "problems.multiple_inputs.n=2":
            f"SET: {FIG9A} does not use problems.multiple_inputs; it uses problems random_n4_t6",
        "figures.fig9b.title=New": "does not use figures.fig9b; it uses figures fig9a",
    },
    "SEEDS": {
        "many": f"SEEDS: 'many' {ONE_TO_1000}", "0": f"SEEDS: '0' {ONE_TO_1000}",
        "1000000000": f"SEEDS: '1000000000' {ONE_TO_1000}",
        "5": f"SEEDS: no problem or run of {FIG9A} has a list of seeds",
    },
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("variable", WRONG)
def test_wrong_variant_is_refused_and_nothing_is_written(config, variable):
    right = {"NAME": "x", "FIGURE": FIG9A, "SET": "" if variable == "SEEDS" else f"{STEPS}=5", "SEEDS": ""}
    for value, message in WRONG[variable].items():
        assert message in refusal(write_variant, config, *(right | {variable: value}).values())
    assert not (config / "variants").exists()


def test_sweep_of_too_many_values_is_refused(config):
    step_sizes = f"runs.constant_step.optimizer.step_size=[{','.join(map(str, range(1, 1002)))}]"
    sweep = ("x", "max_margin/fig4b", step_sizes, "", "constant_step.norm_p")
    assert refusal(write_variant, config, *sweep) == "SET: a sweep has at most 1000 values, got 1001"
    assert not (config / "variants").exists()


def test_scale_of_figures_is_read_from_manifest(tmp_path):
    file = tmp_path / "manifest.csv"
    assert scale_of_figures(file) is None
    file.write_text("paper,figure,scale\nmax_margin,fig1a,laptop\n")
    assert scale_of_figures(file) == "laptop"
    for damaged in (b"paper\n", b"scale\n\xff\n"):
        file.write_bytes(damaged)
        assert scale_of_figures(file) is None
