"""Settings of the comparison of optimizers."""

import pytest

from attention_dynamics.claims.claim import SCALES
from attention_dynamics.config.comparison import load_comparison
from attention_dynamics.config.load import load_config
from attention_dynamics.pipeline.comparison import ComparisonJobs
from helpers.published_config import CONFIG_FOLDER, folder_of, published_config
from helpers.refusals import refusal


def test_comparison_has_the_announced_optimizers_and_problems():
    settings, problems = load_comparison(published_config())
    assert list(settings.optimizers) == [
        "gd", "normalized_gd", "polyak", "momentum", "nesterov", "adam", "mirror_descent_1_1", "mirror_descent_1_75",
        "mirror_descent_3", "sign_descent",
    ]  # fmt: skip
    assert len(problems) == 13
    joint = [name for name, problem in problems.items() if not problem.source.shape.fixed_head]
    assert joint == ["max_margin_fig3a", "nearly_orthogonal_joint"]


@pytest.mark.slow
def test_every_scale_and_problem_leaves_seeds_to_report():
    for scale in SCALES:
        settings, problems = load_comparison(published_config(scale))
        assert settings.tuning_seeds == (1 if scale == "smoke" else 5)
        for name, problem in problems.items() if scale == "laptop" else ():
            starts = settings.problems[name].starts
            seeds = starts if starts > 1 else problem.source.shape.problems
            assert seeds >= settings.tuning_seeds + 3


WITHOUT_SEEDS = "of 8 seeds 8 (tuning_seeds) are for tuning, so that none is left"
WRONG = [
    ({"steps": 0}, "steps: "),
    ({"tuning_seeds": 8}, f"with --config: problems.max_margin_fig5: {WITHOUT_SEEDS}"),
    ({"problems": {"mirror_hundred": {"set": {"datasets": 4}}}}, "problems.mirror_hundred: of 4 seeds 5 (tuning_"),
    ({"problems": {"mirror_seed_1": {"starts": 1}}}, "problems.mirror_seed_1: of 1 seeds 5"),
    ({"problems": {"max_margin_fig1a": {"problem": "max_margin/fig1"}}}, "max_margin: problem 'fig1' is not one of"),
    ({"problems": {"max_margin_fig1a": {"problem": "max_margn/x"}}}, "paper 'max_margn' is not one of"),
    ({"problems": {"antipodal": {"set": {"dd": 3}}}}, "unknown key: 'dd' is not one of"),
    ({"problems": {"x": {"problem": "max_margin/cifar10"}}}, "'max_margin/cifar10' has no tokens to attend to"),
    ({"optimizers": {"gd": {"box": [2, 1]}}}, "needs two numbers, the second larger than the first"),
    ({"optimizers": {"gd": {"tuned": "c"}}}, "gd has no number 'c'"),
    ({"optimizers": {"x": {"optimizer": "ggd"}}}, "'ggd'"),
    (3, "compare: 3 is not a mapping"),
]


@pytest.mark.slow
def test_wrong_settings_give_one_line(tmp_path):
    folder = folder_of("max_margin", "fast_rates", "mirror_descent", "compare")
    for changes, message in WRONG:
        assert message in refusal(load_comparison, load_config(folder, {"compare": changes}))
    jobs = ComparisonJobs(load_config(folder, {"compare": {"optimizers": {"x": {"file": "x.py"}}}}))
    assert "x.py: there is no such file" in refusal(jobs.get, "optimize", "compare/max_margin_fig1a/x")
    # The name is that of no paper.
    (tmp_path / "config.yaml").symlink_to(CONFIG_FOLDER / "config.yaml")
    (tmp_path / "compare").mkdir()
    (tmp_path / "compare/fig1.yaml").write_text("{}\n")
    message = "fig1.yaml: compare is the folder of the comparison of optimizers"
    assert message in refusal(load_config, tmp_path, {})
