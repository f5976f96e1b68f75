"""Ids of problems and runs, which are their paths below ``results/<scale>/``.

"<paper>/<problem>/<run>" is a run. A problem that is read from a data set has the source in its id,
"<problem>/from-embedded", so that what was read from different sources is kept apart. A batch of random problems may be
split over jobs, "<problem>/2-of-3": trials depend on nothing but their number, so all shards together give what the
whole gives.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from attention_dynamics.config.schema import Settings
from attention_dynamics.problems.source import ProblemSource

SOURCE = "from-"


def shard_ids(problem: str, source: ProblemSource, settings: Settings) -> list[str]:
    """Return the id of a problem, or of each of its shards; never more shards than trials."""
    if source.reads_dataset:
        return [f"{problem}/{SOURCE}{settings.data}"]
    count = min(settings.shards, source.most_shards)
    return [problem] if count == 1 else [f"{problem}/{k}-of-{count}" for k in range(1, count + 1)]


def without_shard(id: str) -> tuple[str, str | None]:
    """Return the id of a problem or run without shard and source, and the shard's "2-of-3"."""
    # A paper may be called as it likes.
    paper, *parts = id.split("/")
    shard = next((part for part in parts if "-of-" in part), None)
    return "/".join([paper, *(part for part in parts if part != shard and not part.startswith(SOURCE))]), shard


def shard_of(source: ProblemSource, shard: str | None) -> ProblemSource:
    """Return the source of one shard, "2-of-3", or of the whole. Raises ValueError for a shard that there is not."""
    return source.shard(*map(int, shard.split("-of-"))) if shard else source


def pattern(ids: Iterable[str]) -> str:
    """Return a regular expression for these ids, and any number of a shard. None may be a folder of another.

    One alternative for all shards of a problem, and every folder once: planning compiles it for every file of a rule,
    and matches thousands of names with it.
    """
    tree: dict[str, dict[str, Any]] = {}
    for id in ids:
        inner = tree
        for part in id.split("/"):
            inner = inner.setdefault(re.sub(r"^\d+(\\-of\\-\d+)$", r"[1-9]\\d*\1", re.escape(part)), {})
    # Snakemake takes no pattern for any.
    return _alternatives(tree) or "(?!)"


def _alternatives(tree: Mapping[str, Mapping[str, Any]]) -> str:
    return "|".join(f"{part}/(?:{_alternatives(inner)})" if inner else part for part, inner in tree.items())
