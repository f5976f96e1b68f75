"""Measure a trained run."""

from attention_dynamics.measures.measure import Measure, measure_run
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.run import load_run, mask_diverged
from attention_dynamics.store import save_arrays

with stage(snakemake) as job:
    run = load_run(dict(job.input.items()), job.params.spec["run"])
    series = {}
    for measure in job.params.spec["measures"]:
        series |= measure_run(Measure.of(measure), run)
    save_arrays(job.output[0], mask_diverged(series, run.diverged))
