"""SHA-256 digests and seeds of the experiment of a figure, which consists of its runs, problems and references.

If the digest differs from the one in published.json, the label of an exact figure says that the experiment was changed
or shortened. Expected numbers may then be at steps that its runs do not record, which is no error.
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

# Scales with digests in published.json. At other scales, experiments are compared with the digests of laptop scale.
SCALES = LAPTOP, SMOKE = "laptop", "smoke"


@cache
def published_digests() -> dict[str, dict[str, str]]:
    """Return the digests in published.json, ``{scale: {"<paper>/<figure>": SHA-256}}`` for the scales in SCALES.

    Without the file, the result is empty. Raises ConfigError for a file that is not JSON.
    """
    try:
        digests: dict[str, dict[str, str]] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    except ValueError:
        raise ConfigError(f"{FILE}: is not JSON; `{COMMAND}` writes it") from None
    return digests


def experiment_digest(paper: Paper, figure: str) -> str:
    """Return the SHA-256 of the runs, problems and references of a figure. It ignores measures, plots and texts."""
    return hashlib.sha256(json.dumps(_experiment(paper, figure), sort_keys=True).encode()).hexdigest()


def experiment_seeds(paper: Paper, figure: str) -> dict[str, list[int]]:
    """Return name of a key, such as "first_seed" -> sorted seeds under this key in the experiment of a figure."""
    found: dict[str, set[int]] = {}
    for name, seed in _seeds(_experiment(paper, figure)):
        found.setdefault(name, set()).add(seed)
    return {name: sorted(found[name]) for name in sorted(found)}


def _seeds(block: Any, key: str = "") -> Iterator[tuple[str, int]]:
    """Yield (key, integer) for all integers, at any depth, under a key that contains "seed", such as ``first_seed``."""
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
