"""A fingerprint changes with the code that a stage runs, and with nothing else."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from attention_dynamics.pipeline import fingerprint
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.registry import NAME, PACKAGE
from helpers.published_config import published_config

# The code of the whole library is read several times.
pytestmark = pytest.mark.slow

JOBS = Jobs(published_config())
PROBLEM, RUN, FIGURE = "max_margin/two_scores", "max_margin/two_scores/correlation_loss", "max_margin/fig5"
STAGES = {
    "data": PROBLEM, "svm": PROBLEM, "train": RUN, "measure": RUN, "draw": FIGURE, "judge": FIGURE,
    "tabulate": FIGURE, "ledger": "", "captions": "", "manifest": "", "gallery": "", "bundle": "",
}  # fmt: skip
ALL = set(STAGES)
DRAWING = {"draw", "tabulate"}
# What reads runs depends on what these were trained with.
READING = {"measure", "judge"} | DRAWING
COMPUTING = {"data", "svm", "train"} | READING


def modules(stage: str, id: str) -> tuple[str, ...]:
    return tuple(JOBS.get(stage, id).spec["modules"])


class Library:
    """A copy of the package and the scripts."""

    def __init__(self, root: Path) -> None:
        self.package = root / NAME
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(fingerprint.SCRIPTS, root / "scripts")
        self.modules = {stage: modules(stage, id) for stage, id in STAGES.items()}

    @staticmethod
    def forget() -> None:
        for function in (fingerprint.stage_fingerprint, fingerprint._files, fingerprint.module_file):
            function.cache_clear()

    def read(self) -> None:
        self.forget()
        self.fingerprints = {stage: fingerprint.stage_fingerprint(stage, self.modules[stage]) for stage in STAGES}

    @contextmanager
    def edited(self, file: str, edit):
        """For a while, a file has another text, ``edit`` of its own. Yields the stages whose fingerprint changed."""
        path, before = self.package / file, self.fingerprints
        old = path.read_bytes()
        new = edit(old.decode()).encode()
        assert new != old
        path.write_bytes(new)
        try:
            self.read()
            yield {stage for stage in STAGES if self.fingerprints[stage] != before[stage]}
        finally:
            path.write_bytes(old)
            self.forget()
            self.fingerprints = before

    def changed_by(self, file: str, edit) -> set[str]:
        """Stages whose fingerprint an edit changes."""
        with self.edited(file, edit) as changed:
            return changed


def parse_contents_once() -> Callable[[Path], tuple[str, frozenset[str]]]:
    """Return ``_code_and_imports`` with a cache by content: an edit changes one file of many."""
    parse = fingerprint._code_and_imports.__wrapped__

    @cache
    def parse_content(file: Path, *contents: bytes) -> tuple[str, frozenset[str]]:
        return parse(file)

    def parse_module(file: Path) -> tuple[str, frozenset[str]]:
        return parse_content(file, *(one.read_bytes() for one in (file, file.with_suffix(".toml")) if one.exists()))

    return parse_module


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("library"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprint, "_code_and_imports", parse_contents_once())
        patch.setattr(fingerprint, "PACKAGE", library.package)
        patch.setattr(fingerprint, "SCRIPTS", library.package.parent / "scripts")
        library.read()
        yield library
    library.forget()


def add_code(text: str) -> str:
    return f"{text}\nADDED = 1\n"


LEARNING = {"train"} | READING
# Stages of which an edit of the code of a file changes the fingerprint, and such files.
STAGES_THAT_RUN = [
    ({"train"}, ["../scripts/train.py"]),
    ({"judge"}, ["../scripts/judge.py", "papers/max_margin/fig5_claims.py", "series/statistics.py"]),
    ({"data"}, ["problems/scored_tokens.py", "problems/planar_embedding.py"]),
    ({"svm"}, ["margins/attention_svm.py"]),
    ({"svm", "ledger", "gallery"}, ["margins/max_margin.py"]),
    (LEARNING, [
        "attention/descent.py", "attention/models/prompt_attention.py", "attention/attention_gradient.py",
        "attention/losses/correlation.py", "optim/normalized_gd.py", "optim/gradient.py", "optim/__init__.py",
        "problems/stored.py",
    ]),
    (READING, ["run.py"]),
    ({"judge"} | DRAWING, ["attention/losses/logistic.py"]),
    ({"measure"}, ["measures/plateau.py", "theory/plateaus.py", "theory/__init__.py"]),
    (DRAWING, ["papers/max_margin/fig5.py", "plots/planar.py", "plots/style.py"]),
    (DRAWING | {"captions", "gallery"}, ["plots/labels.py", "plots/__init__.py"]),
    ({"draw"}, ["plots/renderings.py", "plots/numbers.py"]),
    ({"ledger", "manifest", "gallery"}, ["claims/claim_summary.py"]),
    ({"ledger"}, ["claims/ledger.py"]),
    ({"ledger", "gallery"}, ["claims/certificates.py"]),
    ({"manifest"}, ["claims/manifest.py"]),
    ({"gallery"}, ["gallery/pages.py"]),
    (COMPUTING | {"ledger", "gallery", "manifest"}, ["problems/problem.py"]),
    (ALL, ["store.py", "__init__.py"]),
    # Of other problems, runs and figures.
    (set(), [
        "problems/random_sphere.py", "margins/label_svm.py", "attention/models/weight_attention.py", "optim/gd.py",
        "measures/limit.py", "papers/max_margin/fig4.py", "papers/max_margin/fig4_claims.py",
    ]),
    # What frames, logs, finds and validates determines no result.
    (set(), [
        "pipeline/stage.py", "pipeline/fingerprint.py", "pipeline/jobs.py", "pipeline/external_plugins.py",
        "pipeline/startup.py", "progress.py", "registry.py", "types.py", "config/load.py", "config/checks.py",
        "config/schema.py", "config/validation.py",
    ]),
]  # fmt: skip


def test_data_file_of_module_counts(library):
    module = (f"{NAME}.deep.problems",)
    before = fingerprint.stage_fingerprint("data", module)
    with library.edited("deep/datasets/inference.toml", lambda text: text.replace("geese", "ducks")) as changed:
        assert changed == set()
        assert fingerprint.stage_fingerprint("data", module) != before


def test_networks_do_not_change_their_data(library):
    networks = fingerprint.closure(None, [f"{NAME}.deep.{module}" for module in ("networks", "optim", "tasks")])
    data = fingerprint.closure(None, [f"{NAME}.deep.problems"])
    assert {name for name in networks if ".modules" in name or ".trainer" in name} & set(data) == set()
    assert f"{NAME}.deep.datasets.texts" not in networks


@pytest.mark.slow
def test_code_edit_changes_stages_that_run_it(library):
    for stages, files in STAGES_THAT_RUN:
        assert {file: library.changed_by(file, add_code) for file in files} == dict.fromkeys(files, stages)
    changed = library.changed_by("papers/max_margin/fig5_claims.py", lambda text: text.replace('says="', 'says="x', 1))
    assert changed == {"judge"}


# Old and new text of optim/normalized_gd.py.
NOT_CODE = [
    ("from attention", "# a comment\nfrom attention"),
    ("\n\n\nclass", "\n\n\n\n\nclass"),
    ("\n", "\r\n"),
    ("        length = per", "        # why\n\n        length = per"),
    ("decay: NonNegative = 0.0", "decay: NonNegative = (0.00)"),
    ("Normalized gradient descent", "Gradient descent"),
    ("Steps along the unit gradient", "Unit steps"),
    ("        length = per", '        "why"\n        length = per'),
]
CODE = [
    ("decay: NonNegative = 0.0", "decay: NonNegative = 0.1"),
    ("decay: NonNegative = 0.0", "decay: NonNegative = 0"),
    ("parameter - length", "parameter + length"),
    ("epsilon: NonNegative = 0.0", "epsilon: NonNegative = 0.5"),
    ("epsilon: NonNegative", "epsilon: Positive"),
    ("        size = norm(direction) + self.epsilon\n", ""),
    ("+ self.epsilon", "- self.epsilon"),
]


def test_code_counts_and_comments_layout_and_docstrings_do_not(library):
    file = "optim/normalized_gd.py"
    for edits, stages in ((NOT_CODE, set()), (CODE, LEARNING)):
        for old, new in edits:
            assert library.changed_by(file, lambda text, old=old, new=new: text.replace(old, new)) == stages, new
    assert library.changed_by(file, lambda text: text.split('"""', 2)[2]) == set()


