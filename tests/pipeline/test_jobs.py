"""The jobs of a configuration: what they compute and what they read."""

import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from attention_dynamics.claims.claim import SCALES
from attention_dynamics.config.load import load_config
from attention_dynamics.pipeline import fingerprint
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.training import Training
from helpers.published_config import CONFIG_FOLDER, published_config
from helpers.refusals import refusal

MAKES = {"data": "data", "svm": "svm", "train": "train", "selected_svm": "svm", "measure": "measures"}


@pytest.fixture
def config(tmp_path, monkeypatch) -> Path:
    """A copy of the configuration in the working directory."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(CONFIG_FOLDER, tmp_path / "config"))


@cache
def plan_jobs(**overrides) -> Jobs:
    return Jobs(load_config(CONFIG_FOLDER, overrides))


def every_job(jobs: Jobs):
    """Stage, id and job of every job that there can be."""
    figures = jobs.config.figures()
    stages = {
        "dataset": jobs.datasets, "data": jobs.problems, "svm": jobs.problems, "train": jobs.runs,
        "selected_svm": jobs.runs, "measure": jobs.runs, "draw": figures,
        "tabulate": jobs.config.tables(), "judge": figures, "ledger": [""],
        "captions": [""], "manifest": [""], "gallery": [""], "explore": [""], "bundle": [""],
    }  # fmt: skip
    for stage, ids in stages.items():
        for id in ids:
            yield stage, id, jobs.get(stage, id)


@pytest.mark.slow
def test_job_spec_names_configured_components():
    for scale in SCALES:
        # The vocabulary and the weights of the larger scales are not embedded.
        jobs = plan_jobs(scale=scale, **({"data": "official"} if scale in ("workstation", "paper") else {}))
        for id in jobs.problems:
            paper, problem = id.split("/")[:2]
            source = jobs.config.papers[paper].problems[problem].source
            assert ProblemSource.of(jobs.get("data", id).spec["problem"]) == source
        for id in jobs.runs:
            block = jobs.config.papers[id.split("/")[0]].runs[id.rpartition("/")[2]]
            assert Training.of(jobs.get("train", id).spec["training"]) == block.training


PROBLEM, RUN = "max_margin/multiple_inputs", "max_margin/multiple_inputs/constant_step"
FIG1, FIG4 = (
    {f"{stage} max_margin/{name}" for stage in ("draw", "judge") for name in names}
    for names in (("fig1", "fig1c"), ("fig4", "fig4a", "fig4b"))
)
# File, old and new text, and the jobs of which this edit changes the specification; those that read them run, too.
EDITS = [
    ("fig4", "step_size: 1.0", "step_size: 0.5", {f"train {RUN}", f"measure {RUN}"} | FIG4),
    ("fig4", "ylabel: softmax probability", "ylabel: softmax", {"draw max_margin/fig4", "draw max_margin/fig4a"}),
    ("fig1", "marker: 0.8", "marker: 0.7", {"draw max_margin/fig1c"}),
    ("shared", "spread: 0.2", "spread: 0.3", {f"data {PROBLEM}"} | FIG1 | FIG4),
    ("fig4", "figures:", "# a comment\nfigures:", set()),
    ("fig4", "step_size: 1.0", "step_size: 1", set()),
]


@pytest.mark.slow
def test_edit_of_configuration_changes_jobs_that_use_it(config):
    for paper in ("fast_rates", "mirror_descent", "scan_and_snap", "compare"):
        shutil.rmtree(config / paper)

    def states():
        jobs = every_job(Jobs(load_config(config, {})))
        return {f"{stage} {id}": job for stage, id, job in jobs if id}

    before = states()
    for name, old, new, changed in EDITS:
        file = config / f"max_margin/{name}.yaml"
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
        after = states()
        assert {job for job in before if before[job] != after[job]} == changed
        file.write_text(text)


def test_jobs_read_what_they_need():
    jobs = plan_jobs()
    results = "<results>/mirror_descent/hundred"
    svms = {f"external-bregman_{p}": f"{results}/bregman_{p}/svm.npz" for p in ("175", "2")}
    own = {"data": f"{results}/data.npz", "train": f"{results}/bregman_3/train.npz"}
    selected = {"selected_svm": f"{results}/bregman_3/svm.npz"}
    assert jobs.get("train", "mirror_descent/hundred/bregman_3").reads == {"data": own["data"]}
    assert jobs.get("selected_svm", "mirror_descent/hundred/bregman_3").reads == own
    assert jobs.get("measure", "mirror_descent/hundred/bregman_3").reads == own | selected | svms
    mnli = "<results>/fast_rates/mnli/from-embedded"
    trained = jobs.get("train", "fast_rates/mnli/from-embedded/mnli_sgd").reads
    assert trained == {"data": f"{mnli}/data.npz", "pretrained": f"{mnli}/pretraining_mnli/train.npz"}
    assert jobs.get("svm", "mirror_descent/hundred").reads == {"data": own["data"]}
    assert jobs.get("gallery").reads == {}


@pytest.mark.slow
def test_ledger_reads_all_max_margin_programs_of_figures():
    jobs = plan_jobs(shards=3)
    ledger = jobs.get("ledger")
    programs = dict(zip(ledger.reads["programs"], ledger.spec["programs"], strict=True))
    problem = "<results>/max_margin/random_n4_t6/1-of-3"
    assert programs[f"{problem}/random_float64/svm.npz"] == {
        "paper": "max_margin", "kinds": {"selected": "attention_svm"},
    }  # fmt: skip
    assert programs["<results>/fast_rates/example_1/svm.npz"]["paper"] == "fast_rates"
    shown = {
        file for figure in jobs.config.figures() for files in jobs.get("judge", figure).reads.values() for file in files
    }
    assert set(programs) == {file for file in shown if file.endswith("/svm.npz")}


def test_run_reads_references_of_problem():
    jobs, reading = plan_jobs(), set()
    for id in jobs.runs:
        paper = jobs.config.papers[id.split("/")[0]]
        problem = paper.problems[paper.runs[id.rpartition("/")[2]].problem]
        reads = "svm" in jobs.get("measure", id).reads
        assert reads == bool(problem.references or problem.lmm_set)
        reading.add(reads)
    assert reading == {True, False}


def test_figure_reads_every_shard_of_its_runs():
    problem, run = "<results>/max_margin/random_n4_t6", "random_small"
    reads = plan_jobs(shards=3).get("judge", "max_margin/fig9a").reads
    assert reads[f"{run}.measures"] == [f"{problem}/{k}-of-3/{run}/measures.npz" for k in (1, 2, 3)]
    assert reads[f"{run}.data"] == [f"{problem}/{k}-of-3/data.npz" for k in (1, 2, 3)]


@pytest.mark.parametrize("overrides", [{}, {"shards": 3}])
def test_jobs_read_exactly_outputs_of_other_jobs(overrides):
    made, read = set(), set()
    for stage, id, job in every_job(plan_jobs(**overrides)):
        if stage in MAKES and (job.spec.get("references", True) or job.spec.get("lmm_set")):
            made.add(f"<results>/{id}/{MAKES[stage]}.npz")
        for files in job.reads.values():
            read.update([files] if isinstance(files, str) else files)
    # Runs that no figure shows are there for larger scales.
    idle = {f"imdb_{exponent}_size_{size}" for exponent in ("1_1", "2", "3") for size in (3, 4)}
    # Other jobs read only the weights of these.
    idle |= {"pretraining_mnli", "pretraining_civil_comments"}
    assert {Path(file).parent.name for file in made - read} == idle
    assert read <= made


def test_unknown_job_is_named(config):
    folder = config.rename(config.with_name("mine"))
    mnli = {"fast_rates": {"problems": {"mnli": {"vocabulary": "bert-base-uncased"}}}}
    jobs = Jobs(load_config(folder, mnli))
    assert "the configuration has no max_margin/no_such" in refusal(jobs.get, "train", "max_margin/no_such")
    message = refusal(jobs.get, "data", "fast_rates/mnli/from-embedded")
    assert re.match("mine/fast_rates/fig1.yaml with --config: problems.mnli.vocabulary: .* is not embedded", message)


def test_module_with_error_fails_only_jobs_that_need_it(monkeypatch):
    jobs, read = Jobs(published_config()), fingerprint._code_and_imports

    def broken(file):
        if file.name == "descent.py":
            raise SyntaxError("broken", (str(file), 1, 1, ""))
        return read(file)

    monkeypatch.setattr(fingerprint, "_code_and_imports", broken)
    fingerprint.stage_fingerprint.cache_clear()
    try:
        assert jobs.get("svm", PROBLEM).spec
        assert "broken (descent.py, line 1)" in refusal(jobs.get, "train", f"{PROBLEM}/normalized_step")
    finally:
        fingerprint.stage_fingerprint.cache_clear()


def test_devices_concern_networks_only():
    jobs = plan_jobs(device="cuda", precision="bfloat16")
    contexts = {id: jobs.get("train", id).spec["context"] for id in jobs.runs}
    devices = {id: (context.get("device"), context.get("precision")) for id, context in contexts.items()}
    assert devices["max_margin/cifar10/from-embedded/vit"] == ("cuda", "bfloat16")
    assert devices["max_margin/multiple_inputs/normalized_step"] == (None, None)
    assert set(devices.values()) == {("cuda", "bfloat16"), (None, None)}


def test_published_data_sets_are_listed():
    models = ["bert-base-uncased", "bert-vocabulary"]
    sets = ["cifar10", "cifar100", "civil_comments", "imdb", "mnist", "mnli", "wikitext103", "wikitext2"]
    expected = {"embedded": [], "official": models + sets}
    for data, names in expected.items():
        jobs = plan_jobs(scale="paper", data=data)
        assert jobs.datasets == jobs.datasets_of_figures == [f"from-{data}/{name}" for name in names]
    reads = jobs.get("data", "fast_rates/mnli/from-official").reads["datasets"]
    assert reads == [f"<results>/datasets/from-official/{name}.txt" for name in ("mnli", "bert-vocabulary")]
    assert jobs.get("data", "mirror_descent/hundred").reads == {}
    reads = jobs.get("train", "fast_rates/mnli/from-official/pretraining_mnli").reads["datasets"]
    assert reads == ["<results>/datasets/from-official/bert-base-uncased.txt"]
    # At this scale no figure shows a training on the whole of WikiText-103.
    jobs = plan_jobs(scale="workstation", data="official")
    assert set(jobs.datasets) - set(jobs.datasets_of_figures) == {"from-official/wikitext103"}
    assert {"from-official/all-minilm-l6-v2", "from-official/bert-vocabulary"} < set(jobs.datasets)
    assert "from-official/bert-base-uncased" not in jobs.datasets


def test_editor_files_and_hidden_folders_are_ignored(config):
    copies = (
        ".#config.yaml", ".config.yaml.swp", "config.yaml~", "#config.yaml#", "notes/.fig1.yaml",
        ".ipynb_checkpoints/config-checkpoint.yaml", ".git/x.yml", ".github/workflows/ci.yml",
        "max_margin/._fig4.yaml", "max_margin/.fig4.yaml.swp", "max_margin/#fig4.yaml#",
        "max_margin/.ipynb_checkpoints/fig4-checkpoint.yaml", "variants/.ipynb_checkpoints/x-checkpoint.yaml",
        "plugins/.github/ci.yml", "plugins/notes.yml", "plugins/a-b.yaml", "..x/fig1.yaml",
    )  # fmt: skip
    for name in copies:
        (config / name).parent.mkdir(parents=True, exist_ok=True)
        (config / name).write_text("{]")
    assert load_config(config, {}).figures() == published_config().figures()
