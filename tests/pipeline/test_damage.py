"""Intermediates that were damaged by hand: the job that reads one names it in one line, or is not affected."""

import json
import os
import pickle
import re
import runpy
import shutil
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from attention_dynamics.config.load import load_config
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.store import SEAL_BYTES, load_arrays, save_arrays, save_json
from conftest import ROOT
from helpers.published_config import CONFIG_FOLDER

PROBLEM = "max_margin/multiple_inputs"
RUNS = {name: f"{PROBLEM}/{name}_step" for name in ("constant", "normalized")}
FIGURE = "max_margin/fig4a"
DATA, SVM = f"results/smoke/{PROBLEM}/data.npz", f"results/smoke/{PROBLEM}/svm.npz"
TRAIN, OTHER = (f"results/smoke/{run}/train.npz" for run in RUNS.values())
MEASURES = f"results/smoke/{RUNS['constant']}/measures.npz"
CLAIMS, OTHER_CLAIMS = (f"results/smoke/claims/max_margin/{name}.json" for name in ("fig4a", "fig4b"))
# The job that reads a file, and what it writes.
READERS = {
    DATA: ("train", RUNS["constant"], TRAIN),
    SVM: ("measure", RUNS["constant"], MEASURES),
    TRAIN: ("measure", RUNS["constant"], MEASURES),
    MEASURES: ("judge", FIGURE, CLAIMS),
    CLAIMS: ("ledger", "", "figures/claims.csv"),
}


class Inputs(dict):
    """Input files by name, as Snakemake gives them to a script."""

    __getattr__ = dict.__getitem__


@pytest.fixture(scope="module")
def jobs():
    return Jobs(load_config(CONFIG_FOLDER, {"scale": "smoke"}))


def run_job(jobs: Jobs, stage: str, id: str, output: str) -> None:
    """Run the script of a job in this process, in the current directory."""
    job = jobs.get(stage, id)
    inputs = json.loads(json.dumps(job.reads).replace("<results>", "results/smoke"))
    inputs |= {"claims": [CLAIMS]} if stage == "ledger" else {}
    given = SimpleNamespace(
        rule=stage, wildcards=[id], params=SimpleNamespace(spec=job.spec, code=job.code), input=Inputs(inputs),
        output=[output], log=["log.txt"],
    )  # fmt: skip
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    runpy.run_path(str(ROOT / f"workflow/scripts/{stage}.py"), init_globals={"snakemake": given})


