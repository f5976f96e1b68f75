"""Markers, threads, and copies of the repository in temporary folders for tests that run Snakemake."""

import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import cache_from_source
from pathlib import Path

import pytest
import yaml

from helpers.forked_snakemake import run_snakemake

# Every process of the tests uses one thread, as the jobs of the workflow do; read when NumPy and torch are imported.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# Before a test imports Matplotlib, which refuses a backend that is not installed.
os.environ["MPLBACKEND"] = "agg"

ROOT = Path(__file__).parents[1]
MARKED_FOLDERS = ("workflow", "cluster", "browser")
# Every file is run by one process, so those that take minutes have to start first.
LONGEST_FIRST = ("cluster", "plots", "workflow", "browser")
SOURCES = ("Snakefile", "workflow", "config", "profiles", "envs")
OUTPUTS = ("results", "figures", "logs", ".snakemake")
PARTS = ("problems", "runs", "figures")
SMALL = {
    "problems": ("single_input_global", "multiple_inputs"),
    "runs": ("single_global", "constant_step", "normalized_step"),
    "figures": ("fig1a", "fig4a", "fig4b"),
}
CLAIMS_HEAD = """
from attention_dynamics.claims.claim import CHOSEN, claim
from attention_dynamics.claims.expectation import at_least, at_most, check
from attention_dynamics.series.statistics import first_step_above, slope
"""
# Modules of claims that hold after 200 steps: one for each figure.
SMALL_CLAIMS = {
    "fig1": CLAIMS_HEAD
    + """

@claim("fig1a", says="All trajectories converge", basis=CHOSEN, source="Fig 1a")
def converges(single_global):
    return check(single_global["correlation_gmm"].at(200).min(), at_least(0.99))
""",
    "fig4": CLAIMS_HEAD
    + """

@claim("fig4a", says="Normalized steps select the token early", basis=CHOSEN, source="Fig 4a")
def early(normalized_step):
    return check(first_step_above(normalized_step["softmax_optimal"], 0.9), at_most(100))


@claim("fig4b", says="The norm grows", basis=CHOSEN, source="Fig 4b")
def linear(normalized_step):
    return check(slope(normalized_step["norm_p"].during(100, 200)), at_least(0.05))
""",
}


class Repository:
    """A working copy: edit it, run Snakemake in it, ask what would run."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def copied(cls, source: Path, root: Path, parts: tuple[str, ...] = SOURCES + OUTPUTS) -> "Repository":
        """Return a copy with the modification times of the original, and with its compiled code."""
        root.mkdir()
        for part in parts:
            if (source / part).is_dir():
                shutil.copytree(source / part, root / part, ignore=shutil.ignore_patterns("*.egg-info"))
            elif (source / part).exists():
                shutil.copy2(source / part, root / part)
        return cls(root)

    def command(self, *arguments: str) -> list[str]:
        """Return the command that starts Snakemake in a process of its own."""
        return [sys.executable, "-m", "snakemake", *arguments]

    def snakemake(self, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess:
        """Run Snakemake and its jobs in forks; returns what it printed on both streams as ``stdout``."""
        done = run_snakemake(self.root, arguments)
        assert (done.returncode == 0) == ok, done.stdout
        return done

    def refusal(self, *arguments: str) -> str:
        """Run Snakemake, which has to fail without a traceback; return what it printed."""
        printed = self.snakemake(*arguments, ok=False).stdout
        assert "Traceback" not in printed
        return printed

    def start(self, *arguments: str, stdout=subprocess.DEVNULL) -> subprocess.Popen:
        """Start Snakemake in a process and a session of its own."""
        return subprocess.Popen(
            self.command(*arguments), cwd=self.root, start_new_session=True, text=True,
            stdout=stdout, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def planned(self, *arguments: str) -> set[str]:
        """Return the jobs that would run, as "rule first-output"; target rules left out."""
        text = self.snakemake("-n", *(arguments or ("figures/all",))).stdout
        jobs = re.findall(r"^(?:local)?rule (\w+):\n(?:    input: .*\n)?    output: ([^,\n]*)", text, re.MULTILINE)
        return {f"{rule} {_short_name(output)}" for rule, output in jobs}

    def write(self, file: str, text: str) -> Path:
        """Write a file, in a new folder if there is none yet."""
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace a text that must be there."""
        path = self.root / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        # Python would use the old bytecode if the file kept its size and was changed within the same second.
        Path(cache_from_source(path)).unlink(missing_ok=True)

    def configure(self, change, paper: str = "max_margin", claims: dict[str, str] | None = None) -> None:
        """Apply ``change`` to a paper's files as one: every block goes back to its file, new ones to shared.yaml.

        claims: modules of claims that take the place of all that there are, and of the expected numbers, name of the
            file -> text.
        """
        # Not before the number of threads is set.
        from attention_dynamics.config.layers import with_panels

        folder = self.root / "config" / paper
        files = {file.stem: yaml.safe_load(file.read_text()) for file in sorted(folder.glob("*.yaml"))}
        for file in files.values():
            file["figures"] = with_panels(file.get("figures", {}), paper)
        owners = {(part, name): stem for stem, file in files.items() for part in PARTS for name in file.get(part, {})}
        whole = _join_files(files)
        change(whole)
        # Examples of the interactive page are of figures.
        files["shared"]["explore"] = {
            figure: one for figure, one in files["shared"].get("explore", {}).items() if figure in whole["figures"]
        }
        for stem, file in files.items():
            file.update(_blocks_of_file(whole, stem, owners))
            overlays = {
                scale: _blocks_of_file(overlay, stem, owners)
                | {"defaults": file.get("scales", {}).get(scale, {}).get("defaults", {})}
                for scale, overlay in whole.get("scales", {}).items()
            }
            file["scales"] = {scale: overlay for scale, overlay in overlays.items() if any(overlay.values())}
            path = folder / f"{stem}.yaml"
            if file["figures"] or stem == "shared":
                path.write_text(yaml.safe_dump(file, sort_keys=False))
            else:
                path.unlink()
        if claims is not None:
            modules = self.root / "workflow/attention_dynamics/papers" / paper
            for file in (*modules.glob("*_claims.py"), *modules.glob("*_expected.csv")):
                file.unlink()
            for name, text in claims.items():
                (modules / f"{name}_claims.py").write_text(text)

    def digests(self) -> dict[str, str]:
        """SHA-256 of every result and figure, without the record of the run, which has times."""
        files = [f for part in ("results", "figures") for f in (self.root / part).rglob("*") if f.is_file()]
        found = {f.relative_to(self.root).as_posix(): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}
        found.pop("figures/run.json", None)
        return found


