"""The experiment of a figure: its digest, the digest of the published one, and its seeds.

A figure whose experiment has another digest than published.json is not ``exact``, and may end before some of its
expected numbers.
"""

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.paper import Paper
from attention_dynamics.registry import PACKAGE

FILE = PACKAGE / "config" / "published.json"
COMMAND = "python -m attention_dynamics.config.experiment_digests"

# Scales whose experiments have a published digest. At other scales, exact figures have the experiments of the first.
SCALES = LAPTOP, SMOKE = "laptop", "smoke"


@cache
def published_digests() -> dict[str, dict[str, str]]:
    """Return scale, one of SCALES -> <paper>/<figure> -> the digest in published.json.

    Raises ConfigError for a damaged file.
    """
    try:
        digests: dict[str, dict[str, str]] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    except ValueError:
        raise ConfigError(f"{FILE}: is not JSON; `{COMMAND}` writes it") from None
    return digests


def experiment_digest(paper: Paper, figure: str) -> str:
    """Return a SHA-256 of the runs and problems of a figure, without measures, drawings and texts."""
    return hashlib.sha256(json.dumps(_experiment(paper, figure), sort_keys=True).encode()).hexdigest()


def experiment_seeds(paper: Paper, figure: str) -> dict[str, list[int]]:
    """Return the seeds of the runs and problems of a figure, in increasing order, by the names of their keys."""
    found: dict[str, set[int]] = {}
    for name, seed in _seeds(_experiment(paper, figure)):
        found.setdefault(name, set()).add(seed)
    return {name: sorted(found[name]) for name in sorted(found)}


def _seeds(block: Any, key: str = "") -> Iterator[tuple[str, int]]:
    """Yield the integers of all keys such as ``seed``, ``seeds`` and ``first_seed``, nested ones included."""
    if isinstance(block, dict):
        for name, value in block.items():
            yield from _seeds(value, name)
    elif isinstance(block, list):
        for one in block:
            yield from _seeds(one, key)
    elif "seed" in key and isinstance(block, int):
        yield key, block


def _experiment(paper: Paper, figure: str) -> dict[str, Any]:
    runs = {}
    for name in paper.runs_of(paper.figures[figure].runs):
        run = paper.runs[name]
        problem = paper.problems[run.problem]
        references = {key: one.model_dump(mode="json") for key, one in (problem.references | run.references).items()}
        runs[name] = [run.training.model_dump(mode="json"), problem.source.model_dump(mode="json"), references]
    return runs
