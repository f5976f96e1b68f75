"""The README's table of figures, from the configuration: ``python -m attention_dynamics.pipeline.overview``."""

from pathlib import Path

from attention_dynamics.pipeline.config import Config, load_config

HEAD = (
    "| figure | shows | configuration | plot | fidelity | claims |",
    "|---|---|---|---|---|---|",
)


def table(config: Config) -> str:
    """One row per figure: what it shows, its block, its plot module, its fidelity and how many claims are judged."""
    rows = [
        f"| `{paper}/{name}` | {figure.shows} | [`figures.{name}`](config/{paper}.yaml) "
        f"| [`{figure.plot.kind}`](workflow/attention_dynamics/plots/{paper}/{figure.plot.kind}.py) "
        f"| {figure.fidelity} | {sum(not claim.expected.reported for claim in figure.claims.values())} |"
        for paper, file in config.papers.items()
        for name, figure in file.figures.items()
    ]
    return "\n".join([*HEAD, *rows])


if __name__ == "__main__":
    print(table(load_config(Path("config"), {})))
