"""What a stage's results depend on in the code: its script, and all of the library that it imports, directly or not.

A plug-in from an installed package counts with all that it imports of that package; other packages do not count.

The fingerprint is a parameter of the stage's rule, so that Snakemake reruns the stage when it changes. Comments,
docstrings and layout do not count.
"""

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from attention_dynamics.pipeline import source
from attention_dynamics.pipeline.digests import KEPT, digest_and_imports

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def stage_fingerprint(spec: Mapping[str, Any]) -> str:
    """Fingerprint of all code that a stage runs for its specification (``specs.Specs``).

    The stage's name is in there, because in another workflow its rule may have another.
    """
    return fingerprint(SCRIPTS / f"{spec['stage']}.py", tuple(spec.get("modules", [])))


def keep_fingerprints() -> None:
    """Make all fingerprints quick to take in later starts and in jobs; for those who plan, not for jobs."""
    for file in code_files():
        # What cannot be read, such as an editor's lock, or is no Python may not belong to any job; where it does, that
        # is said when the job is planned.
        with suppress(OSError, SyntaxError, ValueError):
            digest_and_imports(file)
    KEPT.save()


def code_files() -> list[Path]:
    """All files of the library, and the scripts."""
    return sorted(file for folder in (SCRIPTS, source.PACKAGE) for file in folder.rglob("*.py"))


@cache
def fingerprint(script: Path, modules: tuple[str, ...]) -> str:
    """SHA-256 over the closure of a script and of the modules that the configuration names for it."""
    digest = hashlib.sha256()
    for name, file in sorted(closure(script, modules).items()):
        code, _ = digest_and_imports(file)
        digest.update(f"{name} {code}\n".encode())
    return digest.hexdigest()


def closure(script: Path | None, modules: Iterable[str]) -> dict[str, Path]:
    """Name -> file of a script, of modules, and of all that these import of this package and of the modules' own.

    Raises SyntaxError for a file that is none, or imports what it does not name in full.
    """
    packages = frozenset([source.NAME, *(module.split(".")[0] for module in modules)])
    found, todo = {}, [*_files(modules, packages)]
    if script:
        todo.append((f"script {script.name}", script))
    while todo:
        name, file = todo.pop()
        if name not in found:
            found[name] = file
            todo.extend(_imports(file, packages))
    return found


@cache
def _imports(file: Path, packages: frozenset[str]) -> tuple[tuple[str, Path], ...]:
    _, imported = digest_and_imports(file)
    return _files(imported, packages)


def _files(modules: Iterable[str], packages: frozenset[str]) -> tuple[tuple[str, Path], ...]:
    """Modules of some packages with the files that importing them runs: importing a.b.c runs a and a.b too."""
    names = {".".join(m.split(".")[:k]) for m in modules for k in range(1, m.count(".") + 2)}
    named = ((name, source.module_file(name)) for name in names if name.split(".")[0] in packages)
    return tuple((name, file) for name, file in named if file is not None)
