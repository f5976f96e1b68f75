"""Measure a trained run."""

from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.run import load_run
from attention_dynamics.store import save_arrays

with stage(snakemake) as job:
    spec = job.params.spec
    run = load_run(dict(job.input.items()), spec["settings"])
    series = {}
    for name, arguments in spec["measures"].items():
        series |= plugins.MEASURE.call(name)(run, **arguments)
    save_arrays(job.output[0], series)
