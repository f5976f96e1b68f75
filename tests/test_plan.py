"""A plan is that of the configuration and the code as they are now, kept or not."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from attention_dynamics.pipeline import digests, fingerprint, kept, outside, plan, source
from attention_dynamics.pipeline.config import load_config
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.pipeline.outside import Plugin
from attention_dynamics.pipeline.specs import Specs
from conftest import ROOT

SMOKE = {"scale": "smoke"}
OPTIMIZER = """import attention_dynamics.optim.gd
import attention_dynamics.training


def step(parameter, gradient, moment):
    return parameter
"""


@pytest.fixture
def config(tmp_path, monkeypatch) -> Path:
    """A copy of the configuration, in a working directory where nothing is kept."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(ROOT / "config", tmp_path / "config"))


def made_again(config: Path, overrides: dict) -> bool:
    """Whether a plan is made, and not the one that is kept; what is made is kept."""
    with mock.patch.object(plan, "_make", side_effect=plan._make) as make:
        plan.plan(config, overrides, keep=True)
    return make.called


@pytest.fixture
def planned(config) -> Path:
    """The same, with a plan that is kept."""
    assert made_again(config, SMOKE)
    assert not made_again(config, SMOKE)
    return config


def in_another_process(config: Path, hash_seed: int = 0, code: str = "") -> set[str]:
    """Make or look up a plan; returns the modules that this loads."""
    code = f"""if True:
        import sys
        from pathlib import Path
        from attention_dynamics.pipeline.plan import plan
        plan(Path({str(config)!r}), {SMOKE!r}, keep=True)
        {code}
        print(*sys.modules)
    """
    environment = os.environ | {"PYTHONPATH": str(source.PACKAGE.parent), "PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def with_plugin(config: Path) -> Path:
    file = config / "plugins" / "optim" / "mine.py"
    file.parent.mkdir(parents=True)
    file.write_text(OPTIMIZER)
    return file


@pytest.mark.parametrize("overrides", [{}, SMOKE, {"shards": 3}])
def test_a_plan_has_what_the_configuration_says(config, overrides):
    checked = load_config(config, overrides)
    specs, new = Specs(checked), plan.plan(config, overrides, keep=True)
    assert not made_again(config, overrides)
    assert plan.plan(config, overrides) == new
    assert new.scale == checked.settings.scale
    assert new.papers == list(checked.papers)
    problems, runs, figures, tables = checked.problems(), checked.runs(), checked.figures(), checked.tables()
    stages = {
        "data": problems, "svm": problems, "train": runs, "selected_svm": runs, "measure": runs, "draw": figures,
        "tabulate": tables, "judge": figures, "ledger": [""], "manifest": [""], "gallery": [""], "bundle": [""],
    }  # fmt: skip
    assert {stage: new.ids(stage) for stage in new.jobs} == stages
    for stage, ids in stages.items():
        for id in ids:
            job, spec = new.job(stage, id), specs.get(stage, id)
            assert json.dumps(job["spec"]) == json.dumps(spec)
            assert job["code"] == stage_fingerprint(spec)


def test_jobs_read_what_they_need(config):
    jobs = plan.plan(config, {})
    results = "<results>/mirror_descent/hundred"
    svms = {f"borrowed-bregman_{p}": f"{results}/bregman_{p}/svm.npz" for p in ("175", "2")}
    own = {"data": f"{results}/data.npz", "train": f"{results}/bregman_3/train.npz"}
    selected = {"selected_svm": f"{results}/bregman_3/svm.npz"}
    assert jobs.job("train", "mirror_descent/hundred/bregman_3")["reads"] == {"data": own["data"]}
    assert jobs.job("selected_svm", "mirror_descent/hundred/bregman_3")["reads"] == own
    assert jobs.job("measure", "mirror_descent/hundred/bregman_3")["reads"] == own | selected | svms
    mnli = "<results>/fast_rates/mnli/from-embedded"
    trained = jobs.job("train", "fast_rates/mnli/from-embedded/mnli_sgd")["reads"]
    assert trained == {"data": f"{mnli}/data.npz", "pretrained": f"{mnli}/pretraining_mnli/train.npz"}
    assert jobs.job("svm", "mirror_descent/hundred")["reads"] == {"data": own["data"]}
    assert jobs.job("gallery")["reads"] == {}


def test_a_run_is_measured_against_its_counterpart_and_its_problems_svms(config):
    checked, jobs = load_config(config, {}), plan.plan(config, {})
    counterparts = solved = 0
    for id in checked.runs():
        problem, name = id.rsplit("/", 1)
        block, reads = checked.papers[id.split("/")[0]].runs[name], jobs.job("measure", id)["reads"]
        assert ("counterpart" in reads) == bool(block.counterpart)
        if block.counterpart:
            assert reads["counterpart"] == f"<results>/{problem}/{block.counterpart}/train.npz"
            counterparts += 1
        assert ("svm" in reads) == Specs(checked).has_svm(problem)
        solved += "svm" in reads
    assert counterparts
    assert solved


def test_a_figure_reads_every_shard_of_its_runs(config):
    problem = "max_margin/random_n4_t6"
    reads = plan.plan(config, {"shards": 3}).job("judge", "max_margin/fig9a")["reads"]
    name = next(name for name in reads if name.endswith(".measures"))
    run = name.removesuffix(".measures")
    assert reads[name] == [f"<results>/{problem}/{k}-of-3/{run}/measures.npz" for k in (1, 2, 3)]
    assert reads[f"{run}.data"] == [f"<results>/{problem}/{k}-of-3/data.npz" for k in (1, 2, 3)]


@pytest.mark.parametrize("overrides", [{}, {"shards": 3}])
def test_what_a_job_reads_is_what_others_make_and_all_that_they_make(config, overrides):
    new = plan.plan(config, overrides)
    makes = {"data": "data", "svm": "svm", "train": "train", "selected_svm": "svm", "measure": "measures"}
    made, read = set(), set()
    for stage, jobs in new.jobs.items():
        for id, job in jobs.items():
            if stage in makes and (job["spec"].get("references", True) or job["spec"].get("lmm_set")):
                made.add(f"<results>/{id}/{makes[stage]}.npz")
            for files in job["reads"].values():
                read.update([files] if isinstance(files, str) else files)
    # Runs that no figure shows are there for larger scales.
    idle = {f"imdb_{exponent}_size_{size}" for exponent in ("1_1", "2", "3") for size in (3, 4)}
    assert {Path(file).parent.name for file in made - read} == idle
    assert read <= made


def test_what_is_not_there_is_named(config):
    folder = config.rename(config.with_name("mine"))
    new = plan.plan(folder, {"fast_rates": {"problems": {"mnli": {"vocabulary": "bert-base-uncased"}}}})
    with pytest.raises(ConfigError, match="there is no max_margin/no_such under this configuration"):
        new.job("train", "max_margin/no_such")
    with pytest.raises(ConfigError, match=r"^mine/fast_rates.yaml: problems.mnli.vocabulary: .* is not embedded"):
        new.job("data", "fast_rates/mnli/from-embedded")


def test_what_changed_is_planned_anew(planned):
    assert made_again(planned, {})
    assert made_again(planned, SMOKE | {"max_margin": {"problems": {"multiple_inputs": {"seed": 3}}}})
    file = planned / "max_margin.yaml"
    before = file.read_text()
    file.write_text(before + "# a comment\n")
    assert made_again(planned, SMOKE)
    file.write_text(before)
    # Nor is what was planned in between forgotten.
    assert not made_again(planned, SMOKE)
    assert not made_again(planned, {})
    (planned / "scan_and_snap.yaml").unlink()
    assert made_again(planned, SMOKE)


def test_only_the_last_plans_stay(planned):
    with mock.patch.object(plan, "_make", return_value={"scale": "smoke", "papers": [], "jobs": {}}):
        for number in range(plan.MOST + 2):
            plan.plan(planned, {"number": number}, keep=True)
    assert len(list(kept.FOLDER.glob("plan-*"))) == plan.MOST
    assert made_again(planned, SMOKE)


@pytest.mark.parametrize("file", [source.PACKAGE / "records.py", fingerprint.SCRIPTS / "train.py"])
def test_with_other_code_it_is_planned_anew(planned, file, monkeypatch):
    assert file in fingerprint.code_files()
    monkeypatch.setattr(plan, "_content", lambda one, read=Path.read_bytes: read(one) + b"#" * (one == file))
    assert made_again(planned, SMOKE)


def test_with_other_packages_it_is_planned_anew(planned, monkeypatch):
    for package in ("numpy", "pydantic", "pydantic_core", "PyYAML"):
        monkeypatch.setattr(plan, "version", lambda name, old=package: "0" if name == old else "1")
        assert made_again(planned, SMOKE)


def test_with_other_plug_ins_it_is_planned_anew(planned, tmp_path, monkeypatch):
    added = tmp_path / "added.py"
    added.write_text("a = 1\n")
    for plugin in (Plugin("attention_dynamics.optim", "a", "added"), Plugin("attention_dynamics.optim", "b", "added")):
        monkeypatch.setattr(plan, "use_plugins", lambda folder, plugin=plugin: [plugin])
        monkeypatch.setattr(plan, "files_of", lambda found: {added})
        assert made_again(planned, SMOKE)
        assert not made_again(planned, SMOKE)
    added.write_text("a = 2\n")
    source.read.cache_clear()
    assert made_again(planned, SMOKE)


@pytest.mark.parametrize("linked", [False, True])
def test_a_plan_with_a_plug_in_is_kept_until_it_changes(config, tmp_path, linked):
    file = with_plugin(config)
    if linked:
        shutil.move(file.parent, tmp_path / "shared")
        file.parent.symlink_to(tmp_path / "shared")
    checking = "attention_dynamics.pipeline.config"
    assert checking in in_another_process(config)
    # Sets of strings have another order in every process.
    for seed in (1, 2):
        assert checking not in in_another_process(config, seed)
    file.write_text(f"{OPTIMIZER}# a comment\n")
    assert checking in in_another_process(config)


def test_a_kept_plan_takes_no_schema(planned):
    loaded = in_another_process(planned)
    assert "attention_dynamics.pipeline.plan" in loaded
    assert not loaded & {"attention_dynamics.pipeline.config", "pydantic", "yaml", "numpy", "torch"}


def test_two_folders_of_plug_ins_are_refused_also_where_plans_are_kept(config, tmp_path):
    with_plugin(config)
    other = Path(shutil.copytree(ROOT / "config", tmp_path / "other"))
    file = with_plugin(other)
    in_another_process(config)
    in_another_process(other)
    code = f"""
        from attention_dynamics.pipeline.errors import ConfigError
        try:
            plan(Path({str(other)!r}), {SMOKE!r})
        except ConfigError as error:
            print(str(error).replace(" ", "_"))
    """
    assert any("one_folder_of_plug-ins_at_a_time" in word for word in in_another_process(config, code=code))
    assert file.exists()


def test_a_module_that_is_being_edited_is_an_error_for_the_jobs_that_need_it(config, monkeypatch):
    broken = source.PACKAGE / "optim" / "gradient.py"

    def taken(file):
        if file == broken:
            raise SyntaxError("broken", (str(file), 1, 1, ""))
        return made_of(file)

    made_of = digests.digest_and_imports
    fingerprint.fingerprint.cache_clear()
    fingerprint._imports.cache_clear()
    try:
        monkeypatch.setattr(fingerprint, "digest_and_imports", taken)
        new = plan.plan(config, SMOKE)
    finally:
        fingerprint.fingerprint.cache_clear()
        fingerprint._imports.cache_clear()
    assert new.job("draw", "max_margin/fig4a")["spec"]
    with pytest.raises(ConfigError, match=r"broken \(gradient.py, line 1\)"):
        new.job("train", "max_margin/multiple_inputs/normalized_step")


def test_what_cannot_be_read_counts_where_it_is_needed(planned, monkeypatch):
    # As an editor leaves them while a file is open.
    for name in (".#config.yaml", ".#max_margin.yaml"):
        (planned / name).symlink_to("nobody@nowhere")
    monkeypatch.setattr(plan, "code_files", lambda: [*fingerprint.code_files(), planned / ".#records.py"])
    plan.plan(planned, SMOKE)


def test_code_that_changes_before_it_is_imported_is_refused(config, monkeypatch):
    edited = config / "specs.py"
    edited.write_text("a = 1")
    monkeypatch.setattr(plan, "code_files", lambda: [*fingerprint.code_files(), edited])
    make = plan._make

    def changed(*arguments):
        edited.write_text("a = 2")
        return make(*arguments)

    with (
        mock.patch.object(plan, "_make", changed),
        pytest.raises(ConfigError, match="the code was changed while it was read"),
    ):
        plan.plan(config, SMOKE, keep=True)
    source.read.cache_clear()
    assert made_again(config, SMOKE)


def test_a_configuration_that_changes_while_it_is_read_is_refused_and_not_kept(config):
    file = config / "max_margin.yaml"
    before = file.read_text()

    def changed(*arguments):
        made = make(*arguments)
        file.write_text(before + "# a comment\n")
        return made

    make = plan._make
    with (
        mock.patch.object(plan, "_make", changed),
        pytest.raises(
            ConfigError, match=r"config or the code was changed while it was read\. Run the same command again"
        ),
    ):
        plan.plan(config, SMOKE, keep=True)
    file.write_text(before)
    assert made_again(config, SMOKE)


def test_a_wrong_configuration_is_wrong_every_time(planned):
    (planned / "config.yaml").write_text("scale: huge\n")
    for _ in range(2):
        with pytest.raises(ConfigError, match="huge"):
            plan.plan(planned, {}, keep=True)


def test_jobs_save_nothing(config):
    plan.plan(config, SMOKE)
    assert not kept.FOLDER.exists()


def test_digests_that_were_lost_are_made_again(planned):
    file = kept.FOLDER / "digests.json"
    file.unlink()
    digests.KEPT.forget()
    assert not made_again(planned, SMOKE)
    assert file.exists()


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """No test notices what another kept or used."""
    monkeypatch.setenv(source.LAID_OVER, "")
    monkeypatch.setattr(outside, "_used", set())
    digests.KEPT.forget()
    yield
    digests.KEPT.forget()
