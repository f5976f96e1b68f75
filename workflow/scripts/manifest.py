"""List every figure file with its hash and the verdicts on its claims."""

from attention_dynamics.claims.manifest import build_manifest
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import write

with stage(snakemake) as job:
    files, pages = job.input.figures, job.input.get("explore", [])
    write(job.output[0], build_manifest(job.params.spec["figures"], files, job.input.claims, pages).encode())
