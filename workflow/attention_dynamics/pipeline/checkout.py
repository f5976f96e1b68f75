"""Location and commit of the library that the jobs run, and the data and the GPU that they need."""

import os
import subprocess
from functools import cache
from pathlib import Path

from snakemake.logging import logger

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.registry import PACKAGE

# Messages of git about code that is not in a repository.
NOT_TRACKED = ("not a git repository", "did not match any file")
# Git sets these for its hooks, and in a worktree for `git rebase --exec`.
REPOSITORY_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")


def use_this_library() -> None:
    """Make all child processes import the library from this checkout, even if another version is installed."""
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    mine = str(PACKAGE.parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([mine, *(path for path in others if path not in ("", mine))])


def check_path(checkout: Path) -> None:
    """Raise ConfigError for braces in the path of the checkout, which Snakemake takes for names of variables."""
    if {"{", "}"} & {*str(checkout)}:
        raise ConfigError(f"{checkout}: Snakemake needs a path without braces; rename or move the folder")


def check_config_folder(folder: Path, workdir: Path, checkout: Path) -> None:
    """Raise ConfigError for another configuration whose files would replace those of the checkout's own one."""
    if workdir.resolve() == checkout.resolve() and folder.resolve() != (checkout / "config").resolve():
        what = "its figures and results would replace those of config/; compute it elsewhere (--directory <folder>), or"
        raise ConfigError(f"--config: config_folder={folder}: {what} with a prefix (docs/extending.md)")


def check_mirror(folder: str) -> None:
    """Raise ConfigError for a folder of data sets that does not exist."""
    if not os.path.isdir(folder):
        raise ConfigError(f"data_mirror: {os.path.abspath(folder)}: there is no such folder")


def check_gpu() -> None:
    """Raise ConfigError unless PyTorch sees a GPU. On a cluster the jobs find out themselves."""
    import torch  # takes a second, which only a run on a GPU need wait for

    if not torch.cuda.is_available():
        raise ConfigError("device: cuda: PyTorch finds no GPU on this machine; use device=cpu, or a build for CUDA")


def describe_commit() -> str:
    """Return the commit of this checkout, "unknown" outside of git or where git refuses to name it.

    It ends in "-dirty" where tracked files were changed or code is not tracked.
    """
    try:
        # Fails for a library that is installed inside of another repository.
        _git("ls-files", "--error-unmatch", "--", "*.py")
        found = _git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
        added = _git("ls-files", "--others", "--exclude-standard", "--", str(PACKAGE.parent))
    except (OSError, subprocess.CalledProcessError) as error:
        _warn_of_refusal(error)
        return "unknown"
    return f"{found.removesuffix('-dirty')}-dirty" if added else found


def commit_date() -> str:
    """Return the date of the commit of this checkout, 1980-01-01 (as in archives) outside of git."""
    try:
        return _git("show", "--no-patch", "--no-show-signature", "--format=%cs", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return "1980-01-01"


def _git(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in REPOSITORY_VARIABLES}
    english = environment | {"LC_ALL": "C"}
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=PACKAGE, env=english, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout.strip()


def _warn_of_refusal(error: OSError | subprocess.CalledProcessError) -> None:
    """Print why the commit is unknown, unless the library is simply not in a repository."""
    what = (getattr(error, "stderr", None) or str(error)).strip()
    if not any(text in what for text in NOT_TRACKED):
        _warn_once(f"the commit of the code is unknown ({' '.join(what.split())})")


@cache
def _warn_once(message: str) -> None:
    logger.warning(message)
