"""Train a run."""

from pathlib import Path

import numpy as np

from attention_dynamics.pipeline.stage import stage
from attention_dynamics.problems import stored
from attention_dynamics.store import load_arrays, save_arrays
from attention_dynamics.training import JobContext, Training

with stage(snakemake) as job:
    training = Training.of(job.params.spec["training"])
    files = dict(job.input.items())
    problem = stored.from_arrays(load_arrays(files["data"]))
    pretrained = load_arrays(files["pretrained"]) if "pretrained" in files else {}
    checkpoint = Path(job.output[0]).with_name("checkpoint")
    context = JobContext(
        checkpoint=checkpoint, code=job.params.code, pretrained=pretrained, **job.params.spec["context"]
    )
    trajectory = training.train(problem, context)
    save_arrays(job.output[0], {**trajectory, "settings": np.array(training.model_dump_json())})
    for file in checkpoint.parent.glob(f"{checkpoint.name}-*.npz"):
        file.unlink(missing_ok=True)
