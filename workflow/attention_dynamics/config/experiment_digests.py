"""Digests of the published experiments, and of those with expected numbers.

A figure whose experiment has another digest is not ``exact``, and may end before some of its expected numbers.

``python -m attention_dynamics.config.experiment_digests`` renews published.json here after a deliberate change.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from attention_dynamics.claims.expected import EXPECTED_NUMBERS
from attention_dynamics.config.errors import ConfigError, exit_in_one_line
from attention_dynamics.config.paper import Paper
from attention_dynamics.registry import PACKAGE

FILE = PACKAGE / "config" / "published.json"
COMMAND = "python -m attention_dynamics.config.experiment_digests"


# Scales with experiments of their own; at the others, exact figures have those of the first.
SCALES = LAPTOP, SMOKE = "laptop", "smoke"


@cache
def published_digests() -> dict[str, dict[str, str]]:
    """Return scale, one of SCALES -> <paper>/<figure> -> the digests of ``current_digests``.

    Raises ConfigError for a damaged file.
    """
    try:
        digests: dict[str, dict[str, str]] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    except ValueError:
        raise ConfigError(f"{FILE}: is not JSON; `{COMMAND}` writes it") from None
    return digests


def current_digests(papers: Mapping[str, Paper]) -> dict[str, str]:
    """Return the digests of the figures that are exact, and of those with expected numbers, by <paper>/<figure>."""
    return {
        f"{name}/{figure}": experiment_digest(paper, figure)
        for name, paper in papers.items()
        for figure, block in paper.figures.items()
        if block.fidelity == "exact" or any(claim.name == EXPECTED_NUMBERS for claim in paper.claims[figure])
    }


def experiment_digest(paper: Paper, figure: str) -> str:
    """Return a SHA-256 of the trainings and problems of a figure, without measures, drawings and texts."""
    return hashlib.sha256(json.dumps(_experiment(paper, figure), sort_keys=True).encode()).hexdigest()


def experiment_seeds(paper: Paper, figure: str) -> dict[str, list[int]]:
    """Return the seeds of the trainings and problems of a figure, in increasing order, by the names of their keys."""
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


if __name__ == "__main__":
    from attention_dynamics.config.load import load_config

    with exit_in_one_line():
        configs = {scale: load_config(PACKAGE.parents[1] / "config", {"scale": scale}) for scale in SCALES}
    found = {scale: current_digests(config.papers) for scale, config in configs.items()}
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
