"""What runs again after which change: exactly what depends on it."""

import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from attention_dynamics.pipeline.run_times import parse_benchmark_path, pending_jobs
from conftest import ROOT, Repository, wait_until

LIBRARY = "workflow/attention_dynamics"
FIG1_FILE, FIG4_FILE = "config/max_margin/fig1.yaml", "config/max_margin/fig4.yaml"
DRAWN = {"draw fig1a", "draw fig4a", "draw fig4b", "manifest manifest", "gallery index"}
FIG4 = {"draw fig4a", "draw fig4b", "judge fig4a", "judge fig4b", "ledger claims", "manifest manifest", "gallery index"}
FIG1_CLAIMS, FIG4_CLAIMS = (f"{LIBRARY}/papers/max_margin/{file}_claims.py" for file in ("fig1", "fig4"))
JUDGED = {"judge fig4a", "judge fig4b", "ledger claims", "manifest manifest", "gallery index"}
CONSTANT_STEP = {"train multiple_inputs/constant_step/train", "measure multiple_inputs/constant_step/measures"} | FIG4


def test_finished_repository_plans_nothing(repository):
    assert "Nothing to be done" in repository.snakemake("figures/all").stdout


@pytest.mark.parametrize(
    ("file", "old", "new", "jobs"),
    [
        (f"{LIBRARY}/papers/max_margin/fig4.py", '"upper left"', '"lower right"', DRAWN - {"draw fig1a"}),
        (f"{LIBRARY}/plots/style.py", '"#D55E00"', '"#D55E01"', DRAWN),
        (f"{LIBRARY}/optim/gd.py", "* gradient", "* 1.0 * gradient", CONSTANT_STEP),
        (f"{LIBRARY}/series/statistics.py", "reached.any(0)", "reached.any(axis=0)",
         {"judge fig1a", "judge fig4a", "judge fig4b", "ledger claims", "manifest manifest", "gallery index"}),
        (FIG4_FILE, "step_size: 1.0", "step_size: 0.5", CONSTANT_STEP),
        (FIG4_FILE, "softmax probability\n", "softmax\n", {"draw fig4a", "manifest manifest", "gallery index"}),
        (FIG1_FILE, "xlim:\n      - -4", "xlim:\n      - -5", {"draw fig1a", "manifest manifest", "gallery index"}),
        (FIG4_CLAIMS, "The norm grows", "The norm keeps growing", JUDGED),
        (FIG4_CLAIMS, "at_most(100)", "at_most(90)", JUDGED),
        (FIG1_CLAIMS, "at_least(0.99)", "at_least(0.98)",
         {"judge fig1a", "ledger claims", "manifest manifest", "gallery index"}),
    ],
    ids=["plot", "style", "optimizer", "statistic", "step-size", "label", "plot-option", "claim-text", "claim",
         "claim-of-another-figure"],
)  # fmt: skip
def test_edit_reruns_dependent_jobs(repository, file, old, new, jobs):
    repository.edit(file, old, new)
    assert repository.planned() == jobs


def test_edits_without_effect_rerun_nothing(repository):
    """All at once: a job would be planned if one of them had an effect."""
    edits = {
        "docstring": (f"{LIBRARY}/optim/gd.py", "Gradient descent with", "Steepest descent with"),
        "comment": (f"{LIBRARY}/optim/gd.py", "        return", "        # why not\n\n        return"),
        "configuration code": (f"{LIBRARY}/config/load.py", "allowed = sorted(", "allowed = 1 * sorted("),
        "job frame": (f"{LIBRARY}/pipeline/stage.py", ": started", ": has started"),
        "logging": (f"{LIBRARY}/progress.py", "round(seconds)", "round(1 * seconds)"),
        "unused problem": (f"{LIBRARY}/problems/random_sphere.py", "axis=-1", "axis=2"),
        "comment in YAML": (FIG4_FILE, "figures:", "# a comment\nfigures:"),
        "integer for float": (FIG4_FILE, "step_size: 1.0", "step_size: 1"),
        "comment on a claim": (FIG4_CLAIMS, "def early(", "# The paper gives no number.\ndef early("),
    }
    for file, old, new in edits.values():
        repository.edit(file, old, new)
    assert repository.planned() == set()


