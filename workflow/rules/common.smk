"""Code that all rules use: the checked configuration, the specifications of jobs, the layout of results/."""

import atexit
import gc
import os
import re
import shlex
import sys
import time
from functools import partial
from pathlib import Path

from snakemake.logging import logger
from snakemake.utils import min_version

# Imports and planning create many objects that are never freed. Without these two lines, the garbage collector takes
# two of the five seconds in which Snakemake starts.
gc.set_threshold(100_000)
atexit.register(gc.freeze)

# By default, glibc returns freed memory to the kernel, which clears memory before it gives it to a process again. In
# the training of a network on texts, this happens in every step and takes up to a third of the time. With these
# settings, jobs keep freed memory, in large pages.
ALLOCATION = {"hugetlb": 1, "mmap_threshold": 2**25, "trim_threshold": 2**30}
os.environ.setdefault("GLIBC_TUNABLES", ":".join(f"glibc.malloc.{name}={value}" for name, value in ALLOCATION.items()))

min_version("9.25.0")

# True if Snakemake has fetched this workflow from git for another workflow, without its library and configuration.
FETCHED = not isinstance(workflow.current_basedir, os.PathLike)

if FETCHED:
    LIBRARY = Path(workflow.source_path("../attention_dynamics/__init__.py"))
    VERSION = re.search(r'^__version__ = "(.*)"', LIBRARY.read_text(), re.MULTILINE)[1]
    try:
        import attention_dynamics
    except ModuleNotFoundError:
        sys.exit(f"attention-dynamics is not installed. This workflow needs version {VERSION} of it.")
    if attention_dynamics.__version__ != VERSION:
        sys.exit(
            f"version {attention_dynamics.__version__} of attention-dynamics is installed, but this workflow is version "
            f"{VERSION}. Install that one, or write the tag of the other one in the module statement."
        )
    WORKFLOW = Path(attention_dynamics.__file__).parents[1]
else:
    WORKFLOW = Path(workflow.current_basedir).parent
    sys.path.insert(0, str(WORKFLOW))

TEMPLATES = WORKFLOW / "attention_dynamics" / "gallery" / "templates"

from attention_dynamics.claims.claim_summary import format_summary
from attention_dynamics.config.drawable import check_texts
from attention_dynamics.config.errors import exit_in_one_line
from attention_dynamics.config.load import PLUGIN_FOLDER, load_config
from attention_dynamics.config.recorded_figures import RECORDS
from attention_dynamics.config.yaml_file import load_yaml
from attention_dynamics.pipeline.checkout import commit_date, describe_commit, use_this_library, write_run_record
from attention_dynamics.pipeline.external_plugins import check_imports, files_in, use_plugins
from attention_dynamics.pipeline.run_times import JobLines, ShortFormatter, set_terminal
from attention_dynamics.pipeline.shards import pattern
from attention_dynamics.pipeline.startup import (
    check_config_folder,
    check_gpu,
    check_mirror,
    check_path,
    check_times,
    clear_stale_locks,
)
from attention_dynamics.pipeline.targets import check_targets, parse_targets, scale_of_figures
from attention_dynamics.pipeline.variants import AllJobs
from attention_dynamics.registry import find_files

if not FETCHED:
    use_this_library()
STARTED = time.monotonic()

# The folder of the configuration, and the settings of --config and --configfile, which override its files.
OVERRIDES = dict(config)
OWN_CONFIG = Path("config") if FETCHED else WORKFLOW.parent / "config"
CONFIG_FOLDER = Path(str(OVERRIDES.pop("config_folder", OWN_CONFIG)))

if FETCHED and not CONFIG_FOLDER.is_dir():
    sys.exit(f"{CONFIG_FOLDER}: there is no such folder; copy config/ of the tag, or set config_folder")

OUTPUT = workflow.output_settings
JOB_LINES = JobLines(OUTPUT.quiet, OUTPUT.show_failed_logs)
OWN_WORKFLOW = Path(workflow.main_snakefile).resolve() in {
    (folder / "Snakefile").resolve() for folder in (WORKFLOW.parent, WORKFLOW)
}
# With --verbose or --printshellcmds, users get Snakemake's own output.
if OWN_WORKFLOW and workflow.is_main_process and not (OUTPUT.verbose or OUTPUT.printshellcmds):
    set_terminal(ShortFormatter(OUTPUT.quiet, OUTPUT.show_failed_logs) if OUTPUT.dryrun else JOB_LINES)

