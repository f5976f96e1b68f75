"""Train a run."""

from pathlib import Path

from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems import stored
from attention_dynamics.store import load_arrays, save_arrays

with stage(snakemake) as job:
    spec = job.params.spec
    problem = stored.from_arrays(load_arrays(job.input.data))
    train, checkpoints = plugins.TRAINER.call(spec["kind"]), Path(job.output[0]).with_name("checkpoint")
    given = {name: load_arrays(file) for name, file in job.input.items() if name != "data"}
    if plugins.TRAINER.constant(spec["kind"], "RESUMES", default=False):
        given |= {"checkpoints": checkpoints, "code": job.params.code}
    save_arrays(job.output[0], train(problem, spec, **given))
    for file in checkpoints.parent.glob(f"{checkpoints.name}-*.npz"):
        file.unlink(missing_ok=True)
