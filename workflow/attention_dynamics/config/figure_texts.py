"""Numbers of the experiment in the texts of figures.

In a title, in ``shows`` or in a note, ``{random_small.steps}`` stands for the value of a setting of a run or problem,
and ``{vit.seeds:count}`` for the length of a list. The texts therefore stay true when the experiment is changed.
"""

import re
from collections.abc import Mapping
from typing import Any

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.config.schema import Figure

TEXTS = ("title", "shows", "note")
# Braces in math do not match, because they contain no name with a dot.
PLACE = re.compile(r"\{([a-z][a-z0-9_]*)((?:\.[A-Za-z_][A-Za-z0-9_]*)+)(:count)?\}")


def with_numbers(figure: Figure, runs: Mapping[str, Any], problems: Mapping[str, Any]) -> Figure:
    """Return a copy of the figure whose texts have values in place of placeholders such as ``{random_small.steps}``.

    runs, problems: blocks of the paper by name. Raises ValueError for an unknown name or setting.
    """
    texts = {name: PLACE.sub(lambda found: _value(found, runs, problems), getattr(figure, name)) for name in TEXTS}
    return figure.model_copy(update=texts)


def _value(found: re.Match[str], runs: Mapping[str, Any], problems: Mapping[str, Any]) -> str:
    name, path, count = found.groups()
    # If a run and a problem have the same name, the keys of the run replace equal keys of the problem.
    blocks = [part[name].model_dump(mode="json") for part in (problems, runs) if name in part]
    if not blocks:
        raise ValueError(f"{found[0]}: {format_wrong_choice(name, sorted({*runs, *problems}))}")
    here: Any = {key: value for block in blocks for key, value in block.items()}
    for key in path[1:].split("."):
        if not isinstance(here, Mapping) or key not in here:
            raise ValueError(f"{found[0]}: {format_wrong_choice(key, here if isinstance(here, Mapping) else ())}")
        here = here[key]
    values = here if isinstance(here, list) else [here]
    return str(len(values)) if count else _list([_number(value) for value in values])


def _number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)


def _list(texts: list[str]) -> str:
    """Return "1", "1 and 2" or "1, 2 and 3"."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))