with exit_in_one_line():
    if workflow.is_main_process:
        clear_stale_locks(Path.cwd())
        check_times(Path("results"))
        check_path(WORKFLOW.parent)
        if OWN_WORKFLOW:
            check_config_folder(CONFIG_FOLDER, Path.cwd(), WORKFLOW.parent)
            # Snakemake has read these files as YAML 1.1, without errors for duplicate keys. ``load_yaml`` raises them.
            for file in workflow.configfiles:
                load_yaml(Path(file))
    use_plugins(CONFIG_FOLDER)
    if workflow.is_main_process:
        check_imports()
    JOBS = AllJobs(load_config(CONFIG_FOLDER, OVERRIDES))
    if workflow.is_main_process:
        check_texts(JOBS.config.papers, Path(".snakemake/drawable_texts"))
        if JOBS.settings.data_mirror is not None:
            check_mirror(JOBS.settings.data_mirror)
        check_targets(parse_targets(sys.argv[1:]), JOBS.figures)

# Snakemake puts the path of Python into the commands of its jobs without quotes, which a path with a space needs.
sys.executable = shlex.quote(sys.executable)

PAPERS, SCALE = list(JOBS.config.papers), JOBS.settings.scale
FIGURES, TABLES = JOBS.config.figures(), JOBS.config.tables()
FORMATS, TABLE_FORMATS = ("pdf", "png", "svg", "caption.md", "csv"), ("md",)
# Figures of stand-in data that have a record on real data, and the pictures in these records.
RECORDED = list(JOBS.shown_records)
RECORDED_PICTURES = [local(os.path.relpath(record.picture)) for record in JOBS.shown_records.values()]
# The interactive page, if this configuration has examples for it.
EXPLORE = ["figures/explore.html"] if JOBS.get("explore").spec["presets"] else []

# Patterns of names in a variant. The file of a variant is read only if one of its figures is a target, so the names
# themselves are not known here.
VARIANT_PAPER = r"variants/\w+/[^/]+"
VARIANT_FIGURE = rf"{VARIANT_PAPER}/\w+"
VARIANT_PROBLEM = rf"{VARIANT_PAPER}/\w+(?:/[1-9]\d*-of-\d+|/from-\w+)?"
# Pattern of names in the comparison of optimizers. Its file, too, is read only if the comparison is a target.
COMPARED_PROBLEM = r"compare/\w+(?:/[1-9]\d*-of-\d+)?"


wildcard_constraints:
    dataset=pattern(JOBS.datasets),
    problem=f"{pattern(JOBS.problems)}|{VARIANT_PROBLEM}|{COMPARED_PROBLEM}",
    cell=rf"{COMPARED_PROBLEM}/\w+",
    comparison=pattern(f"compare/{name}" for name in JOBS.comparisons()),
    run=f"{pattern(JOBS.runs)}|{VARIANT_PROBLEM}/\\w+",
    figure=f"{pattern(FIGURES)}|{VARIANT_FIGURE}",
    table=f"{pattern(TABLES)}|{VARIANT_PAPER}/table_\\w+",
    changed=VARIANT_FIGURE,
    sweep=r"variants/\w+/sweep",


pathvars:
    results=f"results/{SCALE}",
    logs=f"logs/{SCALE}",
    benchmarks=f"logs/{SCALE}",


def job_param(name, stage, *key):
    """Return a function of wildcards that returns a field of a job. Snakemake exits if there is no such job.

    name: name of the field. key: of the job; by default, the values of the wildcards.
    """

    def look_up(wildcards):
        with exit_in_one_line():
            return getattr(JOBS.get(stage, *(key or wildcards)), name)

    return look_up


# ``job_param`` for the specification of a job, the fingerprint of its code, and the intermediates that it reads.
spec, code, reads = (partial(job_param, name) for name in ("spec", "code", "reads"))


