"""Reruns after a change: exactly what depends on it. More edits: tests/pipeline/test_fingerprint.py."""

import os
import re
import shutil
from collections import Counter
from pathlib import Path

from attention_dynamics.pipeline.run_times import parse_benchmark_path, pending_jobs
from conftest import ROOT, wait_until

LIBRARY = "workflow/attention_dynamics"
FIG4_FILE, GD = "config/max_margin/fig4.yaml", f"{LIBRARY}/optim/gd.py"
FIG4_CLAIMS = f"{LIBRARY}/papers/max_margin/fig4_claims.py"
PAGES = {"manifest manifest", "gallery index"}
JUDGED = {"judge fig4a", "judge fig4b", "ledger claims"} | PAGES
TRAINED = {"train multiple_inputs/constant_step/train", "measure multiple_inputs/constant_step/measures"}
CONSTANT_STEP = TRAINED | {"draw fig4a", "draw fig4b"} | JUDGED
TRAINING = "results/laptop/max_margin/single_input_global/single_global/train.npz"
LONG = {"steps": 60000, "record_every": 200}
# File, old text, new text, and the jobs that this edit reruns.
EDITS = [
    (f"{LIBRARY}/plots/style.py", '"#D55E00"', '"#D55E01"', {"draw fig1a", "draw fig4a", "draw fig4b"} | PAGES),
    (FIG4_FILE, "step_size: 1.0", "step_size: 0.5", CONSTANT_STEP),
    (FIG4_CLAIMS, "at_most(100)", "at_most(90)", JUDGED),
]
EDITS_WITHOUT_EFFECT = {
    "docstring": (GD, "Gradient descent with", "Steepest descent with"),
    "comment": (GD, "        return", "        # why not\n\n        return"),
    "configuration code": (f"{LIBRARY}/config/load.py", "allowed = sorted(", "allowed = 1 * sorted("),
    "job frame": (f"{LIBRARY}/pipeline/stage.py", ": started", ": has started"),
    "logging": (f"{LIBRARY}/progress.py", "round(seconds)", "round(1 * seconds)"),
    "unused problem": (f"{LIBRARY}/problems/random_sphere.py", "axis=-1", "axis=2"),
    "comment in YAML": (FIG4_FILE, "figures:", "# a comment\nfigures:"),
    "integer for float": (FIG4_FILE, "step_size: 1.0", "step_size: 1"),
    "comment on a claim": (FIG4_CLAIMS, "def early(", "# The paper gives no number.\ndef early("),
}


def test_edits_rerun_dependent_jobs_alone(repository):
    for file, old, new, jobs in EDITS:
        repository.edit(file, old, new)
        assert repository.planned() == jobs
        repository.edit(file, new, old)
    for part in ("workflow", "config"):
        for file in (repository.root / part).rglob("*"):
            os.utime(file)
    # All at once: a job would be planned if one of them had an effect.
    for file, old, new in EDITS_WITHOUT_EFFECT.values():
        repository.edit(file, old, new)
    assert repository.planned() == set()
    assert "Nothing to be done" in repository.snakemake("figures/all").stdout


def test_dry_run_changes_no_result(repository):
    """Without records Snakemake does not know with which settings a file was made, and takes it as it is."""
    override = "max_margin={runs: {constant_step: {optimizer: {step_size: 0.5}}}}"

    def times():
        files = [f for part in ("results", "figures", "logs", "config") for f in (repository.root / part).rglob("*")]
        return {file: file.lstat().st_mtime_ns for file in files}

    before = times()
    for records in (True, False):
        if not records:
            shutil.rmtree(repository.root / ".snakemake")
        for more in ((), ("scale=smoke",)):
            repository.planned("figures/all", "--config", override, *more)
        assert repository.planned() == set()
    assert times() == before


def test_edit_undone_before_or_after_run_gives_same_bytes(repository, finished):
    for run in (False, True):
        repository.edit(GD, "* gradient", "* 2.0 * gradient")
        assert repository.planned() == CONSTANT_STEP
        if run:
            repository.snakemake("figures/all")
            trained = "results/laptop/max_margin/multiple_inputs/constant_step/train.npz"
            # That the results changed also shows that the copy runs its own library, not the one that is installed.
            assert repository.digests()[trained] != finished.digests()[trained]
        repository.edit(GD, "* 2.0 * gradient", "* gradient")
        assert repository.planned() == (CONSTANT_STEP if run else set())
    repository.snakemake("figures/all")
    assert repository.digests() == finished.digests()


