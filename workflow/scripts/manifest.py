"""List every figure file with its hash and the verdicts on its claims."""

from attention_dynamics.claims.manifest import build_manifest
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import load_json, write

with stage(snakemake) as job:
    files, pages = (
        {file: digest for stored in job.input.get(name, []) for file, digest in load_json(stored).items()}
        for name in ("digests", "page_digests")
    )
    claims = [row for file in job.input.claims for row in load_json(file)]
    write(job.output[0], build_manifest(job.params.spec["figures"], files, claims, pages).encode())
