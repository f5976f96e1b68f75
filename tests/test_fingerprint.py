"""A fingerprint changes with the code that a stage runs, and with nothing else."""

import ast
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest

from attention_dynamics.pipeline import digests, fingerprint, source
from attention_dynamics.pipeline.config import load_config
from attention_dynamics.pipeline.specs import Specs
from conftest import ROOT

SPECS = Specs(load_config(ROOT / "config", {}))
PROBLEM, RUN, FIGURE = "max_margin/two_scores", "max_margin/two_scores/correlation_loss", "max_margin/fig5"
STAGES = {
    "data": PROBLEM, "svm": PROBLEM, "train": RUN, "measure": RUN, "draw": FIGURE, "judge": FIGURE,
    "tabulate": FIGURE, "ledger": "", "manifest": "", "gallery": "",
}  # fmt: skip
ALL = set(STAGES)
OPTIMIZERS = ("optimizer", "head_optimizer")
DRAWING = {"draw", "tabulate"}
COMPUTING = {"data", "svm", "train", "measure", "judge"} | DRAWING


class Library:
    """A copy of the package and the scripts."""

    def __init__(self, root: Path) -> None:
        self.package = root / source.NAME
        shutil.copytree(source.PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(fingerprint.SCRIPTS, root / "scripts")

    @staticmethod
    def forget() -> None:
        taken = (fingerprint.fingerprint, fingerprint._imports, digests.digest_and_imports)
        for function in (source.read, source.tree, *taken):
            function.cache_clear()
        digests.KEPT.forget()

    def read(self) -> None:
        self.forget()
        self.fingerprints = {s: fingerprint.stage_fingerprint(SPECS.get(s, id)) for s, id in STAGES.items()}

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


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("library"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "PACKAGE", library.package)
        patch.setattr(fingerprint, "SCRIPTS", library.package.parent / "scripts")
        library.read()
        yield library


def add_code(text: str) -> str:
    return f"{text}\nADDED = 1\n"


@pytest.mark.parametrize(
    ("file", "stages"),
    [
        ("../scripts/train.py", {"train"}),
        ("../scripts/judge.py", {"judge"}),
        ("problems/scored_tokens.py", {"data"}),
        ("problems/planar.py", {"data"}),
        ("problems/random_sphere.py", set()),
        ("margins/attention_svm.py", {"svm"}),
        ("margins/max_margin.py", {"svm"}),
        ("margins/label_svm.py", set()),
        ("training.py", {"train"}),
        ("models/prompt_attention.py", {"train"}),
        ("models/attention_gradient.py", {"train"}),
        ("models/weight_attention.py", set()),
        ("losses/correlation.py", {"measure", "train"}),
        ("losses/logistic.py", set()),
        ("optim/normalized_gd.py", {"train"}),
        ("optim/gradient.py", {"train"}),
        ("optim/gd.py", set()),
        ("starts.py", {"train"}),
        ("measures/plateau.py", {"measure"}),
        ("theory/plateaus.py", {"measure"}),
        ("measures/limit.py", set()),
        ("plots/max_margin/fig5.py", DRAWING),
        ("plots/planar.py", DRAWING),
        ("plots/style.py", DRAWING),
        ("plots/max_margin/fig4.py", set()),
        ("claims/statistics.py", {"judge"}),
        ("claims/finding.py", {"ledger", "manifest", "gallery"}),
        ("claims/ledger.py", {"ledger"}),
        ("claims/manifest.py", {"manifest"}),
        ("gallery/pages.py", {"gallery"}),
        ("run.py", {"measure", "judge"} | DRAWING),
        ("problems/problem.py", COMPUTING),
        ("types.py", COMPUTING),
        ("block_types.py", {"data", "judge"}),
        ("store.py", ALL),
        ("pipeline/stage.py", ALL),
        ("pipeline/digests.py", ALL),
        ("pipeline/kept.py", ALL),
        ("__init__.py", ALL),
        ("optim/__init__.py", {"train"}),
        ("theory/__init__.py", {"measure"}),
        ("plots/__init__.py", DRAWING),
        ("losses/__init__.py", {"measure", "train"}),
        ("plots/max_margin/__init__.py", DRAWING),
        ("pipeline/config.py", set()),
        ("pipeline/blocks.py", set()),
        ("pipeline/checks.py", set()),
        ("pipeline/claim_checks.py", set()),
        ("pipeline/layers.py", set()),
        ("pipeline/links.py", set()),
        ("pipeline/schema.py", set()),
        ("pipeline/validation.py", set()),
        ("pipeline/yaml_file.py", set()),
        ("pipeline/specs.py", set()),
        ("pipeline/jobs.py", set()),
        ("pipeline/plan.py", set()),
        ("pipeline/signatures.py", set()),
        ("pipeline/outside.py", set()),
        ("pipeline/lock.py", set()),
    ],
)
def test_a_code_edit_changes_the_stages_that_run_it(library, file, stages):
    assert library.changed_by(file, add_code) == stages


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from torch", "# a comment\nfrom torch"),
        ("\n\n\ndef", "\n\n\n\n\ndef"),
        ("\n", "\r\n"),
        ("    length = over", "    # why\n\n    length = over"),
        ("epsilon == 0.0", "(epsilon == 0.00)"),
        ("Normalized gradient descent", "Gradient descent"),
        ("the guard of published code", "a guard"),
        ("    length = over", '    "why"\n    length = over'),
    ],
    ids=["comment", "blank-lines", "line-ends", "comment-inside", "layout", "module-docstring", "docstring", "text"],
)
def test_what_does_not_run_does_not_count(library, old, new):
    assert library.changed_by("optim/normalized_gd.py", lambda text: text.replace(old, new)) == set()


