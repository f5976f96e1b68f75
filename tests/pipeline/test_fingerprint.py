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


# File of the package -> the stages of which an edit of its code changes the fingerprint.
STAGES_THAT_RUN = {
    "../scripts/train.py": {"train"},
    "../scripts/judge.py": {"judge"},
    "problems/scored_tokens.py": {"data"},
    "problems/planar_embedding.py": {"data"},
    "problems/random_sphere.py": set(),
    "margins/attention_svm.py": {"svm"},
    "margins/max_margin.py": {"svm", "ledger", "gallery"},
    "margins/label_svm.py": set(),
    "attention/descent.py": {"train"} | READING,
    "attention/models/prompt_attention.py": {"train"} | READING,
    "attention/attention_gradient.py": {"train"} | READING,
    "attention/models/weight_attention.py": set(),
    "attention/losses/correlation.py": {"train"} | READING,
    "attention/losses/logistic.py": {"judge"} | DRAWING,
    "optim/normalized_gd.py": {"train"} | READING,
    "optim/gradient.py": {"train"} | READING,
    "optim/gd.py": set(),
    "measures/plateau.py": {"measure"},
    "theory/plateaus.py": {"measure"},
    "measures/limit.py": set(),
    "papers/max_margin/fig5.py": DRAWING,
    "plots/planar.py": DRAWING,
    "plots/style.py": DRAWING,
    "plots/labels.py": DRAWING | {"captions", "gallery"},
    "plots/renderings.py": {"draw"},
    "plots/numbers.py": {"draw"},
    "papers/max_margin/fig4.py": set(),
    "papers/max_margin/fig5_claims.py": {"judge"},
    "papers/max_margin/fig4_claims.py": set(),
    "series/statistics.py": {"judge"},
    "claims/claim_summary.py": {"ledger", "manifest", "gallery"},
    "claims/ledger.py": {"ledger"},
    "claims/certificates.py": {"ledger", "gallery"},
    "claims/manifest.py": {"manifest"},
    "gallery/pages.py": {"gallery"},
    "run.py": READING,
    "problems/problem.py": COMPUTING | {"ledger", "gallery", "manifest"},
    "problems/stored.py": {"train"} | READING,
    "store.py": ALL,
    "__init__.py": ALL,
    "optim/__init__.py": {"train"} | READING,
    "theory/__init__.py": {"measure"},
    "plots/__init__.py": DRAWING | {"captions", "gallery"},
    # What frames, logs, finds and validates determines no result.
    "pipeline/stage.py": set(),
    "pipeline/fingerprint.py": set(),
    "pipeline/jobs.py": set(),
    "pipeline/external_plugins.py": set(),
    "pipeline/startup.py": set(),
    "progress.py": set(),
    "registry.py": set(),
    "types.py": set(),
    "config/load.py": set(),
    "config/checks.py": set(),
    "config/schema.py": set(),
    "config/validation.py": set(),
}


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


def test_code_edit_changes_stages_that_run_it(library):
    assert {file: library.changed_by(file, add_code) for file in STAGES_THAT_RUN} == STAGES_THAT_RUN
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
    ("the guard of published code", "a guard"),
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
    for edits, stages in ((NOT_CODE, set()), (CODE, {"train"} | READING)):
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
                assert library.changed_by(file, add_code) == {"train"} | READING
    # A circle of imports ends.
    with library.edited("optim/gradient.py", append("import attention_dynamics.attention.descent")):
        assert library.changed_by("attention/descent.py", add_code) == {"train"} | READING
    with pytest.raises(SyntaxError, match="relative import of types: write the full name"):
        library.changed_by("attention/descent.py", lambda text: f"from .types import Count\n{text}")


def test_imports_for_type_checking_do_not_count_but_their_else_branch(library):
    lines = f"{TYPE_CHECKING}    from attention_dynamics.theory import plateaus"
    assert library.changed_by("theory/growth.py", append(lines)) == set()
    with library.edited("optim/gradient.py", append(lines)):
        assert library.changed_by("theory/plateaus.py", add_code) == {"measure"}
    with library.edited("optim/gradient.py", append(f"{TYPE_CHECKING}    import torch\nelse:\n    ADDED = 1")):
        assert library.changed_by("optim/gradient.py", lambda text: text.replace("ADDED = 1", "ADDED = 2"))


def fingerprinted(stage: str, modules: tuple[str, ...]) -> set[Path]:
    """Return the files that a fingerprint covers."""
    return set(fingerprint.closure(fingerprint.SCRIPTS / f"{stage}.py", modules).values())


LOADED = """
import importlib, sys
exec(sys.argv[1])
for module in sys.argv[2:]:
    importlib.import_module(module)
for module in list(sys.modules.values()):
    print(getattr(module, "__file__", None))
"""


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["data", "svm", "train", "measure", "draw", "judge"])
@pytest.mark.parametrize("run", [RUN, "scan_and_snap/small/sgd", "mirror_descent/hundred/bregman_3"])
def test_files_loaded_by_stage_are_fingerprinted(library, stage, run):
    figures = [name for name in JOBS.config.figures() if run.split("/")[0] == name.split("/")[0]]
    ids = {"data": run.rpartition("/")[0], "svm": run.rpartition("/")[0], "draw": figures[0], "judge": figures[0]}
    named, script = modules(stage, ids.get(stage, run)), fingerprint.SCRIPTS / f"{stage}.py"
    imports = [node for node in ast.parse(script.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
    loaded = loaded_by(library, "\n".join(map(ast.unparse, imports)), *named)
    # What every job loads around the computation determines no result.
    frame = loaded_by(library, "from attention_dynamics.pipeline.stage import stage") - loaded_by(library, "", *named)
    assert len(loaded - frame) > 3
    assert loaded - frame <= fingerprinted(stage, named)


def loaded_by(library: Library, code: str, *modules: str) -> set[Path]:
    """Return the files of the package that code and modules load."""
    printed = subprocess.run(
        [sys.executable, "-c", LOADED, code, *modules],
        env={"PYTHONPATH": str(library.package.parent)}, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    found = {Path(line) for line in printed.splitlines() if line.startswith(str(library.package))}
    return {file for file in found if not fingerprint.in_frame(module_name(file, library.package))}


def module_name(file: Path, package: Path) -> str:
    """Return the dotted name of a module of the package."""
    parts = file.relative_to(package.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")