@pytest.fixture(scope="module")
def computed(jobs, tmp_path_factory):
    """A folder with the intermediates of two runs and the verdicts of a figure; never changed."""
    folder, before = tmp_path_factory.mktemp("computed"), Path.cwd()
    os.chdir(folder)
    try:
        run_job(jobs, "data", PROBLEM, DATA)
        run_job(jobs, "svm", PROBLEM, SVM)
        for run in RUNS.values():
            for stage, name in (("train", "train"), ("measure", "measures")):
                run_job(jobs, stage, run, f"results/smoke/{run}/{name}.npz")
        run_job(jobs, "judge", FIGURE, CLAIMS)
        save_json(OTHER_CLAIMS, json.loads(Path(CLAIMS).read_text())["content"])
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def folder(computed, tmp_path, monkeypatch):
    """A copy of the computed folder, which is the current directory."""
    shutil.copytree(computed / "results", tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rewritten(change):
    return lambda path: path.write_bytes(change(path.read_bytes()))


def replaced(make):
    """Return a damage: remove the file, and put something else there."""

    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def saved_by_numpy(path: Path) -> None:
    """Exchange a number for NaN, with NumPy, and keep the old seal."""
    with np.load(path) as file:
        arrays = dict(file)
    name = next(name for name in sorted(arrays) if arrays[name].dtype.kind == "f" and arrays[name].size)
    arrays[name].flat[0] = np.nan
    seal = path.read_bytes()[-SEAL_BYTES:]
    np.savez(path, **arrays)
    path.write_bytes(path.read_bytes() + seal)


def append_member(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("note.txt", "checked by hand")


def change_text(old: str, new: str):
    """Return a damage: replace a text that a regular expression describes, once."""

    def damage(path: Path) -> None:
        text, count = re.subn(old, new, path.read_text(), count=1)
        assert count == 1
        path.write_text(text)

    return damage


# Other changes of bytes: tests/test_store.py.
ARRAYS = {
    "empty": rewritten(lambda data: b""),
    "without seal": rewritten(lambda data: data[:-SEAL_BYTES]),
    "blank seal": rewritten(lambda data: data[:-SEAL_BYTES] + b" " * SEAL_BYTES),
    "nested seal": rewritten(lambda data: data[:-SEAL_BYTES] + b"[" * SEAL_BYTES),
    "flipped byte": rewritten(lambda data: data[:300] + bytes([data[300] ^ 255]) + data[301:]),
    "page of an error": rewritten(lambda data: b"<html><title>404 Not Found</title></html>"),
    "pickle": rewritten(lambda data: pickle.dumps({"p": np.zeros(3)})),
    "saved by NumPy": saved_by_numpy,
    "added member": append_member,
    "of the other run": lambda path: shutil.copy(OTHER, path),
    "link to the other run": replaced(lambda path: path.symlink_to(Path(OTHER).absolute())),
    "sealed elsewhere": lambda path: (save_arrays("new.npz", load_arrays(path)), os.replace("new.npz", path)),
    "folder": replaced(lambda path: path.mkdir()),
    "link to itself": replaced(lambda path: path.symlink_to(path.name)),
    "link to nothing": replaced(lambda path: path.symlink_to("gone.npz")),
    "link to a folder": replaced(lambda path: path.symlink_to(path.parent.absolute())),
    "link to a device": replaced(lambda path: path.symlink_to("/dev/zero")),
    "pipe": replaced(os.mkfifo),
    "removed": Path.unlink,
}
TEXTS = {
    "nested": lambda path: path.write_text("[" * 100_000),
    "other verdict": change_text('"verdict": "[a-z_]+"', '"verdict": "held, of course"'),
    "other seal": change_text('"sha256": "....', '"sha256": "0000'),
    "no seal": change_text('"seal"', '"sael"'),
    "one line": lambda path: path.write_text(json.dumps(json.loads(path.read_text()))),
    "byte order mark": rewritten(lambda data: b"\xef\xbb\xbf" + data),
    "UTF-16": rewritten(lambda data: data.decode().encode("utf-16")),
    "ends of lines converted": rewritten(lambda data: data.replace(b"\n", b"\r\n")),
    "number for content": change_text(r'(?s)"content": \[.*\],', '"content": 3,'),
    "of another figure": lambda path: shutil.copy(OTHER_CLAIMS, path),
}
NPZ = (DATA, SVM, TRAIN, MEASURES)
# Every file has its share of the damages.
DAMAGES = [
    *((NPZ[number % len(NPZ)], name, damage) for number, (name, damage) in enumerate(ARRAYS.items())),
    *((CLAIMS, name, damage) for name, damage in TEXTS.items()),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "damage"), [pytest.param(file, damage, id=f"{Path(file).stem}-{name}") for file, name, damage in DAMAGES]
)
def test_damaged_file_is_named_in_one_line_and_not_used(jobs, folder, capsys, file, damage):
    stage, id, output = READERS[file]
    damage(Path(file))
    before = Path(output).read_bytes() if Path(output).is_file() else None
    with pytest.raises(SystemExit, match="1"):
        run_job(jobs, stage, id, output)
    printed = capsys.readouterr().err
    assert re.fullmatch(rf"{stage}/.*: DamagedFile: {re.escape(file)}: [^\n]*Delete this file[^\n]*\n", printed)
    assert (Path(output).read_bytes() if Path(output).is_file() else None) == before


def relink(path: Path) -> None:
    shutil.copy(path, "copy.npz")
    path.unlink()
    os.link("copy.npz", path)


def leave_remains(path: Path) -> None:
    path.with_name(f".{path.name}.elsewhere.1.tmp").write_bytes(b"half")


UNCHANGED = {
    "old": lambda path: os.utime(path, (0, 0)),
    "future": lambda path: os.utime(path, (4e9, 4e9)),
    "read-only": lambda path: path.chmod(0o444),
    "hard link": relink,
    "symbolic link": lambda path: path.symlink_to(path.rename("copy.npz").absolute()),
    "remains of a killed writer": leave_remains,
}


@pytest.mark.slow
def test_unchanged_bytes_give_same_result(jobs, folder):
    before, trained = Path(MEASURES).read_bytes(), Path(TRAIN).read_bytes()
    for name, change in UNCHANGED.items():
        change(Path(TRAIN))
        Path(MEASURES).unlink()
        run_job(jobs, "measure", RUNS["constant"], MEASURES)
        assert Path(MEASURES).read_bytes() == before, name
        Path(TRAIN).unlink()
        Path(TRAIN).write_bytes(trained)
