"""Ids of problems and runs, which are their paths below ``results/<scale>/``.

"<paper>/<problem>/<run>" is a run. A problem that is read from a data set has the source in its id,
"<problem>/from-embedded", so that different sources have different files. A batch of random problems may be split over
jobs, "<problem>/2-of-3". Each problem of a batch depends on its number alone, so the shards together give the same
result as one job.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from attention_dynamics.config.schema import Settings
from attention_dynamics.problems.source import ProblemSource

SOURCE = "from-"


def shard_ids(problem: str, source: ProblemSource, settings: Settings) -> list[str]:
    """Return the ids under which a problem is computed: a single id, or one per shard (at most ``max_shards``)."""
    if source.reads_dataset:
        return [f"{problem}/{SOURCE}{settings.data}"]
    count = min(settings.shards, source.max_shards)
    return [problem] if count == 1 else [f"{problem}/{k}-of-{count}" for k in range(1, count + 1)]


def without_shard(id: str) -> tuple[str, str | None]:
    """Return the id of a problem or run without shard and source, and the shard, such as "2-of-3", or None."""
    # The paper is split off first, because its name may look like a shard.
    paper, *parts = id.split("/")
    shard = next((part for part in parts if "-of-" in part), None)
    return "/".join([paper, *(part for part in parts if part != shard and not part.startswith(SOURCE))]), shard


def shard_of(source: ProblemSource, shard: str | None) -> ProblemSource:
    """Return the source of a shard such as "2-of-3"; for None, the whole source. Raises ValueError for other shards."""
    return source.shard(*map(int, shard.split("-of-"))) if shard else source


def pattern(ids: Iterable[str]) -> str:
    """Return a regular expression for these ids and all shards of their problems. No id may be a folder of another.

    It has one alternative for all shards of a problem, and every folder once, because Snakemake compiles it for every
    file of a rule and matches thousands of names with it.
    """
    tree: dict[str, dict[str, Any]] = {}
    for id in ids:
        inner = tree
        for part in id.split("/"):
            inner = inner.setdefault(re.sub(r"^\d+(\\-of\\-\d+)$", r"[1-9]\\d*\1", re.escape(part)), {})
    # "(?!)" matches nothing; with an empty pattern Snakemake would match anything.
    return _alternatives(tree) or "(?!)"


def _alternatives(tree: Mapping[str, Mapping[str, Any]]) -> str:
    return "|".join(f"{part}/(?:{_alternatives(inner)})" if inner else part for part, inner in tree.items())