IMPORTS = [
    "import attention_dynamics.theory.plateaus",
    "from attention_dynamics.theory import plateaus",
    "from attention_dynamics.theory.plateaus import PLATEAUS as P",
    "def lazy():\n    from attention_dynamics.theory import plateaus",
    "if False:\n    import attention_dynamics.theory.plateaus as p",
]
TYPE_CHECKING = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"


def append(lines: str):
    """Return an edit that adds lines at the end."""
    return lambda text: f"{text}\n{lines}\n"


def test_imports_of_all_forms_count(library):
    for lines in IMPORTS:
        with library.edited("optim/gradient.py", append(lines)):
            for file in ("theory/plateaus.py", "theory/__init__.py"):
                assert library.changed_by(file, add_code) == LEARNING
    # A circle of imports ends.
    with library.edited("optim/gradient.py", append("import attention_dynamics.attention.descent")):
        assert library.changed_by("attention/descent.py", add_code) == LEARNING
    with pytest.raises(SyntaxError, match="relative import of types: write the full name"):
        library.changed_by("attention/descent.py", lambda text: f"from .types import Count\n{text}")


def test_imports_for_type_checking_do_not_count_but_their_else_branch(library):
    lines = f"{TYPE_CHECKING}    from attention_dynamics.theory import plateaus"
    assert library.changed_by("theory/growth.py", append(lines)) == set()
    with library.edited("optim/gradient.py", append(lines)):
        assert library.changed_by("theory/plateaus.py", add_code) == {"measure"}
    with library.edited("optim/gradient.py", append(f"{TYPE_CHECKING}    import torch\nelse:\n    ADDED = 1")):
        assert library.changed_by("optim/gradient.py", lambda text: text.replace("ADDED = 1", "ADDED = 2"))


