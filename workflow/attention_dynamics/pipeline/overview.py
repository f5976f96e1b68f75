"""The README's table of figures, from the configuration: ``python -m attention_dynamics.pipeline.overview``."""

from pathlib import Path
from typing import TYPE_CHECKING

from attention_dynamics.pipeline.external_plugins import use_plugins
from attention_dynamics.plots.plot import plot_module
from attention_dynamics.registry import PACKAGE

if TYPE_CHECKING:
    from attention_dynamics.config.load import Config

HEAD = (
    "| figure | shows | experiment | drawing | fidelity | claims |",
    "|---|---|---|---|---|---|",
)


def table(config: "Config") -> str:
    """Return one row per figure: what it shows, its files, its fidelity and how many claims there are about it."""
    return "\n".join(
        [*HEAD, *(_row(config, paper, name) for paper, it in config.papers.items() for name in it.figures)]
    )


def _row(config: "Config", paper: str, name: str) -> str:
    content = config.papers[paper]
    figure, file = content.figures[name], content.file_of("figures", name)
    experiment = f"[`{file}.yaml`]({_path(config.folder / paper / f'{file}.yaml')})"
    drawing = f"[`{figure.plot.kind.partition('.')[2]}`]({_path(Path(str(plot_module(figure.plot.kind).__file__)))})"
    claims = len(content.claims[name])
    return f"| `{paper}/{name}` | {figure.shows} | {experiment} | {drawing} | {figure.fidelity} | {claims} |"


def _path(file: Path) -> str:
    """Return the path of a file in this repository, or its own where it is in none."""
    root = PACKAGE.parents[1]
    return (file.relative_to(root) if file.is_relative_to(root) else file).as_posix()


if __name__ == "__main__":
    use_plugins(Path("config"))
    from attention_dynamics.config.load import load_config

    print(table(load_config(Path("config"), {})))
