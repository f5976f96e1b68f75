"""The README's table of figures, from the configuration: ``python -m attention_dynamics.pipeline.overview``."""

from pathlib import Path
from typing import TYPE_CHECKING

from attention_dynamics.config.signatures import plot_file
from attention_dynamics.pipeline.external_plugins import use_plugins
from attention_dynamics.registry import PACKAGE

if TYPE_CHECKING:
    from attention_dynamics.config.load import Config

HEAD = (
    "| figure | shows | configuration | plot | fidelity | claims |",
    "|---|---|---|---|---|---|",
)


def table(config: "Config") -> str:
    """One row per figure: what it shows, its block, its plot module, its fidelity and how many claims are judged."""
    rows = [
        f"| `{paper}/{name}` | {figure.shows} | [`figures.{name}`](config/{paper}.yaml) "
        f"| [`{figure.plot.kind}`]({_path(plot_file(paper, figure.plot.kind))}) "
        f"| {figure.fidelity} | {sum(not claim.expected.reported for claim in figure.claims.values())} |"
        for paper, file in config.papers.items()
        for name, figure in file.figures.items()
    ]
    return "\n".join([*HEAD, *rows])


def _path(file: Path) -> str:
    """Return the path of a file in this repository, or its own where it is in none."""
    root = PACKAGE.parents[1]
    return (file.relative_to(root) if file.is_relative_to(root) else file).as_posix()


if __name__ == "__main__":
    use_plugins(Path("config"))
    from attention_dynamics.config.load import load_config

    print(table(load_config(Path("config"), {})))