# Prints the files that modules load, and then, in another line, those that code loads as well.
LOADED = """
import importlib, sys
def print_files():
    print(*(getattr(module, "__file__", None) for module in list(sys.modules.values())), sep="\\t")
for module in sys.argv[2:]:
    importlib.import_module(module)
print_files()
exec(sys.argv[1])
print_files()
"""


def loaded_by(library: Library, code: str, *modules: str) -> list[set[Path]]:
    """Return the files of the package that modules load, and those that they and then code load."""
    printed = subprocess.run(
        [sys.executable, "-c", LOADED, code, *modules],
        env={"PYTHONPATH": str(library.package.parent)}, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    found = [{Path(file) for file in line.split("\t")} for line in printed.splitlines()]
    inside = [{file for file in files if file.is_relative_to(library.package)} for files in found]
    return [
        {file for file in files if not fingerprint.in_frame(module_name(file, library.package))} for files in inside
    ]


@pytest.fixture(scope="module")
def frame(library) -> set[Path]:
    """Modules that every job imports besides those that compute its result."""
    return loaded_by(library, "from attention_dynamics.pipeline.stage import stage")[1]


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["data", "svm", "train", "measure", "draw", "judge"])
@pytest.mark.parametrize("run", [RUN, "scan_and_snap/small/sgd", "mirror_descent/hundred/bregman_3"])
def test_files_loaded_by_stage_are_fingerprinted(library, frame, stage, run):
    paper, problem = run.split("/")[0], run.rpartition("/")[0]
    figure = next(name for name in JOBS.config.figures() if name.startswith(f"{paper}/"))
    ids = {"data": problem, "svm": problem, "draw": figure, "judge": figure}
    named, script = modules(stage, ids.get(stage, run)), fingerprint.SCRIPTS / f"{stage}.py"
    imports = [node for node in ast.parse(script.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
    by_modules, by_all = loaded_by(library, "\n".join(map(ast.unparse, imports)), *named)
    loaded = by_modules | (by_all - frame)
    assert len(loaded) > 3
    assert loaded <= set(fingerprint.closure(script, named).values())


def module_name(file: Path, package: Path) -> str:
    """Return the dotted name of a module of the package."""
    parts = file.relative_to(package.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")
