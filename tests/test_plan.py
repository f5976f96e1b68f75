"""A plan is that of the configuration and the code as they are now, kept or not."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from attention_dynamics.pipeline import fingerprint, plan, source
from attention_dynamics.pipeline.config import load_config
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.pipeline.specs import Specs
from conftest import ROOT

SMOKE = {"scale": "smoke"}


@pytest.fixture
def config(tmp_path, monkeypatch) -> Path:
    """A copy of the configuration, in a working directory where nothing is kept."""
    monkeypatch.chdir(tmp_path)
    plan.KEPT.forget()
    shutil.copytree(ROOT / "config", tmp_path / "config")
    yield tmp_path / "config"
    plan.KEPT.forget()


def made_again(config: Path, overrides: dict, outside=None) -> bool:
    """Whether a plan is made, and not the one that is kept."""
    plan.KEPT.forget()
    with mock.patch.object(plan, "_made", side_effect=plan._made) as made:
        plan.plan(config, overrides, outside)
    return made.called


@pytest.fixture
def kept(config) -> Path:
    """The same, with a plan that is kept."""
    plan.plan(config, SMOKE)
    plan.keep_plan()
    assert not made_again(config, SMOKE)
    return config


@pytest.mark.parametrize("overrides", [{}, SMOKE, {"shards": 3}])
def test_a_plan_has_what_the_configuration_says(config, overrides):
    checked = load_config(config, overrides)
    specs, new = Specs(checked), plan.plan(config, overrides)
    plan.keep_plan()
    plan.KEPT.forget()
    assert plan.plan(config, overrides) == new
    assert new.scale == checked.settings.scale
    assert new.papers == list(checked.papers)
    assert new.runs == checked.runs()
    problems, runs, figures, tables = checked.problems(), checked.runs(), checked.figures(), checked.tables()
    stages = {
        "data": problems, "svm": problems, "train": runs, "selected_svm": runs, "measure": runs, "draw": figures,
        "judge": figures, "tabulate": tables, "ledger": [""], "manifest": [""], "gallery": [""], "bundle": [""],
    }  # fmt: skip
    assert {stage: list(jobs) for stage, jobs in new.jobs.items()} == stages
    for stage, ids in stages.items():
        for id in ids:
            job, spec = new.job(stage, id), specs.get(stage, id)
            assert job["spec"] == spec
            assert json.dumps(job["spec"]) == json.dumps(spec)
            assert job["code"] == stage_fingerprint(spec)


@pytest.mark.parametrize("overrides", [{}, {"shards": 3}])
def test_what_a_job_reads_is_what_others_make(config, overrides):
    new = plan.plan(config, overrides)
    makes = {"data": "data", "svm": "svm", "train": "train", "selected_svm": "svm", "measure": "measures"}
    made = {f"<results>/{id}/{file}.npz" for stage, file in makes.items() for id in new.jobs[stage]}
    read = set()
    for jobs in new.jobs.values():
        for job in jobs.values():
            for files in job["reads"].values():
                read.update([files] if isinstance(files, str) else files)
    assert read <= made
    assert {file for file in made if file.endswith("/data.npz")} <= read
    assert len(read) > 300


def test_what_is_not_there_is_named(config):
    new = plan.plan(
        config, {"data": "embedded", "fast_rates": {"problems": {"mnli": {"vocabulary": "bert-base-uncased"}}}}
    )
    with pytest.raises(ConfigError, match="there is no max_margin/no_such under this configuration"):
        new.job("train", "max_margin/no_such")
    with pytest.raises(ConfigError, match=r"fast_rates.yaml: problems.mnli.vocabulary: .* is not embedded"):
        new.job("data", "fast_rates/mnli/from-embedded")


def test_what_changed_is_planned_anew(kept):
    assert made_again(kept, {})
    assert made_again(kept, SMOKE | {"max_margin": {"problems": {"multiple_inputs": {"seed": 3}}}})
    file = kept / "max_margin.yaml"
    before = file.read_text()
    file.write_text(before + "# a comment\n")
    assert made_again(kept, SMOKE)
    file.write_text(before)
    assert not made_again(kept, SMOKE)
    (kept / "scan_and_snap.yaml").unlink()
    assert made_again(kept, SMOKE)


def test_with_other_code_it_is_planned_anew(kept, tmp_path):
    added = tmp_path / "added.py"
    added.write_text("a = 1\n")
    with mock.patch.object(plan, "sources", return_value=[*fingerprint.sources(), added]):
        assert made_again(kept, SMOKE)
    plugin = {("attention_dynamics.optim", "added"): {"added": added}}
    assert made_again(kept, SMOKE, plugin)
    plan.keep_plan()
    assert not made_again(kept, SMOKE, plugin)
    assert made_again(kept, SMOKE, {("attention_dynamics.optim", "renamed"): {"added": added}})
    added.write_text("a = 2\n")
    source.read.cache_clear()
    assert made_again(kept, SMOKE, plugin)


def test_a_kept_plan_takes_no_schema(kept):
    code = f"""if True:
        import sys
        from pathlib import Path
        from attention_dynamics.pipeline.outside import use_plugins
        from attention_dynamics.pipeline.plan import plan
        folder = Path({str(kept)!r})
        plan(folder, {SMOKE!r}, use_plugins(folder))
        print(*sys.modules)
    """
    environment = os.environ | {"PYTHONPATH": str(source.PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    loaded = set(done.stdout.split())
    assert "attention_dynamics.pipeline.plan" in loaded
    assert not loaded & {"attention_dynamics.pipeline.config", "pydantic", "yaml", "numpy", "torch"}


def test_a_configuration_that_changes_while_it_is_read_is_refused_and_not_kept(config):
    file = config / "max_margin.yaml"
    before = file.read_text()

    def changed(*arguments):
        made = made_of(*arguments)
        file.write_text(before + "# a comment\n")
        return made

    made_of = plan._made
    with (
        mock.patch.object(plan, "_made", changed),
        pytest.raises(ConfigError, match=r"config: was changed while it was read\. Run the same command again"),
    ):
        plan.plan(config, SMOKE)
    plan.keep_plan()
    file.write_text(before)
    assert made_again(config, SMOKE)


def test_a_wrong_configuration_is_wrong_every_time(kept):
    file = kept / "config.yaml"
    file.write_text("scale: huge\n")
    for _ in range(2):
        with pytest.raises(ConfigError, match="huge"):
            plan.plan(kept, {})
        plan.keep_plan()
