"""Which commit an archive says that it was made with, and machines and folders that are refused."""

import os
import subprocess
import sys

import pytest
import torch

from attention_dynamics.pipeline import checkout
from attention_dynamics.pipeline.startup import check_config_folder, check_gpu, check_path
from conftest import ROOT
from helpers.refusals import refusal


def git(folder, *arguments: str, **given) -> str:
    """Return what Git prints."""
    return subprocess.run(
        ["git", *arguments], cwd=folder, text=True, check=True, stdout=subprocess.PIPE, **given
    ).stdout


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with the file workflow/package/one.py, in place of the project's."""
    package = tmp_path / "workflow" / "package"
    package.mkdir(parents=True)
    monkeypatch.setattr(checkout, "PACKAGE", package)
    (package / "one.py").write_text("a = 1\n")
    (tmp_path / ".gitignore").write_text("results/\n")
    who = ["-c", "user.name=A Reader", "-c", "user.email=reader@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "One"]):
        git(tmp_path, *command)
    return tmp_path


def test_commit_names_revision_and_changes(repository):
    clean, one, two = checkout.describe_commit(), checkout.PACKAGE / "one.py", checkout.PACKAGE / "two.py"
    assert len(clean) == 40
    for file in ("results/data.npz", "notes.txt"):
        (repository / file).parent.mkdir(exist_ok=True)
        (repository / file).write_text("")
    assert checkout.describe_commit() == clean
    for change in (lambda: two.write_text("b = 2\n"), lambda: one.write_text("a = 3\n"), two.unlink):
        change()
        assert checkout.describe_commit() == f"{clean}-dirty"


def test_changes_in_one_folder_can_be_passed_over(repository):
    clean = checkout.describe_commit(apart_from="records")
    (repository / "records").mkdir()
    file = repository / "records" / "claims.csv"
    file.touch()
    git(repository, "add", "records")
    file.write_text("paper\n")
    assert checkout.describe_commit(apart_from="records") == clean
    assert checkout.describe_commit() == f"{clean}-dirty"
    (checkout.PACKAGE / "one.py").write_text("a = 3\n")
    assert checkout.describe_commit(apart_from="records") == f"{clean}-dirty"


def test_commit_is_unknown_without_git(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(checkout, "PACKAGE", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert checkout.describe_commit() == "unknown"
    assert not caplog.messages


@pytest.mark.parametrize("refusal", ["GIT_TEST_ASSUME_DIFFERENT_OWNER", "PATH"])
def test_refusal_of_git_is_printed_once(repository, monkeypatch, caplog, refusal):
    checkout._warn_once.cache_clear()
    monkeypatch.setenv(refusal, "1")
    assert [checkout.describe_commit() for _ in range(2)] == ["unknown"] * 2
    assert checkout.commit_date() == "1980-01-01"
    (line,) = caplog.messages
    assert line.startswith("the commit of the code is unknown (")
    assert ("dubious ownership" if refusal.startswith("GIT") else "No such file") in line
    assert "\n" not in line


def test_commit_is_of_this_repository_in_a_hook_of_another(repository, tmp_path_factory, monkeypatch):
    commit, date = checkout.describe_commit(), checkout.commit_date()
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q")
    for name, value in {"GIT_DIR": other / ".git", "GIT_WORK_TREE": other, "GIT_INDEX_FILE": other / "index"}.items():
        monkeypatch.setenv(name, str(value))
    assert (checkout.describe_commit(), checkout.commit_date()) == (commit, date)


@pytest.mark.slow
def test_tests_in_a_hook_leave_its_repository_alone(repository):
    """They make repositories, and commit; this runs one of them as ``git commit`` runs a hook."""
    commit = checkout.describe_commit()
    test = f"{__file__}::{test_commit_names_revision_and_changes.__name__}"
    environment = os.environ | {"GIT_DIR": str(repository / ".git"), "GIT_INDEX_FILE": str(repository / ".git/index")}
    subprocess.run([sys.executable, "-m", "pytest", "-q", test], cwd=ROOT, env=environment, check=True)
    assert checkout.describe_commit() == commit


def test_date_of_signed_commit_is_a_date(repository, monkeypatch):
    """Git's setting log.showSignature adds lines to what `git show` prints about a signed commit."""
    date = checkout.commit_date()
    commit = git(repository, "cat-file", "commit", "HEAD")
    signature = "gpgsig -----BEGIN SSH SIGNATURE-----\n bm8=\n -----END SSH SIGNATURE-----"
    signed = commit.replace("\n\n", f"\n{signature}\n\n", 1)
    stored = git(repository, "hash-object", "-t", "commit", "-w", "--stdin", input=signed).strip()
    git(repository, "update-ref", "HEAD", stored)
    git(repository, "config", "log.showSignature", "true")
    assert checkout.commit_date() == date


def test_commit_of_surrounding_repository_is_not_the_library_s(repository, monkeypatch):
    installed = repository / "results" / "site-packages" / "package"
    installed.mkdir(parents=True)
    (installed / "one.py").write_text("a = 1\n")
    monkeypatch.setattr(checkout, "PACKAGE", installed)
    assert checkout.describe_commit() == "unknown"


def test_unsuitable_machine_or_folder_is_refused_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "device: cuda: PyTorch finds no GPU" in refusal(check_gpu)
    check_path(tmp_path / "it's a #1 (é) [b] $HOME")
    for name in ("{x}", "open{", "a}b"):
        message = refusal(check_path, tmp_path / name / "checkout")
        assert "Snakemake needs a path without braces; rename or move the folder" in message
    other = tmp_path / "other"
    check_config_folder(tmp_path / "config", tmp_path, tmp_path)
    check_config_folder(other, tmp_path / "elsewhere", tmp_path)
    message = refusal(check_config_folder, other, tmp_path, tmp_path)
    assert f"config_folder={other}: its figures and results would replace " in message
    assert "prefix" in message
