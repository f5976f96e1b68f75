"""Fetch or check a published data set, and describe it in one line."""

from pathlib import Path

from attention_dynamics import store
from attention_dynamics.deep.datasets.__main__ import describe_dataset
from attention_dynamics.pipeline.stage import stage

with stage(snakemake) as job:
    description = describe_dataset(job.params.spec["name"], **job.params.spec["location"])
    store.write(Path(job.output[0]), f"{description}\n".encode())