def test_edit_during_training_trains_again(repository):
    repository.configure(lambda paper: paper["runs"]["single_global"].update(LONG))
    log = repository.root / TRAINING.replace("results", "logs").replace(".npz", ".log")
    log.unlink()
    with repository.start(TRAINING) as process:
        wait_until(lambda: log.exists() and "started" in log.read_text())
        assert process.poll() is None
        gradient = f"{LIBRARY}/attention/attention_gradient.py"
        repository.edit(gradient, "return np.exp(log_weight", "return 1.0 * np.exp(log_weight")
    assert process.returncode == 0
    assert "train single_input_global/single_global/train" in repository.planned(TRAINING)


def test_deleted_or_edited_output_is_made_again_alone(repository, finished):
    (repository.root / "figures/max_margin/fig4a.pdf").unlink()
    assert repository.planned() == {"draw fig4a"} | PAGES
    repository.snakemake("figures/all")
    for file in ("max_margin/fig4a.csv", "explore.html"):
        edited = repository.root / "figures" / file
        edited.write_bytes(edited.read_bytes() + b" ")
        said = repository.snakemake("figures/all", ok=False).stdout
        assert f"figures/{file}: it was changed after it was made. Delete this file" in said
        edited.unlink()
    repository.snakemake("figures/all")
    assert repository.digests() == finished.digests()
    repository.edit(FIG4_CLAIMS, "The norm grows", "The norm keeps growing")
    repository.snakemake("figures/all")
    assert "The norm keeps growing" in (repository.root / "figures/claims.csv").read_text()
    before, after = finished.digests(), repository.digests()
    changed = {Path(name).name for name in before if before[name] != after[name]}
    assert before.keys() == after.keys()
    assert changed == {"fig4b.json", "claims.csv", "claims.md", "claims.html", "fig4b.html"}


def test_another_scale_only_redraws_and_a_figure_computes_its_inputs_alone(repository, finished):
    repository.snakemake("figures/all", "--config", "scale=smoke")
    jobs = repository.planned()
    assert {job.split()[0] for job in jobs} == {"draw", "captions", "ledger", "manifest", "gallery"}
    repository.snakemake("figures/all")
    assert {name: d for name, d in repository.digests().items() if "smoke" not in name} == finished.digests()
    # Snakemake compares no settings of a job if one of its outputs is new, as it would be in a folder of the scale.
    assert "draw fig4a" in repository.planned("figures/max_margin/fig4a.pdf", "--config", "scale=smoke")
    for part in ("results", "figures", ".snakemake"):
        shutil.rmtree(repository.root / part)
    problem, runs = "multiple_inputs", ("multiple_inputs/constant_step", "multiple_inputs/normalized_step")
    shared = {f"data {problem}/data", f"svm {problem}/svm"}
    shared |= {f"train {run}/train" for run in runs} | {f"measure {run}/measures" for run in runs}
    assert repository.planned("figures/max_margin/fig4a.pdf") == shared | {"draw fig4a"}
    repository.snakemake("figures/max_margin/fig4a.pdf")
    assert repository.planned("figures/max_margin/fig4b.pdf") == {"draw fig4b"}


def test_exchanged_values_rerun_and_options_that_compute_nothing_are_told(repository):
    def guard(epsilon, step_size):
        optimizer = {"kind": "normalized_gd", "step_size": step_size, "epsilon": epsilon}
        repository.configure(lambda paper: paper["runs"]["single_global"].update(optimizer=optimizer))

    guard(epsilon=0.25, step_size=0.5)
    repository.snakemake(TRAINING)
    assert repository.planned(TRAINING) == set()
    guard(epsilon=0.5, step_size=0.25)
    assert repository.planned(TRAINING) == {"train single_input_global/single_global/train"}
    assert "--touch computes nothing" in repository.snakemake("figures/max_margin/fig1a.pdf", "--touch").stdout
    printed = repository.refusal("figures/max_margin/fig4a.pdf", "-R", "draw", "--cores", "0")
    assert "--cores 0: needs at least one core" in printed


def test_estimate_covers_planned_jobs_and_starts_are_timed(repository, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(repository.root)
    assert pending_jobs([]) == []
    repository.edit(GD, "* gradient", "* 2.0 * gradient")
    stages = Counter(parse_benchmark_path(job)[1] for job in pending_jobs([]))
    assert stages == Counter(job.split()[0] for job in CONSTANT_STEP)
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import startup

    monkeypatch.setattr(startup, "WARM", 1)
    monkeypatch.setattr(startup, "CACHES", tmp_path / "none")
    monkeypatch.setattr(startup, "COMMANDS", {"one figure drawn again": startup.COMMANDS["one figure drawn again"]})
    startup.print_table([repository.root], tmp_path)
    line = capsys.readouterr().out.splitlines()[-1]
    assert re.fullmatch(r"\| repository \| one figure drawn again \| – \| [\d.]+ .*\|", line)
