"""The checked configuration, the jobs' specifications, the layout of results/."""

import atexit
import gc
import os
import sys
from functools import partial
from pathlib import Path

from snakemake.utils import min_version

# Imports and planning make many objects that all stay: without these two lines looking for garbage among them takes two
# of five seconds of a start.
gc.set_threshold(100_000)
atexit.register(gc.freeze)

min_version("9.25.0")

WORKFLOW = Path(workflow.current_basedir).parent

sys.path.insert(0, str(WORKFLOW))

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import load_config
from attention_dynamics.pipeline.checkout import commit, use_this_library
from attention_dynamics.pipeline.external_plugins import FOLDER, files_in, use_plugins
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.pipeline.lock import clear_stale_locks
from attention_dynamics.pipeline.shards import pattern
from attention_dynamics.pipeline.targets import check_targets

use_this_library()

if workflow.is_main_process:
    clear_stale_locks(Path.cwd())

# The folder of the configuration, and what overrides it.
OVERRIDES = dict(config)
CONFIG_FOLDER = Path(str(OVERRIDES.pop("config_folder", WORKFLOW.parent / "config")))

try:
    use_plugins(CONFIG_FOLDER)
    JOBS = Jobs(load_config(CONFIG_FOLDER, OVERRIDES))
    if workflow.is_main_process:
        check_targets(sys.argv[1:], {name: paper.figures for name, paper in JOBS.config.papers.items()})
except ConfigError as error:
    sys.exit(str(error))

PAPERS, SCALE = list(JOBS.config.papers), JOBS.settings.scale
FIGURES, TABLES = JOBS.config.figures(), JOBS.config.tables()
FORMATS, TABLE_FORMATS = ("pdf", "png", "svg"), ("csv", "md")


wildcard_constraints:
    problem=pattern(JOBS.problems),
    run=pattern(JOBS.runs),
    figure=pattern(FIGURES),
    table=pattern(TABLES),


pathvars:
    results=f"results/{SCALE}",
    logs=f"logs/{SCALE}",
    benchmarks=f"logs/{SCALE}",


def job_param(name, stage):
    """A field of a job, as a function of its wildcards. Snakemake ends where the configuration has no such job."""

    def look_up(wildcards):
        try:
            return getattr(JOBS.get(stage, *wildcards), name)
        except ConfigError as error:
            sys.exit(str(error))

    return look_up


# The specification of a job, the fingerprint of its code, and the intermediates that it reads.
spec, code, reads = (partial(job_param, name) for name in ("spec", "code", "reads"))


def own_files(files):
    """Files of this repository or of the configuration: where they are, whatever prefix this workflow's results have."""
    return [local(os.path.relpath(file)) for file in sorted(files)]


def config_files():
    """The configuration and its plug-ins."""
    return own_files([*CONFIG_FOLDER.rglob("[!.]*.yaml"), *files_in(CONFIG_FOLDER / FOLDER)])


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