@pytest.mark.parametrize("records", [True, False])
def test_dry_run_changes_no_result(repository, records):
    """Without records Snakemake does not know with which settings a file was made, and takes it as it is."""
    if not records:
        shutil.rmtree(repository.root / ".snakemake")
    parts = ("results", "figures", "logs", "config")
    files = {f: f.lstat() for part in parts for f in (repository.root / part).rglob("*")}
    override = "max_margin={runs: {constant_step: {optimizer: {step_size: 0.5}}}}"
    for more in ((), ("scale=smoke",)):
        repository.planned("figures/all", "--config", override, *more)
    assert repository.planned() == set()
    after = {f: f.lstat() for part in parts for f in (repository.root / part).rglob("*")}
    assert after.keys() == files.keys()
    assert [f for f in files if files[f].st_mtime_ns != after[f].st_mtime_ns] == []


def test_edit_undone_before_run_reruns_nothing(repository):
    repository.edit(f"{LIBRARY}/optim/gd.py", "* gradient", "* 2.0 * gradient")
    assert repository.planned() == CONSTANT_STEP
    repository.edit(f"{LIBRARY}/optim/gd.py", "* 2.0 * gradient", "* gradient")
    assert repository.planned() == set()


def test_edit_undone_after_run_gives_same_bytes(repository, finished):
    repository.edit(f"{LIBRARY}/optim/gd.py", "* gradient", "* 2.0 * gradient")
    repository.snakemake("figures/all")
    trained = "results/laptop/max_margin/multiple_inputs/constant_step/train.npz"
    # That the results changed also shows that the copy runs its own library, not the one that is installed.
    assert repository.digests()[trained] != finished.digests()[trained]
    repository.edit(f"{LIBRARY}/optim/gd.py", "* 2.0 * gradient", "* gradient")
    assert repository.planned() == CONSTANT_STEP
    repository.snakemake("figures/all")
    assert repository.digests() == finished.digests()


def test_touching_every_file_reruns_nothing(repository):
    for part in ("workflow", "config"):
        for file in (repository.root / part).rglob("*"):
            os.utime(file)
    assert repository.planned() == set()


def test_touch_says_that_nothing_is_computed(repository):
    repository.edit(FIG4_FILE, "step_size: 1.0", "step_size: 0.5")
    assert "--touch computes nothing" in repository.snakemake("figures/max_margin/fig4a.pdf", "--touch").stdout


def test_run_without_cores_is_refused(repository):
    printed = repository.snakemake(
        "figures/max_margin/fig4a.pdf", "--forcerun", "draw", "--cores", "0", ok=False
    ).stdout
    assert "--cores 0: needs at least one core" in printed
    assert "Traceback" not in printed


def test_exchanging_values_reruns(repository):
    def guard(epsilon, step_size):
        optimizer = {"kind": "normalized_gd", "step_size": step_size, "epsilon": epsilon}
        repository.configure(lambda paper: paper["runs"]["single_global"].update(optimizer=optimizer))

    target = "results/laptop/max_margin/single_input_global/single_global/train.npz"
    guard(epsilon=0.25, step_size=0.5)
    repository.snakemake(target)
    assert repository.planned(target) == set()
    guard(epsilon=0.5, step_size=0.25)
    assert repository.planned(target) == {"train single_input_global/single_global/train"}


def test_edit_during_training_trains_again(repository):
    run, target = (
        "max_margin/single_input_global/single_global",
        "results/laptop/max_margin/single_input_global/single_global/train.npz",
    )
    long = {"steps": 60000, "record_every": 200}
    repository.configure(lambda paper: paper["runs"]["single_global"].update(long))
    log = repository.root / "logs" / "laptop" / run / "train.log"
    log.unlink()
    with subprocess.Popen(repository.command(target), cwd=repository.root, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: log.exists() and "started" in log.read_text())
        assert process.poll() is None
        repository.edit(
            f"{LIBRARY}/attention/attention_gradient.py", "return np.exp(log_weight", "return 1.0 * np.exp(log_weight"
        )
    assert process.returncode == 0
    assert "train single_input_global/single_global/train" in repository.planned(target)


