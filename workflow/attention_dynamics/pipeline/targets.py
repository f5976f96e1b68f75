"""Checks of targets on the command line for unknown papers and figures, and the scale of the existing figures."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

from snakemake.cli import get_argument_parser

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import COMPARISON

FIGURE = re.compile(
    r"(?:figures|results/\w+/claims)/(?:variants/(?P<variant>\w+)/)?(?P<paper>\w+)/(?P<figure>\w+)"
    r"(?:\.(?P<ending>(?:caption\.)?\w+))?"
)
ENDINGS = ("pdf", "png", "svg", "csv", "caption.md", "md", "html")


def parse_targets(arguments: Sequence[str]) -> list[str]:
    """Return the targets that Snakemake's own parser finds among its arguments; [] if the parser refuses the arguments.

    The Snakefile checks the targets, but Snakemake provides them only after it has read the Snakefile.
    """
    # Targets after "--" are split off here, because argparse, unlike Snakemake, takes no second list of targets.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    with redirect_stderr(StringIO()):
        try:
            return [*get_argument_parser().parse_args(arguments[:end]).targets, *arguments[end + 1 :]]
        except SystemExit:
            return []


def check_targets(targets: Iterable[str], figures: Callable[[str | None], Mapping[str, Iterable[str]]]) -> None:
    """Raise ConfigError for a target with an unknown paper or figure, or with a misspelt path.

    Snakemake itself would only say that no rule makes the target. figures: function that returns the names of the
    figures of each paper. It takes the name of a variant (figures/variants/<name>/), or None for the published figures.
    """
    for target in targets:
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
            # The name of a comparison without an ending is a target for all files of the comparison.
            whole = figure == "all" or (paper == COMPARISON and not match["ending"])
            if target.startswith("figures/") and not whole and match["ending"] not in ENDINGS:
                where = target.rpartition("/")[0]
                raise ConfigError(f"{target}: write {where}/{figure}.pdf (or {', '.join(ENDINGS[1:])})")
        else:
            _suggest(target, figures(None))


def _suggest(target: str, figures: Mapping[str, Iterable[str]]) -> None:
    """Raise ConfigError, with the right path, for a target that has the name of a paper or figure, but a wrong path.

    Also raise it for an empty target and for ``figures``. figures: paper -> the names of its figures.
    """
    name = target.strip("/").rpartition("/")[2]
    stem = name.partition(".")[0]
    if not target:
        raise ConfigError("a target is empty: write figures/all, or the path of a figure")
    if target.strip("/") == "figures":
        raise ConfigError(f"{target}: write figures/all")
    if name in figures:
        raise ConfigError(f"{target}: write figures/{name}/all")
    below_prefix = re.search(rf"/{FIGURE.pattern}$", target)
    if below_prefix or target.startswith(("results/", "figures/variants/")):
        return
    for paper, names in figures.items():
        if stem in names and paper != COMPARISON:
            raise ConfigError(f"{target}: write figures/{paper}/{stem}.pdf")


def scale_of_figures(manifest: Path) -> str | None:
    """Return the scale of the figures that a manifest lists, or None if it is missing, empty or damaged."""
    try:
        with manifest.open(newline="", encoding="utf-8") as file:
            return next((row["scale"] for row in csv.DictReader(file)), None)
    except (OSError, ValueError, KeyError, csv.Error):
        return None
