"""Checks of targets on the command line: unknown ones, and figures of another scale that they would replace."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import COMPARISON

FIGURE = re.compile(
    r"(?:figures|results/\w+/claims)/(?:variants/(?P<variant>\w+)/)?(?P<paper>\w+)/(?P<figure>\w+)(?:\.(?P<ending>\w+))?"
)
ENDINGS = ("pdf", "png", "svg", "csv", "md", "html")
# Options that no value follows, and short ones that one follows. The value of an option is no target.
FLAGS, SHORT_OPTIONS = ("--dry-run", "--dryrun", "--force", "--forceall"), ("-d", "-s", "-R", "-U", "-O")


def check_targets(targets: Iterable[str], figures: Callable[[str | None], Mapping[str, Iterable[str]]]) -> None:
    """Raise ConfigError for a target of a paper or figure that does not exist, or is misspelt.

    Snakemake itself only says that no rule makes it.
    targets: the arguments of Snakemake.
    figures: called with the name of a variant, or None, it returns paper -> the names of its figures.
    """
    targets = list(targets)
    for before, target in zip(["", *targets], targets, strict=False):
        if "//" in target and target.startswith(("figures/", "results/")):
            raise ConfigError(f"{target}: write {re.sub('/+', '/', target)}")
        if match := FIGURE.fullmatch(target):
            variant, paper, figure = match["variant"], match["paper"], match["figure"]
            papers = figures(variant)
            if paper not in papers:
                raise ConfigError(f"{target}: paper {format_wrong_choice(paper, papers)}")
            # "all" is a target for a paper, but not for a variant.
            if figure not in papers[paper] and (figure != "all" or variant):
                raise ConfigError(f"{target}: figure {format_wrong_choice(figure, papers[paper])}")
            # A comparison without ending is a target with all of its files.
            whole = figure == "all" or (paper == COMPARISON and not match["ending"])
            if target.startswith("figures/") and not whole and match["ending"] not in ENDINGS:
                where = target.rpartition("/")[0]
                raise ConfigError(f"{target}: write {where}/{figure}.pdf (or {', '.join(ENDINGS[1:])})")
        elif not (before.startswith("--") and before not in FLAGS) and before not in SHORT_OPTIONS:
            _suggest(target, figures(None))


def _suggest(target: str, figures: Mapping[str, Iterable[str]]) -> None:
    """Raise ConfigError for what names a paper or figure, but is no path of one. figures: paper -> its figures."""
    name = target.strip("/").rpartition("/")[2]
    stem = name.partition(".")[0]
    if not target:
        raise ConfigError("a target is empty: write figures/all, or the path of a figure")
    if target.strip("/") == "figures":
        raise ConfigError(f"{target}: write figures/all")
    if name in figures:
        raise ConfigError(f"{target}: write figures/{name}/all")
    below_prefix = re.search(rf"/{FIGURE.pattern}$", target)
    if below_prefix or "=" in target or target.startswith(("results/", "figures/variants/", "config/")):
        return
    for paper, names in figures.items():
        if stem in names and paper != COMPARISON:
            raise ConfigError(f"{target}: write figures/{paper}/{stem}.pdf")


def scale_of_figures(manifest: Path) -> str | None:
    """Return the scale of the figures that a manifest lists; None if there is none, or it is damaged."""
    try:
        with manifest.open(newline="", encoding="utf-8") as file:
            return next((row["scale"] for row in csv.DictReader(file)), None)
    except (OSError, ValueError, KeyError, csv.Error):
        return None