def test_deleted_figure_is_only_redrawn(repository, finished):
    (repository.root / "figures/max_margin/fig4a.pdf").unlink()
    assert repository.planned() == {"draw fig4a", "manifest manifest", "gallery index"}
    repository.snakemake("figures/all")
    assert repository.digests() == finished.digests()


@pytest.mark.parametrize("file", ["max_margin/fig4a.csv", "explore.html"])
def test_edited_figure_is_not_listed_as_drawn(repository, finished, file):
    edited = repository.root / "figures" / file
    edited.write_bytes(edited.read_bytes() + b" ")
    said = repository.snakemake("figures/all", ok=False).stdout
    assert f"figures/{file}: it was changed after it was made. Delete this file" in said
    edited.unlink()
    repository.snakemake("figures/all")
    assert repository.digests() == finished.digests()


def test_single_figure_computes_only_its_inputs(repository):
    for part in ("results", "figures", ".snakemake"):
        shutil.rmtree(repository.root / part)
    problem, runs = "multiple_inputs", ("multiple_inputs/constant_step", "multiple_inputs/normalized_step")
    shared = {f"data {problem}/data", f"svm {problem}/svm"}
    shared |= {f"train {run}/train" for run in runs} | {f"measure {run}/measures" for run in runs}
    assert repository.planned("figures/max_margin/fig4a.pdf") == shared | {"draw fig4a"}
    repository.snakemake("figures/max_margin/fig4a.pdf")
    assert repository.planned("figures/max_margin/fig4b.pdf") == {"draw fig4b"}


def test_switching_scale_and_back_only_redraws(repository, finished):
    repository.snakemake("figures/all", "--config", "scale=smoke")
    jobs = repository.planned()
    assert {job.split()[0] for job in jobs} == {"draw", "captions", "ledger", "manifest", "gallery"}
    repository.snakemake("figures/all")
    assert {name: d for name, d in repository.digests().items() if "smoke" not in name} == finished.digests()


def test_switching_scale_redraws_single_figure(repository):
    """Snakemake compares no settings of a job if one of its outputs is new, as it would be in a folder of the scale."""
    assert "draw fig4a" in repository.planned("figures/max_margin/fig4a.pdf", "--config", "scale=smoke")


def test_estimate_covers_planned_jobs(repository, monkeypatch):
    monkeypatch.chdir(repository.root)
    assert pending_jobs([]) == []
    repository.edit(f"{LIBRARY}/optim/gd.py", "* gradient", "* 2.0 * gradient")
    assert Counter(parse_benchmark_path(job)[1] for job in pending_jobs([])) == Counter(
        job.split()[0] for job in CONSTANT_STEP
    )


def test_published_numbers_rejudge_only_their_figures(whole, tmp_path):
    repository = Repository.copied(whole.root, tmp_path / "edited")
    (repository.root / LIBRARY / "papers/max_margin/fig9_curves.csv").write_text("# source: paper\nd,share\n2,0.294\n")
    assert repository.planned() == {"judge fig9a", "judge fig9b", "ledger claims", "manifest manifest", "gallery index"}


def test_changed_claim_text_changes_ledger_but_no_figure(repository, finished):
    repository.edit(FIG4_CLAIMS, "The norm grows", "The norm keeps growing")
    repository.snakemake("figures/all")
    assert "The norm keeps growing" in (repository.root / "figures/claims.csv").read_text()
    before, after = finished.digests(), repository.digests()
    changed = {Path(name).name for name in before if before[name] != after[name]}
    assert before.keys() == after.keys()
    assert changed == {"fig4b.json", "claims.csv", "claims.md", "claims.html", "fig4b.html"}


def test_starts_are_timed(repository, monkeypatch, capsys, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import startup

    monkeypatch.setattr(startup, "WARM", 1)
    monkeypatch.setattr(startup, "CACHES", tmp_path / "none")
    monkeypatch.setattr(startup, "COMMANDS", {"one figure drawn again": startup.COMMANDS["one figure drawn again"]})
    startup.print_table([repository.root], tmp_path)
    assert re.fullmatch(
        r"\| repository \| one figure drawn again \| – \| [\d.]+ .*\|", capsys.readouterr().out.splitlines()[-1]
    )
