"""Which commit an archive says that it was made with."""

import subprocess

import pytest

from attention_dynamics.pipeline import checkout


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
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_the_commit_is_named_and_whether_the_code_is_that_of_it(repository):
    clean = checkout.commit()
    assert len(clean) == 40
    for file in ("results/data.npz", "notes.txt"):
        (repository / file).parent.mkdir(exist_ok=True)
        (repository / file).write_text("")
    assert checkout.commit() == clean
    added = checkout.PACKAGE / "two.py"
    added.write_text("b = 2\n")
    assert checkout.commit() == f"{clean}-dirty"
    added.unlink()
    (checkout.PACKAGE / "one.py").write_text("a = 3\n")
    assert checkout.commit() == f"{clean}-dirty"
    added.write_text("b = 2\n")
    assert checkout.commit() == f"{clean}-dirty"


def test_without_git_the_commit_is_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(checkout, "PACKAGE", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert checkout.commit() == "unknown"