def gpus(wildcards):
    """Return the number of GPUs that a training needs: 1 for a network with ``device=cuda``."""
    return int(spec("train")(wildcards)["context"].get("device") == "cuda")


def own_files(files):
    """Return files of the repository or the configuration, marked so that Snakemake adds no prefix to their paths."""
    return [local(os.path.relpath(file)) for file in sorted(files)]


def config_files():
    """Return the files of the configuration and its plug-ins."""
    return own_files([*find_files(CONFIG_FOLDER, "*.yaml", "*/*.yaml"), *files_in(CONFIG_FOLDER / PLUGIN_FOLDER)])


def workflow_files(_):
    """Return the Snakefile and all that it uses, apart from the configuration. Exit if this workflow was fetched."""
    if FETCHED:
        sys.exit("figures/bundle.zip: it has the files of the workflow, which is not here; make it in a clone")
    suffixes = (".py", ".smk", ".typ", ".rst", ".csv", ".html", ".css", ".js")
    own = [file for file in find_files(WORKFLOW, "**/*") if file.suffix in suffixes or file.name == "Snakefile"]
    return own_files([WORKFLOW.parent / "Snakefile", *own])


def figure_files(figures):
    """Return all files of figures, for tables also the Markdown file."""
    tables = [figure for figure in figures if figure in TABLES]
    drawn = collect("figures/{figure}.{format}", figure=figures, format=FORMATS)
    return drawn + collect("figures/{table}.{format}", table=tables, format=TABLE_FORMATS)


def report_category(wildcards):
    """Return the category of a figure in the report: its paper or "variants". Long names would shrink the picture."""
    return wildcards.figure.split("/")[0]


def published(path):
    """Return a function of wildcards that returns a path of the published version of a figure that a variant changes.

    path: with {} for the id of the figure.
    """
    return lambda wildcards: path.format(wildcards.changed.split("/", 2)[2])


def bundled_commit(_):
    """Return the commit of the code. A function, so that git is asked only if the bundle is a target."""
    return describe_commit()


def bundled_date(_):
    """Return the date of the commit of the code."""
    return commit_date()


def report_labels(wildcards):
    """Return the labels of a figure in the report, without its title, which the picture and the caption have."""
    drawn = spec("draw")(wildcards)
    return {"figure": drawn["figure"], "fidelity": drawn["fidelity"]}


def is_complete(target):
    """Return True if Snakemake has run a target rule. With options such as ``--until``, the rule may not run."""
    return not workflow.touch and any(job.rule.name == target for job in workflow.dag.finished_jobs)


onstart:
    # Without this exit, Snakemake 9.27 would wait forever.
    if workflow.local_exec and workflow.resource_settings.cores == 0:
        sys.exit("--cores 0: needs at least one core")
    if workflow.touch:
        logger.warning(
            "--touch computes nothing: what other settings or other code made will look up to date. To compute it after all, "
            "add --forcerun train"
        )
    # Snakemake does not know before ``onstart`` where jobs run.
    if JOBS.settings.device == "cuda" and workflow.local_exec and not workflow.touch:
        with exit_in_one_line():
            check_gpu()
    if (before := scale_of_figures(Path("figures/manifest.csv"))) not in (None, SCALE):
        logger.warning(f"figures/ has figures of scale {before}; figures of scale {SCALE} will replace them")
    if OWN_WORKFLOW:
        # On a cluster the time left cannot be estimated, because the time that jobs wait is unknown.
        limits = workflow.resource_settings
        JOB_LINES.cores = min(limits.nodes or limits.cores, limits.cores) if workflow.local_exec else None
        logger.info(JOB_LINES.start([job.benchmark for job in workflow.dag.needrun_jobs()], Path("logs")))
    # With a limited rate of jobs, Snakemake 9.27 wakes up every second for every job that it has started, which takes a
    # whole core for hundreds of jobs. On one machine this limit is not needed, because the number of cores limits jobs.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onerror:
    # When memory is full, the kernel kills a process, which cannot write a message itself.
    if any("died with <Signals.SIGKILL" in Path(file).read_text() for file in log):
        logger.error(
            "A job on this machine was killed (SIGKILL), most likely because memory was full. "
            "Run the same command with fewer jobs at once (--cores 1), or split them (--config shards=8)."
        )
