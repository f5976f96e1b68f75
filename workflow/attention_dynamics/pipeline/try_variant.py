"""Write a variant from assignments: ``python -m attention_dynamics.pipeline.try_variant <name> <paper>/<figure> ...``.

Three more arguments, which may be empty: assignments as in "problems.random_n4_t6.n=8 runs.random_small.steps=500", the
number of seeds of the figure's problems and runs, and "<run>.<series>", which makes the variant a sweep over the list
among the assigned values. Prints the file that ``make try`` then lets Snakemake make.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from attention_dynamics.choices import format_value, format_wrong_choice
from attention_dynamics.config.errors import ConfigError, exit_in_one_line
from attention_dynamics.config.layers import merge
from attention_dynamics.config.load import PARTS, VARIANTS, load_config
from attention_dynamics.config.paper import Paper
from attention_dynamics.config.yaml_file import MAX_DEPTH, parse_yaml
from attention_dynamics.pipeline.sweeps import MEASURE, nest, parse_sweep
from attention_dynamics.store import write
from attention_dynamics.types import MAX_NAME_LENGTH

CONFIG = Path("config")
# Largest number of seeds, and of values of a sweep: each is a training.
MAX_VARIED = 1000


def parse_assignments(text: str) -> dict[str, Any]:
    """Return assignments such as "problems.random_n4_t6.n=8 runs.random_small.steps=500" as nested blocks.

    Values are YAML without spaces. Raises ConfigError for anything but assignments to keys of problems, runs or
    figures.
    """
    blocks: dict[str, Any] = {}
    for assignment in text.split():
        path, equals, value = assignment.partition("=")
        keys = path.split(".")
        if not equals or not 3 <= len(keys) <= MAX_DEPTH or not all(keys):
            form = "<part>.<name>.<key>=<value>, as in runs.gd.steps=500"
            raise ConfigError(f"SET: {format_value(assignment)} is not of the form {form}")
        if keys[0] not in PARTS:
            raise ConfigError(f"SET: {assignment}: {format_wrong_choice(keys[0], PARTS)}")
        try:
            read = parse_yaml(value, f"SET: {format_value(assignment)}")
        except ConfigError as error:
            raise ConfigError(f"{error}; spaces separate assignments, so write a list without: n=[2,5]") from None
        blocks = merge(blocks, nest(keys, read))
    return blocks


def seed_blocks(paper: Paper, figure: str, count: int) -> dict[str, Any]:
    """Return blocks that give the problems and runs of a figure ``count`` seeds each, their present seeds first.

    Raises ConfigError if no problem or run of the figure has a list of seeds.
    """
    blocks: dict[str, Any] = {}
    for part, name, seeds in _seeds(paper, figure):
        blocks.setdefault(part, {})[name] = {"seeds": list(first_seeds(seeds, count))}
    if not blocks:
        raise ConfigError(f"SEEDS: no problem or run of {paper.name}/{figure} has a list of seeds; use SET instead")
    return blocks


def first_seeds(seeds: tuple[int, ...], count: int) -> Iterator[int]:
    """Yield ``count`` seeds: the first ones of ``seeds`` and, if there are too few, integers after the largest."""
    yield from seeds[:count]
    yield from range(max(seeds) + 1, max(seeds) + 1 + count - len(seeds))


def _seeds(paper: Paper, figure: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield ("problems" or "runs", name, seeds) for each problem and run of a figure that has a list of seeds."""
    for name in paper.figures[figure].runs:
        run = paper.runs[name]
        problem = paper.problems[run.problem]
        for part, block, component in (("problems", run.problem, problem.source), ("runs", name, run.training)):
            seeds = getattr(component, "seeds", ())
            # A run whose weights others load has exactly one seed.
            if seeds and not getattr(component, "provides_weights", False):
                yield part, block, seeds


def check_used(paper: Paper, figure: str, measured: Sequence[str], changed: Mapping[str, Any]) -> None:
    """Raise ConfigError for a changed block that neither the figure nor the measured runs use: it has no effect.

    changed: "problems", "runs" or "figures" -> changed blocks by name.
    """
    used = paper.used_by(figure, measured)
    for part, blocks in changed.items():
        for name in blocks:
            if name not in used[part]:
                known = ", ".join(used[part])
                raise ConfigError(f"SET: {paper.name}/{figure} does not use {part}.{name}; it uses {part} {known}")


def write_variant(folder: Path, name: str, target: str, settings: str, seeds: str, measure: str = "") -> Path:
    """Write the file of a variant, or of a sweep if there is a measure, and return its path.

    target: "<paper>/<figure>", whose problems and runs are changed. settings, seeds, measure: see the docstring of the
    module. Raises ConfigError, and writes nothing, if a name or value is wrong.
    """
    config = load_config(folder, {})
    paper, _, figure = target.partition("/")
    if paper not in config.papers:
        raise ConfigError(f"FIGURE: paper {format_wrong_choice(paper, config.papers)}")
    if figure not in config.papers[paper].figures:
        raise ConfigError(f"FIGURE: {paper}: {format_wrong_choice(figure, config.papers[paper].figures)}")
    if not name.isidentifier() or len(name) > MAX_NAME_LENGTH:
        what = f"use at most {MAX_NAME_LENGTH} letters, digits and underscores, and begin with no digit"
        raise ConfigError(f"NAME: {format_value(name)}: {what}")
    if seeds and not (seeds.isdecimal() and len(seeds) < 10 and 0 < int(seeds) <= MAX_VARIED):
        raise ConfigError(f"SEEDS: {format_value(seeds)} is not an integer from 1 to {MAX_VARIED}")
    changed: Mapping[str, Any] = seed_blocks(config.papers[paper], figure, int(seeds)) if seeds else {}
    changed = merge(changed, parse_assignments(settings))
    if not changed:
        raise ConfigError('no change given; use SET="runs.<run>.steps=500" or SEEDS=5')
    file = folder / VARIANTS / f"{name}.yaml"
    content = {paper: changed, **({MEASURE: measure} if measure else {})}
    sweep = parse_sweep(content, "SET")
    if sweep and len(sweep.blocks) > MAX_VARIED:
        raise ConfigError(f"SET: a sweep has at most {MAX_VARIED} values, got {len(sweep.blocks)}")
    for blocks in sweep.blocks if sweep else [content]:
        loaded = load_config(folder, blocks, str(file)).papers[paper]
        check_used(loaded, figure, [sweep.run] if sweep and sweep.run in loaded.runs else [], changed)
    write(file, yaml.safe_dump(content, sort_keys=False).encode())
    return file


if __name__ == "__main__":
    with exit_in_one_line():
        name, target, *rest = sys.argv[1:]
        write_variant(CONFIG, name, target, *rest)
        print(f"figures/{VARIANTS}/{name}/" + ("sweep.pdf" if rest[2] else f"{target}.html"))