def test_a_docstring_may_go(library):
    assert library.changed_by("optim/normalized_gd.py", lambda text: text.split('"""', 2)[2]) == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("epsilon == 0.0", "epsilon == 0.1"),
        ("epsilon == 0.0", "epsilon == 0"),
        ("parameter - length", "parameter + length"),
        ("epsilon: NonNegative = 0.0", "epsilon: NonNegative = 0.5"),
        ("epsilon: NonNegative", "epsilon: Positive"),
        ("        size = norm(direction) + epsilon\n", ""),
        ("    length = over", "        length = over"),
    ],
)
def test_the_smallest_change_of_code_counts(library, old, new):
    assert library.changed_by("optim/normalized_gd.py", lambda text: text.replace(old, new)) == {"train"}


@pytest.mark.parametrize(
    "line",
    [
        "import attention_dynamics.theory.plateaus",
        "from attention_dynamics.theory import plateaus",
        "from attention_dynamics.theory.plateaus import PLATEAUS as P",
        "def lazy():\n    from attention_dynamics.theory import plateaus",
        "if False:\n    import attention_dynamics.theory.plateaus as p",
    ],
)
def test_an_import_of_any_form_counts(library, line):
    with library.edited("optim/gradient.py", lambda text: f"{text}\n{line}\n"):
        for file in ("theory/plateaus.py", "theory/__init__.py"):
            assert library.changed_by(file, add_code) == {"train", "measure"}


def test_a_cycle_of_imports_ends(library):
    with library.edited("optim/gradient.py", lambda text: f"{text}\nimport attention_dynamics.attention.descent\n"):
        assert library.changed_by("training.py", add_code) == {"train"}


def test_a_relative_import_is_refused(library):
    with pytest.raises(SyntaxError, match="relative import of types: write imports in full"):
        library.changed_by("training.py", lambda text: f"from .types import Count\n{text}")


def test_fingerprints_are_the_same_with_kept_digests(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    library.forget()
    before = library.fingerprints
    fingerprint.keep_fingerprints()
    with mock.patch.object(digests, "_taken", side_effect=AssertionError("parsed again")):
        library.read()
    assert library.fingerprints == before
    assert library.changed_by("optim/normalized_gd.py", add_code) == {"train"}


def test_what_cannot_be_read_or_is_no_python_hinders_nobody_who_does_not_need_it(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lock, broken = library.package / ".#run.py", library.package / "broken.py"
    lock.symlink_to("nobody@nowhere")
    broken.write_text("(")
    try:
        fingerprint.keep_fingerprints()
        assert library.changed_by("optim/normalized_gd.py", add_code) == {"train"}
    finally:
        lock.unlink()
        broken.unlink()


def fingerprinted(spec: dict) -> set[Path]:
    """The files that a fingerprint is made of."""
    files, read = set(), fingerprint.digest_and_imports
    fingerprint.fingerprint.cache_clear()
    with mock.patch.object(fingerprint, "digest_and_imports", lambda file: files.add(file) or read(file)):
        fingerprint.stage_fingerprint(spec)
    return files


@pytest.mark.parametrize(
    ("stage", "part", "named"),
    [
        ("data", "problems", lambda spec: [f"problems/{spec['kind']}"]),
        ("svm", "problems", lambda spec: [f"margins/{reference['kind']}" for reference in spec["references"].values()]),
        ("train", "runs", lambda spec: [f"trainers/{spec['kind']}"]),
        ("train", "runs", lambda spec: [f"models/{spec['model']['kind']}"] if "model" in spec else []),
        ("train", "runs", lambda spec: [f"losses/{spec['loss']}"] if "loss" in spec else []),
        ("train", "runs", lambda spec: [f"optim/{spec[key]['kind']}" for key in OPTIMIZERS if spec.get(key)]),
        ("selected_svm", "runs", lambda spec: [f"margins/{one['kind']}" for one in spec["references"].values()]),
        ("measure", "runs", lambda spec: [f"measures/{name}" for name in spec["measures"]]),
        ("draw", "figures", lambda spec: [f"plots/{spec['paper']}/{spec['plot']}"]),
    ],
    ids=["data", "svm", "trainer", "model", "loss", "optimizers", "selected_svm", "measure", "draw"],
)
def test_every_plugin_that_a_specification_names_is_fingerprinted(library, stage, part, named):
    for id in getattr(SPECS.config, part)():
        spec = SPECS.get(stage, id)
        assert {library.package / f"{name}.py" for name in named(spec)} <= fingerprinted(spec)


LOADED = """
import importlib, sys
exec(sys.argv[1])
for module in sys.argv[2:]:
    importlib.import_module(module)
for module in list(sys.modules.values()):
    print(getattr(module, "__file__", None))
"""


@pytest.mark.parametrize(
    "stage",
    ["data", "svm", "train", "measure", "draw", "judge"],
)
def test_every_file_that_a_stage_loads_is_fingerprinted(library, stage):
    spec, script = SPECS.get(stage, STAGES[stage]), fingerprint.SCRIPTS / f"{stage}.py"
    imports = [node for node in ast.parse(script.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
    printed = subprocess.run(
        [sys.executable, "-c", LOADED, "\n".join(map(ast.unparse, imports)), *spec.get("modules", [])],
        env={"PYTHONPATH": str(library.package.parent)}, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    loaded = {Path(line) for line in printed.splitlines() if line.startswith(str(library.package))}
    assert len(loaded) > 5
    assert loaded <= fingerprinted(spec)
