"""The Makefile: settings reach Snakemake, a working environment is never lost, and clean follows links."""

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT, wait_until

WITH_SETTINGS = {"figures", "fetch", "try", "estimate", "bundle", "report", "report-pdf", "record"}
TARGETS = re.findall(r"^([a-z-]+):.*  ## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
LOCKS = ("requirements.lock", "requirements-cuda.lock", "docs/requirements.lock", "pyproject.toml")
FOLDERS = (".snakemake", "logs", "results", "figures")
# What Snakemake, or a program that starts it, is called with.
STARTED = r"figures/\S+|fetch|\S*estimate|\S*typeset_report|\S*record_figures"
# In place of Python and Snakemake: makes "environments", and writes down how it was called. Without a package index,
# packages cannot be installed; with a slow one, that takes a minute.
PROGRAM = """#!/bin/sh
for argument in "$@"; do printf '%s\\n' "$argument" >> calls; done
case "$*" in
  "-m venv "*)
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    printf '#!%s/bin/python\\n' "$PWD/$3" > "$3/bin/tool"
    chmod +x "$3/bin/tool"
    echo "command = python -m venv $PWD/$3" > "$3/pyvenv.cfg";;
  *"pip download"*)
    mkdir -p "$7"
    test "$INDEX" != none || exit 1
    test "$INDEX" != slow || { touch waits; sleep 60; };;
esac
"""


class Checkout:
    """A folder with the Makefile and its inputs, and with programs that only write down how they are called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("Makefile", *LOCKS):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        self.program(root / "python")

    def program(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PROGRAM)
        file.chmod(0o755)

    def environment(self, folder: str = ".venv", stamp: str | None = ".ready") -> Path:
        """Return an environment that works and is older than the locks."""
        for name in ("python", "snakemake"):
            self.program(self.root / folder / "bin" / name)
        if stamp:
            (self.root / folder / stamp).touch()
            os.utime(self.root / folder / stamp, (0, 0))
        return self.root / folder

    def start(self, *arguments: str, index: str = "usual", **variables: str) -> subprocess.Popen[str]:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME")}
        return subprocess.Popen(
            ["make", "PYTHON=./python", *arguments], cwd=self.root, env=inherited | {"INDEX": index} | variables,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def make(self, *arguments: str, ok: bool = True, **options: str) -> str:
        """Run make; return what it printed."""
        process = self.start(*arguments, **options)
        printed, _ = process.communicate()
        assert (process.returncode == 0) == ok, printed
        return printed

    def calls(self) -> list[str]:
        """Return the arguments of all programs that ran."""
        file = self.root / "calls"
        return file.read_text().splitlines() if file.exists() else []


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path / "a checkout")


@pytest.fixture
def ready(checkout):
    """A checkout whose environment is up to date."""
    os.utime(checkout.environment() / ".ready")
    return checkout


@pytest.mark.parametrize("target", [*sorted(WITH_SETTINGS), ""])
def test_settings_reach_snakemake(ready, target):
    ready.make(*filter(None, [target]), "SCALE=smoke", "DATA=mirror", "DATA_MIRROR=~/my data")
    calls, given = ready.calls(), ["scale=smoke", "data=mirror", "data_mirror=~/my data"]
    for first in (number for number, call in enumerate(calls) if call == "--config"):
        assert calls[first + 1 : first + 4] == given
    runs = sum(re.fullmatch(STARTED, call) is not None for call in calls)
    assert calls.count("scale=smoke") == max(runs - ("--report" in calls), 1)


# Target, and a setting that it does not take.
NOT_TAKEN = [
    ("figures", "FIGURE=max_margin/fig4a"), ("fetch", "OF=fetch"), ("report", "FIGURES=max_margin/fig6"),
    ("", "scale=smoke"), ("estimate", "SCALES=smoke"), ("clean", "DATA=official"), ("lint", "DATA_MIRROR=x"),
    *((name, "SCALE=smoke") for name in TARGETS if name not in WITH_SETTINGS),
]  # fmt: skip


def test_variables_that_a_target_does_not_take_are_refused(ready):
    for target, setting in NOT_TAKEN:
        printed = ready.make(*filter(None, [target]), setting, ok=False)
        assert f"make {target or 'figures'} does not take {setting.partition('=')[0]} (taken by: " in printed
        assert printed.count("\n") == 1
        assert ready.calls() == []


def test_variables_of_other_programs_and_committed_pages_are_without_settings(ready):
    ready.make("preview")
    assert ready.calls()[:4] == ["figures/all", "--config", "scale=laptop", "data=embedded"]
    (ready.root / "calls").unlink()
    ready.make(DATA="/data/user", NAME="HOST")
    assert "--config" not in ready.calls()
    ready.make("verify", SCALE="smoke")
    assert "scale=smoke" not in ready.calls()
    ready.make("try", NAME="HOST")
    assert "try" in ready.calls()
    assert "HOST" not in ready.calls()


@pytest.mark.parametrize(("folder", "line_end"), [(".venv", "\n"), (".venv-docs", "\r\n")])
def test_environment_is_renewed_under_its_final_name(checkout, folder, line_end):
    lock = (ROOT / "requirements.lock").read_text()
    (checkout.root / "requirements.lock").write_text(lock.replace("\n", line_end), newline="")
    old = checkout.environment(folder)
    (old / "old").touch()
    printed = checkout.make(f"{folder}/.ready")
    assert f"{folder} is older than" in printed
    assert not (old / "old").exists()
    here = f"{checkout.root}/{folder}"
    assert (old / "bin/tool").read_text() == f"#!{here}/bin/python\n"
    assert os.access(old / "bin/tool", os.X_OK)
    assert (old / "pyvenv.cfg").read_text() == f"command = python -m venv {here}\n"
    assert [path.name for path in checkout.root.glob(".venv*")] == [folder]
    torch = (old / "torch.lock").read_bytes()
    assert torch.count(b"--hash=") > 1
    assert torch.count(b"==") == 1
    assert b"\r" not in torch


def test_environment_is_not_renewed_for_a_new_time_of_the_same_locks(checkout):
    checkout.make("environment")
    (checkout.root / "calls").unlink()
    for name in LOCKS:
        os.utime(checkout.root / name, (2**31, 2**31))
    checkout.make("environment", index="none")
    (checkout.root / "pyproject.toml").write_text("")
    checkout.make("environment", index="none", ok=False)


def test_environment_survives_without_package_index(checkout):
    old = checkout.environment()
    before = contents(old)
    printed = checkout.make("figures", index="none", ok=False)
    assert "To keep it: touch .venv/.ready" in printed
    assert contents(old) == before
    checkout.make("environment")
    assert [path.name for path in checkout.root.glob(".venv*")] == [".venv"]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_environment_survives_an_interrupted_installation(checkout, end):
    old = checkout.environment()
    process = checkout.start("figures", index="slow")
    wait_until((checkout.root / "waits").exists)
    os.killpg(process.pid, end)
    process.communicate()
    assert (old / ".ready").exists()
    (old / ".ready").touch()
    checkout.make("figures", index="none")


@pytest.mark.parametrize("folder", [".venv", ".venv-docs"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "folder of another origin"])
def test_environment_that_is_not_ours_is_never_replaced(checkout, folder, kind):
    if "link" in kind:
        shared = checkout.environment("../shared")
        (checkout.root / folder).symlink_to(shared if kind == "link" else "../nothing")
    else:
        shared = checkout.environment(folder, stamp=None)
    before = contents(shared)
    printed = checkout.make(f"{folder}/.ready", ok=False)
    assert printed.startswith(f"{folder} is a link, or was not made here, and is not replaced: delete it, or keep it")
    assert contents(shared) == before
    assert checkout.calls() == []
    if kind != "dangling link":
        (checkout.root / folder / ".ready").touch()
        checkout.make(f"{folder}/.ready")


def test_reading_targets_use_the_environment_that_is_there(checkout):
    checkout.environment()
    for target in ("estimate", "times", "verify", "help"):
        checkout.make(target, index="none")
    assert "venv" not in checkout.calls()


@pytest.mark.parametrize("linked", [(), ("results",), ("figures", "logs"), FOLDERS])
def test_clean_empties_folders_and_what_links_lead_to(checkout, tmp_path, linked):
    outside = tmp_path / "a disk" / "outside"
    outside.mkdir(parents=True)
    (outside / "kept").touch()
    for name in FOLDERS:
        folder = tmp_path / "a disk" / name if name in linked else checkout.root / name
        (folder / "inner").mkdir(parents=True)
        for file in ("README.md", "inner/README.md", "inner/.hidden"):
            (folder / file).touch()
        (folder / "link").symlink_to(outside)
        if name in linked:
            (checkout.root / name).symlink_to(folder)
    checkout.make("clean")
    for name in FOLDERS:
        assert [file.name for file in (checkout.root / name).iterdir()] == ["README.md"]
        assert (checkout.root / name).is_symlink() == (name in linked)
    assert (outside / "kept").exists()


def test_clean_deletes_nothing_else_where_folders_are_missing(checkout):
    (checkout.root / "results").symlink_to("nowhere")
    before = sorted(checkout.root.rglob("*"))
    checkout.make("clean")
    assert sorted(checkout.root.rglob("*")) == before


def test_files_have_the_same_bytes_in_a_checkout_with_carriage_returns(tmp_path):
    picture = "docs/thumbnails/max_margin/fig1b.png"
    files = (".gitattributes", "Snakefile", ".ci/run", "requirements.lock", "config/config.yaml", picture)
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    git = ["git", "-c", "core.autocrlf=true"]
    for command in (["init", "-q"], ["add", "."], ["checkout-index", "--all", "--prefix=out/"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    for name in files:
        assert (tmp_path / "out" / name).read_bytes() == (ROOT / name).read_bytes()
