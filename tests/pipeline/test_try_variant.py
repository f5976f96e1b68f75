"""Variants from assignments on the command line."""

from pathlib import Path

import pytest
import yaml

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.pipeline.targets import scale_of_figures
from attention_dynamics.pipeline.try_variant import first_seeds, parse_assignments, write_variant
from attention_dynamics.pipeline.variants import changes

CONFIG = Path(__file__).parents[2] / "config"


def test_assignments_become_nested_blocks():
    given = parse_assignments("runs.gd.steps=500 runs.gd.optimizer.step_size=1e-3 figures.fig1a.plot.xlim=[-4,10]")
    assert given == {
        "runs": {"gd": {"steps": 500, "optimizer": {"step_size": 0.001}}},
        "figures": {"fig1a": {"plot": {"xlim": [-4, 10]}}},
    }


def test_changes_list_every_value_with_its_path():
    blocks = {"problems": {"random": {"n": 8, "T": 10}}, "figures": {"fig9a": {"title": "New"}}}
    assert list(changes(blocks)) == ["problems.random.n = 8", "problems.random.T = 10", "figures.fig9a.title = New"]


@pytest.mark.parametrize(("count", "expected"), [(1, [3]), (2, [3, 7]), (4, [3, 7, 8, 9])])
def test_first_seeds_are_own_and_those_after_them(count, expected):
    assert list(first_seeds((3, 7), count)) == expected


@pytest.fixture
def config(tmp_path):
    """A folder of configuration that can be written to, with the papers of the real one."""
    for entry in CONFIG.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


def test_variant_is_written_as_file_of_blocks(config):
    file = write_variant(config, "large", "max_margin/fig9a", "problems.random_n4_t6.n=8", "")
    assert file == config / "variants/large.yaml"
    assert yaml.safe_load(file.read_text()) == {"max_margin": {"problems": {"random_n4_t6": {"n": 8}}}}


def test_seeds_replace_those_of_problems_and_runs(config):
    file = write_variant(config, "seeds", "fast_rates/fig4", "", "5")
    runs = yaml.safe_load(file.read_text())["fast_rates"]["runs"]
    assert runs
    assert {tuple(run["seeds"]) for run in runs.values()} == {(0, 1, 2, 3, 4)}


@pytest.mark.parametrize(
    ("name", "figure", "settings", "seeds", "message"),
    [
        ("x", "max_margn/fig9a", "runs.a.b=1", "", "FIGURE: paper 'max_margn' is not one of"),
        ("x", "max_margin/fig9c", "runs.a.b=1", "", "(did you mean 'fig9b'?)"),
        ("x", "max_margin", "runs.a.b=1", "", "FIGURE: max_margin: '' is not one of"),
        ("a/b", "max_margin/fig9a", "runs.a.b=1", "", "NAME: 'a/b': use at most 100 letters"),
        ("", "max_margin/fig9a", "runs.a.b=1", "", "NAME: '': use at most 100 letters"),
        ("x", "max_margin/fig9a", "", "", "no change given"),
        ("x", "max_margin/fig9a", "steps=5", "", "SET: 'steps=5' is not of the form <part>.<name>.<key>=<value>"),
        ("x", "max_margin/fig9a", "runs.random_small.steps", "", "is not of the form <part>.<name>.<key>=<value>"),
        ("x", "max_margin/fig9a", "runs..steps=5", "", "is not of the form <part>.<name>.<key>=<value>"),
        ("x", "max_margin/fig9a", "run.random_small.steps=5", "", "'run' is not one of problems, runs, figures"),
        (
            "x",
            "max_margin/fig9a",
            "runs.random_small.steps=[",
            "",
            "did not find expected node content; spaces separate assignments",
        ),
        (
            "x",
            "max_margin/fig9a",
            "runs.random_small.steps=010",
            "",
            "steps=010': line 1: '010' is not the same number",
        ),
        ("x", "max_margin/fig9a", "runs.random_small.steps=1:30", "", "'1:30' is not the same number in YAML 1.1 and"),
        (
            "x",
            "max_margin/fig9a",
            f"runs.random_small.steps={'[' * 3000}{']' * 3000}",
            "",
            "has more than 100 blocks within each other",
        ),
        ("x", "max_margin/fig9a", f"runs.random_small.{'a.' * 3000}b=1", "", "is not of the form <part>.<name>.<key>"),
        ("x", "max_margin/fig9a", f"runs.random_small.{'a.' * 90}b={'[' * 90}{']' * 90}", "", "within each other"),
        ("x" * 300, "max_margin/fig9a", "runs.random_small.steps=5", "", "use at most 100 letters"),
        ("x", "max_margin/fig9a", "runs.random_small.steps=-5", "", "variants/x.yaml: runs.random_small.steps"),
        ("x", "max_margin/fig9a", "runs.random_small.stepz=5", "", "(did you mean 'steps'?)"),
        ("x", "max_margin/fig9a", "runs.random_smal.steps=5", "", "(no file of this paper has runs.random_smal)"),
        ("x", "max_margin/fig9a", "problems.random_n4_t6.kind=nothing", "", "'nothing' is not one of"),
        (
            "x",
            "max_margin/fig9a",
            "problems.multiple_inputs.n=2",
            "",
            "SET: max_margin/fig9a does not use problems.multiple_inputs; it uses problems random_n4_t6",
        ),
        ("x", "max_margin/fig9a", "figures.fig9b.title=New", "", "does not use figures.fig9b; it uses figures fig9a"),
        ("x", "max_margin/fig9a", "", "many", "SEEDS: 'many' is not an integer from 1 to 1000"),
        ("x", "max_margin/fig9a", "", "0", "SEEDS: '0' is not an integer from 1 to 1000"),
        ("x", "fast_rates/fig4", "", "1000000000", "SEEDS: '1000000000' is not an integer from 1 to 1000"),
        ("x", "max_margin/fig9a", "", "5", "SEEDS: no problem or run of max_margin/fig9a has a list of seeds"),
    ],
)
def test_wrong_variant_is_refused_and_nothing_is_written(config, name, figure, settings, seeds, message):
    with pytest.raises(ConfigError) as caught:
        write_variant(config, name, figure, settings, seeds)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (config / "variants").exists()


def test_scale_of_figures_is_read_from_manifest(tmp_path):
    file = tmp_path / "manifest.csv"
    assert scale_of_figures(file) is None
    file.write_text("paper,figure,scale\nmax_margin,fig1a,laptop\n")
    assert scale_of_figures(file) == "laptop"
    for damaged in (b"paper\n", b"scale\n\xff\n"):
        file.write_bytes(damaged)
        assert scale_of_figures(file) is None


def test_sweep_of_too_many_values_is_refused(config):
    step_sizes = f"runs.constant_step.optimizer.step_size=[{','.join(map(str, range(1, 1002)))}]"
    with pytest.raises(ConfigError, match="SET: a sweep has at most 1000 values, got 1001"):
        write_variant(config, "x", "max_margin/fig4b", step_sizes, "", "constant_step.norm_p")
    assert not (config / "variants").exists()
