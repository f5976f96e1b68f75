"""Settings of the comparison of optimizers."""

from pathlib import Path

import pytest

from attention_dynamics.claims.claim import SCALES
from attention_dynamics.config.comparison import load_comparison
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import load_config
from attention_dynamics.pipeline.comparison import ComparisonJobs

CONFIG = Path(__file__).parents[2] / "config"
PAPERS = ("max_margin", "fast_rates", "mirror_descent")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("config")
    for name in ("config.yaml", *PAPERS, "compare"):
        (folder / name).symlink_to(CONFIG / name)
    return folder


def test_comparison_has_the_announced_optimizers_and_problems():
    settings, problems = load_comparison(load_config(CONFIG, {}))
    assert list(settings.optimizers) == [
        "gd", "normalized_gd", "polyak", "momentum", "nesterov", "adam", "mirror_descent_1_1", "mirror_descent_1_75",
        "mirror_descent_3", "sign_descent",
    ]  # fmt: skip
    assert len(problems) == 13
    joint = [name for name, problem in problems.items() if not problem.source.shape.fixed_head]
    assert joint == ["max_margin_fig3a", "nearly_orthogonal_joint"]


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_leaves_seeds_to_report(scale):
    settings, _ = load_comparison(load_config(CONFIG, {"scale": scale}))
    assert settings.tuning_seeds == (1 if scale == "smoke" else 5)


def test_every_problem_has_more_seeds_than_are_for_tuning():
    settings, problems = load_comparison(load_config(CONFIG, {}))
    for name, problem in problems.items():
        starts = settings.problems[name].starts
        seeds = starts if starts > 1 else problem.source.shape.problems
        assert seeds >= settings.tuning_seeds + 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": 0}, "steps: "),
        (
            {"tuning_seeds": 8},
            "with --config: problems.max_margin_fig5: of 8 seeds 8 (tuning_seeds) are for tuning, so that none is left",
        ),
        ({"problems": {"mirror_hundred": {"set": {"datasets": 4}}}}, "problems.mirror_hundred: of 4 seeds 5 (tuning_"),
        ({"problems": {"mirror_seed_1": {"starts": 1}}}, "problems.mirror_seed_1: of 1 seeds 5"),
        (
            {"problems": {"max_margin_fig1a": {"problem": "max_margin/fig1"}}},
            "max_margin: problem 'fig1' is not one of",
        ),
        ({"problems": {"max_margin_fig1a": {"problem": "max_margn/x"}}}, "paper 'max_margn' is not one of"),
        ({"problems": {"antipodal": {"set": {"dd": 3}}}}, "unknown key: 'dd' is not one of"),
        ({"problems": {"x": {"problem": "max_margin/cifar10"}}}, "'max_margin/cifar10' has no tokens to attend to"),
        ({"optimizers": {"gd": {"box": [2, 1]}}}, "needs two numbers, the second larger than the first"),
        ({"optimizers": {"gd": {"tuned": "c"}}}, "gd has no number 'c'"),
        ({"optimizers": {"x": {"optimizer": "ggd"}}}, "'ggd'"),
        (3, "compare: 3 is not a mapping"),
    ],
)
def test_wrong_settings_give_one_line(folder, changes, message):
    config = load_config(folder, {"compare": changes})
    with pytest.raises(ConfigError) as refused:
        load_comparison(config)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_missing_file_of_optimizer_is_named(folder):
    config = load_config(folder, {"compare": {"optimizers": {"x": {"file": "x.py"}}}})
    with pytest.raises(ConfigError, match=r"x\.py: there is no such file"):
        ComparisonJobs(config).get("optimize", "compare/max_margin_fig1a/x")


def test_compare_is_no_name_of_a_paper(tmp_path):
    (tmp_path / "config.yaml").symlink_to(CONFIG / "config.yaml")
    (tmp_path / "compare").mkdir()
    (tmp_path / "compare/fig1.yaml").write_text("{}\n")
    with pytest.raises(ConfigError, match=r"fig1\.yaml: compare is the folder of the comparison of optimizers"):
        load_config(tmp_path, {})
