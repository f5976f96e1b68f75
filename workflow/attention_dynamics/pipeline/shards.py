"""Splitting a batch of random problems over jobs, and keeping apart what was read from different sources.

A shard of a problem is the problem with fewer trials, from a later one on. Trials depend on nothing but their number,
so all shards together give what the whole gives. Only problems whose arguments include ``trials`` and ``first`` can be
split. A problem that is read from a data set has the source in its id, "<problem>/from-embedded".
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

SPLIT = {"trials", "first"}
SOURCE = "from-"


def reads_data(block: Any) -> bool:
    """Whether a problem is read from a data set."""
    return "dataset" in type(block).model_fields


def shard_ids(problem: str, block: Any, settings: Any) -> list[str]:
    """The id of a problem, or of each of its shards, "<problem>/2-of-3"; never more shards than trials.

    settings: ``shards``, and ``data``, the source of data sets.
    """
    if reads_data(block):
        return [f"{problem}/{SOURCE}{settings.data}"]
    count = min(settings.shards, block.trials) if type(block).model_fields.keys() >= SPLIT else 1
    return [problem] if count == 1 else [f"{problem}/{k}-of-{count}" for k in range(1, count + 1)]


def pattern(ids: Iterable[str]) -> str:
    """A regular expression for these ids and nothing else, but any number of a shard. None may be a folder of another.

    One alternative for all shards of a problem, and every folder once: planning compiles it for every file of a rule,
    and matches thousands of names with it.
    """
    tree: dict[str, dict] = {}
    for id in ids:
        inner = tree
        for part in id.split("/"):
            inner = inner.setdefault(re.sub(r"^\d+(\\-of\\-\d+)$", r"[1-9]\\d*\1", re.escape(part)), {})
    # Snakemake takes no pattern for any.
    return _alternatives(tree) or "(?!)"


def _alternatives(tree: Mapping[str, Mapping]) -> str:
    return "|".join(f"{part}/(?:{_alternatives(inner)})" if inner else part for part, inner in tree.items())


def without_shard(id: str) -> tuple[str, str | None]:
    """An id, of a shard or not, of a problem or a run, as the id without shard and source, and the shard's "2-of-3"."""
    # A paper may be called as it likes.
    paper, *parts = id.split("/")
    shard = next((part for part in parts if "-of-" in part), None)
    return "/".join([paper, *(part for part in parts if part != shard and not part.startswith(SOURCE))]), shard


def shard_arguments(arguments: Mapping[str, Any], shard: str | None) -> dict[str, Any]:
    """A problem's arguments for one shard: consecutive trials, as evenly split as can be.

    Raises ValueError for a shard that there is not.
    """
    if shard is None:
        return dict(arguments)
    number, count = map(int, shard.split("-of-"))
    if not 1 <= number <= count:
        raise ValueError(f"there is no shard {shard}")
    before, after = (arguments["trials"] * k // count for k in (number - 1, number))
    return {**arguments, "first": arguments["first"] + before, "trials": after - before}