def _join_files(files: dict[str, dict]) -> dict:
    """Return the files of a paper as one."""
    whole: dict = {**files["shared"], "scales": {}}
    for part in PARTS:
        whole[part] = {name: block for file in files.values() for name, block in file.get(part, {}).items()}
    for file in files.values():
        for scale, overlay in file.get("scales", {}).items():
            for part in PARTS:
                whole["scales"].setdefault(scale, {}).setdefault(part, {}).update(overlay.get(part, {}))
    return whole


def _blocks_of_file(whole: dict, stem: str, owners: dict[tuple[str, str], str]) -> dict:
    """Return those blocks of a paper that belong to one of its files."""
    return {
        part: {name: block for name, block in whole.get(part, {}).items() if owners.get((part, name), "shared") == stem}
        for part in PARTS
    }


def _short_name(output: str) -> str:
    return re.sub(r"^(results/\w+|figures)/(claims/)?(max_margin/)?", "", output.strip()).split(".")[0]


def wait_until(condition: Callable[[], bool], seconds: float = 180) -> None:
    """Return when the condition holds. Raises AssertionError if that takes longer."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds} seconds"
        time.sleep(0.1)


def shrink(paper: dict) -> None:
    """Reduce a paper to three figures of two problems, and runs to 200 steps."""
    keep(paper, **SMALL)
    for run in paper["runs"].values():
        run["steps"] = 200


def one_figure(paper: dict) -> None:
    """Reduce a paper to Fig 1a and 200 steps."""
    shrink(paper)
    paper["figures"] = {"fig1a": paper["figures"]["fig1a"]}


def keep(paper: dict, **names: tuple[str, ...]) -> None:
    """Keep these problems, runs and figures of a paper, and no scales."""
    for part, kept in names.items():
        paper[part] = {name: block for name, block in paper[part].items() if name in kept}
    paper.pop("scales")


def fresh(root: Path, papers: tuple[str, ...] = ("max_margin",)) -> Repository:
    """Return a copy of this repository without anything computed, with the configuration of some of the papers."""
    repository = Repository.copied(ROOT, root, SOURCES)
    for folder in (repository.root / "config").iterdir():
        if folder.is_dir() and folder.name not in papers:
            shutil.rmtree(folder)
    return repository


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of MARKED_FOLDERS with the folder's name, and put those of LONGEST_FIRST first."""

    def folder(item: pytest.Item) -> str:
        return item.path.relative_to(ROOT / "tests").parts[0]

    for item in items:
        if folder(item) in MARKED_FOLDERS:
            item.add_marker(folder(item))
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(folder(item), len(places)))


@pytest.fixture(scope="session", autouse=True)
def default_interrupt():
    """Let processes that tests start end on SIGINT, which shells of scripts ignore for commands in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def quiet_environment():
    """Remove variables that a developer's shell or a hook of git may set, which must not reach the copies.

    Without bytecode each job in a copy would compile the library.
    """
    for name in list(os.environ):
        if name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "SNAKEMAKE_PROFILE") or name.startswith("GIT_"):
            del os.environ[name]


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Repository:
    """A small repository, computed once for all processes of the tests; tests copy it and never change it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with (shared / "finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "finished").exists():
            repository = fresh(tmp_path_factory.mktemp("finished") / "repository")
            repository.configure(shrink, claims=SMALL_CLAIMS)
            # In processes of their own: forks share the hash seed, NumPy's generator and imported packages, so that
            # comparisons with this repository would not show that a result depends on them.
            done = subprocess.run(
                repository.command("figures/all"), cwd=repository.root, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout
            repository.root.rename(shared / "finished")
    return Repository(shared / "finished")


@pytest.fixture
def repository(finished, tmp_path) -> Repository:
    """A copy of the finished small repository."""
    return Repository.copied(finished.root, tmp_path / "repository")


def random_problems_only(paper: dict) -> None:
    """Reduce a paper to Fig 10 on eight trials, too few for some claims to hold."""
    keep(paper, problems=("random_n4_t6",), runs=("random_small",), figures=("fig10",))
    paper["problems"]["random_n4_t6"]["trials"] = 8
