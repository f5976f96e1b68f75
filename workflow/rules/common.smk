"""The checked configuration, the jobs' specifications, the layout of results/."""

import os
import sys
from functools import cache
from pathlib import Path

from snakemake.utils import min_version

min_version("9.25.0")

WORKFLOW = Path(workflow.current_basedir).parent

sys.path.insert(0, str(WORKFLOW))

from attention_dynamics.pipeline import garbage

# For the whole process, also where another workflow uses this one as a module.
garbage.look_seldom()

from attention_dynamics.pipeline.checkout import use_this_library
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.fingerprint import keep_fingerprints, stage_fingerprint
from attention_dynamics.pipeline.lock import clear_stale_locks
from attention_dynamics.pipeline.outside import use_plugins

use_this_library()

if workflow.is_main_process:
    clear_stale_locks(Path.cwd())

# The folder of the configuration, and what overrides it.
OVERRIDES = dict(config)
CONFIG_FOLDER = Path(str(OVERRIDES.pop("config_folder", WORKFLOW.parent / "config")))

# A plug-in with arguments that cannot be checked is found while the schema is imported, which is made of all plug-ins.
try:
    use_plugins(CONFIG_FOLDER)

    from attention_dynamics.pipeline import yaml_file
    from attention_dynamics.pipeline.config import load_config
    from attention_dynamics.pipeline.shards import pattern
    from attention_dynamics.pipeline.specs import Specs

    CONFIG = load_config(CONFIG_FOLDER, OVERRIDES)
except (ConfigError, SyntaxError) as error:
    sys.exit(str(error))

if workflow.is_main_process:
    keep_fingerprints()
    yaml_file.KEPT.save()

SPECS = Specs(CONFIG)
PROBLEMS, RUNS, FIGURES = CONFIG.problems(), CONFIG.runs(), CONFIG.figures()
TABLES = CONFIG.tables()
FORMATS, TABLE_FORMATS = ("pdf", "png", "svg"), ("csv", "md")


wildcard_constraints:
    problem=pattern(PROBLEMS),
    run=pattern(RUNS),
    figure=pattern(FIGURES),
    table=pattern(TABLES),


pathvars:
    results=f"results/{CONFIG.settings.scale}",
    logs=f"logs/{CONFIG.settings.scale}",
    benchmarks=f"logs/{CONFIG.settings.scale}",


@cache
def specification(stage, *wildcards):
    """The specification of a job; without one, Snakemake ends before any job starts."""
    try:
        return SPECS.get(stage, *wildcards)
    except ConfigError as error:
        sys.exit(str(error))


def spec(stage):
    """The specification of a job, as a function of its wildcards."""
    return lambda wildcards: specification(stage, *wildcards)


def code(stage):
    """The fingerprint of a job's code, as a function of its wildcards."""
    return lambda wildcards: stage_fingerprint(specification(stage, *wildcards))


def own_files(files):
    """Files of this repository or of the configuration: where they are, whatever prefix this workflow's results have."""
    return [local(os.path.relpath(file)) for file in sorted(files)]


def config_files():
    """The configuration and its plug-ins."""
    return own_files([*CONFIG_FOLDER.glob("*.yaml"), *(CONFIG_FOLDER / "plugins").rglob("*.py")])


def files_of(figures):
    """Everything that is made of figures, for tables also what programs and people can read."""
    tables = [figure for figure in figures if figure in TABLES]
    drawn = collect("figures/{figure}.{format}", figure=figures, format=FORMATS)
    return drawn + collect("figures/{table}.{format}", table=tables, format=TABLE_FORMATS)


def paper_of(wildcards):
    """Under which heading the report shows a figure: short, because its list takes the room from the picture."""
    return wildcards.figure.split("/")[0]


def labels_of(wildcards):
    """What the report's list says of a figure; its title is on the picture and in the caption."""
    drawn = SPECS.draw(wildcards.figure)
    return {"figure": drawn["figure"], "fidelity": drawn["fidelity"]}


def of_run(run):
    """The intermediates of a run (or of a shard of one) by stage."""
    problem, name = run.rsplit("/", 1)
    files = {
        "data": f"<results>/{problem}/data.npz",
        "train": f"<results>/{run}/train.npz",
        "measures": f"<results>/{run}/measures.npz",
    }
    block = CONFIG.papers[run.split("/")[0]].runs[name]
    if SPECS.has_svm(problem):
        files["svm"] = f"<results>/{problem}/svm.npz"
    if block.references:
        files["selected_svm"] = f"<results>/{run}/svm.npz"
    for lender in block.borrowed.values():
        files[f"borrowed-{lender.run}"] = f"<results>/{problem}/{lender.run}/svm.npz"
    return files


def trained_run(wildcards):
    """What training a run reads."""
    problem, name = wildcards.run.rsplit("/", 1)
    files = {"data": of_run(wildcards.run)["data"]}
    block = CONFIG.papers[problem.split("/")[0]].runs[name]
    pretrained = getattr(block, "pretrained", None)
    if pretrained:
        files["pretrained"] = of_run(f"{problem}/{pretrained}")["train"]
    return files


def measured_run(wildcards):
    """What measuring a run reads."""
    problem, name = wildcards.run.rsplit("/", 1)
    counterpart = CONFIG.papers[problem.split("/")[0]].runs[name].counterpart
    files = of_run(wildcards.run)
    del files["measures"]
    if counterpart:
        files["counterpart"] = of_run(f"{problem}/{counterpart}")["train"]
    return files


def runs_of_figure(wildcards):
    """What drawing, tabulating or judging a figure reads: "<run>.<stage>", a file per shard."""
    paper, name = wildcards[0].split("/")
    files = {}
    for run in CONFIG.papers[paper].figures[name].runs:
        for shard in CONFIG.runs(paper, run):
            for stage, file in of_run(shard).items():
                files.setdefault(f"{run}.{stage}", []).append(file)
    return files


onstart:
    # Where the rate of jobs is limited, Snakemake 9.27 wakes up every second for each of the jobs that it ever started,
    # which took a core when there were hundreds. Jobs on this machine are limited by its cores alone.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onerror:
    # The system says nothing to a process that it kills because memory is full.
    if any("died with <Signals.SIGKILL" in Path(file).read_text() for file in log):
        print(
            "A job here was killed from outside (SIGKILL), most likely because this machine is out of memory. "
            "Run the same command with fewer jobs at once (--cores 1), or split them (--config shards=8).",
            file=sys.stderr,
        )
