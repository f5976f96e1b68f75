"""Digests of the experiments of all figures that have the fidelity "exact" or expected numbers.

``python -m attention_dynamics.config.experiment_digests`` rewrites published.json, in the folder of this module. Run it
after a deliberate change of an experiment.
"""

import json
from collections.abc import Mapping

from attention_dynamics.claims.expected import EXPECTED_NUMBERS
from attention_dynamics.config.errors import exit_in_one_line
from attention_dynamics.config.experiment import FILE, SCALES, experiment_digest
from attention_dynamics.config.load import load_config
from attention_dynamics.config.paper import Paper
from attention_dynamics.registry import PACKAGE


def current_digests(papers: Mapping[str, Paper]) -> dict[str, str]:
    """Return "<paper>/<figure>" -> digest, for all figures that have the fidelity "exact" or expected numbers."""
    return {
        f"{name}/{figure}": experiment_digest(paper, figure)
        for name, paper in papers.items()
        for figure, block in paper.figures.items()
        if block.fidelity == "exact" or any(claim.name == EXPECTED_NUMBERS for claim in paper.claims[figure])
    }


if __name__ == "__main__":
    with exit_in_one_line():
        configs = {scale: load_config(PACKAGE.parents[1] / "config", {"scale": scale}) for scale in SCALES}
    found = {scale: current_digests(config.papers) for scale, config in configs.items()}
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
