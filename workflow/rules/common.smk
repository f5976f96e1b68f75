"""The checked configuration, the jobs' specifications, the layout of results/."""

import re
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.25.0")

WORKFLOW = Path(workflow.current_basedir).parent

sys.path.insert(0, str(WORKFLOW))

from attention_dynamics.pipeline.checkout import use_this_library
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.pipeline.lock import clear_stale_locks

use_this_library()

if workflow.is_main_process:
    clear_stale_locks(Path.cwd())

# A plug-in with arguments that cannot be checked is found while the schema is imported.
try:
    from attention_dynamics.pipeline.config import load_config
    from attention_dynamics.pipeline.specs import Specs

    CONFIG = load_config(WORKFLOW.parent / "config", config)
except (ConfigError, SyntaxError) as error:
    sys.exit(str(error))

SPECS = Specs(CONFIG)
PROBLEMS, RUNS, FIGURES = (CONFIG.ids(part) for part in ("problems", "runs", "figures"))
FORMATS = ("pdf", "png", "svg")


def one_of(ids):
    """A wildcard constraint that admits these ids and nothing else."""
    return "|".join(map(re.escape, ids))


wildcard_constraints:
    problem=one_of(PROBLEMS),
    run=one_of(RUNS),
    figure=one_of(FIGURES),


pathvars:
    results=f"results/{CONFIG.settings.scale}",
    logs=f"logs/{CONFIG.settings.scale}",
    benchmarks=f"logs/{CONFIG.settings.scale}",


def spec(stage):
    """The specification of a job, as a function of its wildcards."""
    return lambda wildcards: SPECS.get(stage, *wildcards)


def code(stage):
    """The fingerprint of a job's code, as a function of its wildcards."""
    return lambda wildcards: stage_fingerprint(stage, SPECS.get(stage, *wildcards))


def of_run(run, *stages):
    """The intermediates of a run, by stage."""
    problem = run.rsplit("/", 1)[0]
    files = {
        "data": f"<results>/{problem}/data.npz",
        "svm": f"<results>/{problem}/svm.npz",
        "train": f"<results>/{run}/train.npz",
        "measures": f"<results>/{run}/measures.npz",
    }
    return {stage: files[stage] for stage in stages}


def trained_run(wildcards):
    """What training a run reads."""
    return of_run(wildcards.run, "data")


def measured_run(wildcards):
    """What measuring a run reads."""
    paper, _, name = wildcards.run.split("/")
    counterpart = CONFIG.papers[paper].runs[name].counterpart
    files = of_run(wildcards.run, "data", "svm", "train")
    if counterpart:
        files["counterpart"] = of_run(CONFIG.run_id(paper, counterpart), "train")["train"]
    return files


def runs_of_figure(wildcards):
    """What drawing or judging a figure reads: a list per stage, one entry per run."""
    paper, name = wildcards.figure.split("/")
    runs = [CONFIG.run_id(paper, run) for run in CONFIG.papers[paper].figures[name].runs]
    stages = ("data", "svm", "train", "measures")
    return {stage: [of_run(run, stage)[stage] for run in runs] for stage in stages}
