"""Targets on the command line that there are not: Snakemake only says that no rule makes them."""

import re
from collections.abc import Iterable, Mapping

from attention_dynamics.choices import not_one_of
from attention_dynamics.config.errors import ConfigError

FIGURE = re.compile(r"(?:figures|results/\w+/claims)/(\w+)/(\w+)(?:\.\w+)?")


def check_targets(targets: Iterable[str], figures: Mapping[str, Iterable[str]]) -> None:
    """Raise ConfigError for a target "figures/<paper>/<figure>.pdf" of a paper or figure that there is not.

    figures: paper -> the names of its figures.
    """
    for target in targets:
        if match := FIGURE.fullmatch(target):
            paper, figure = match.groups()
            if paper not in figures:
                raise ConfigError(f"{target}: paper {not_one_of(paper, figures)}")
            if figure not in ("all", *figures[paper]):
                raise ConfigError(f"{target}: figure {not_one_of(figure, figures[paper])}")
