"""The checked configuration, the jobs' specifications, the layout of results/."""

import os
import sys
from functools import partial
from pathlib import Path

from snakemake.utils import min_version

min_version("9.25.0")

WORKFLOW = Path(workflow.current_basedir).parent

sys.path.insert(0, str(WORKFLOW))

from attention_dynamics.pipeline import garbage

# For the whole process, also where another workflow uses this one as a module.
garbage.look_seldom()

from attention_dynamics.pipeline.checkout import commit, use_this_library
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.lock import clear_stale_locks
from attention_dynamics.pipeline.outside import FOLDER, files_in
from attention_dynamics.pipeline.plan import plan
from attention_dynamics.pipeline.shards import pattern
from attention_dynamics.pipeline.source import files

use_this_library()

if workflow.is_main_process:
    clear_stale_locks(Path.cwd())

# The folder of the configuration, and what overrides it.
OVERRIDES = dict(config)
CONFIG_FOLDER = Path(str(OVERRIDES.pop("config_folder", WORKFLOW.parent / "config")))

try:
    PLAN = plan(CONFIG_FOLDER, OVERRIDES, keep=workflow.is_main_process)
except (ConfigError, SyntaxError) as error:
    sys.exit(str(error))

FIGURES, TABLES = PLAN.ids("draw"), PLAN.ids("tabulate")
FORMATS, TABLE_FORMATS = ("pdf", "png", "svg"), ("csv", "md")


wildcard_constraints:
    problem=pattern(PLAN.ids("data")),
    run=pattern(PLAN.ids("train")),
    figure=pattern(FIGURES),
    table=pattern(TABLES),


pathvars:
    results=f"results/{PLAN.scale}",
    logs=f"logs/{PLAN.scale}",
    benchmarks=f"logs/{PLAN.scale}",


def of_job(what, stage):
    """What the plan says of a job, as a function of its wildcards; where it says none, Snakemake ends."""

    def look_up(wildcards):
        try:
            return PLAN.job(stage, *wildcards)[what]
        except ConfigError as error:
            sys.exit(str(error))

    return look_up


# The specification of a job, the fingerprint of its code, and the intermediates that it reads.
spec, code, reads = (partial(of_job, what) for what in ("spec", "code", "reads"))


def own_files(files):
    """Files of this repository or of the configuration: where they are, whatever prefix this workflow's results have."""
    return [local(os.path.relpath(file)) for file in sorted(files)]


def config_files():
    """The configuration and its plug-ins."""
    return own_files([*files(CONFIG_FOLDER, "*.yaml"), *files_in(CONFIG_FOLDER / FOLDER)])


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
    drawn = spec("draw")(wildcards)
    return {"figure": drawn["figure"], "fidelity": drawn["fidelity"]}


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
