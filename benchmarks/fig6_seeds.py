"""Entropy of attention and drop in recall of Scan and snap's Figs 6, 11 and 12, for seeds that the authors did not use.

    PYTHONPATH=workflow python benchmarks/fig6_seeds.py
trains on seeds 11 to 110 with the settings of config/scan_and_snap/fig6.yaml, about 500 seconds of CPU time, and
writes workflow/attention_dynamics/papers/scan_and_snap/fig6_seeds.csv, which the claims read. It goes on with what a
file lacks that it has begun.
"""

import csv
import subprocess
from pathlib import Path

import numpy as np
import torch

from attention_dynamics.config.load import load_config
from attention_dynamics.measures.composition import Composition
from attention_dynamics.measures.recall import Recall
from attention_dynamics.run import Run

ROOT = Path(__file__).parents[1]
FILE = ROOT / "workflow/attention_dynamics/papers/scan_and_snap/fig6_seeds.csv"
SEEDS = range(11, 111)
RUNS = ("medium_1", "medium_3", "medium_5", "medium_10")
THRESHOLDS = (0.9, 1.3)


def main() -> None:
    """Compute the rows that the file lacks, and append them to it."""
    paper = load_config(ROOT / "config", {}).papers["scan_and_snap"]
    pairs = list(zip(paper.runs["medium_1"].training.eta_Y, paper.runs["medium_1"].training.eta_Z, strict=True))
    names = [f"{series} {y / z:g} {z:g}" for series in ("entropy", "drop") for y, z in pairs]
    if not FILE.exists():
        FILE.write_text(_provenance() + ",".join(["last", "seed", *names]) + "\n")
    rows = list(csv.reader(line for line in FILE.read_text().splitlines() if line[0] != "#"))[1:]
    done = {(int(row[0]), int(row[1])) for row in rows}
    for seed in SEEDS:
        for name in RUNS:
            source, training = paper.problems[name].source, paper.runs[name].training
            if (source.num_last, seed) in done:
                continue
            problem = source.model_copy(update={"seeds": (seed,)}).build()
            run = Run(training=training, problem=problem, trajectory=training.train(problem))
            entropies = Composition().measure(run)["distinct_entropy"][-1, 0]
            drops = Recall(thresholds=THRESHOLDS).measure(run)["recall_drop"][-1, 0]
            numbers = [f"{number:.6f}" for number in np.concatenate([entropies, drops])]
            with FILE.open("a") as file:
                file.write(",".join([str(source.num_last), str(seed), *numbers]) + "\n")


def _provenance() -> str:
    commit = subprocess.check_output(["git", "rev-parse", "--short=7", "HEAD"], cwd=ROOT, text=True).strip()  # noqa: S607
    return (
        f"# source: python benchmarks/fig6_seeds.py, commit {commit}, NumPy {np.__version__}, "
        f"torch {torch.__version__}\n"
        "# After 100 steps, by numbers of last tokens and seeds: entropy of attention on distinct tokens, in nats, "
        "and\n# recall at the threshold 0.9/M minus that at 1.3/M. Columns end with eta_Y/eta_Z and eta_Z.\n"
    )


if __name__ == "__main__":
    main()
