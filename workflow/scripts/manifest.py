"""List every figure file with its hash and the verdicts on its claims."""

from attention_dynamics.claims.manifest import build_manifest
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import load_json, write


def load_digests(stored):
    """Return a dict: path of a drawn file -> its SHA-256. stored: JSON files that have parts of this dict."""
    return {file: digest for one in stored for file, digest in load_json(one).items()}


with stage(snakemake) as job:
    files, pages = load_digests(job.input.digests), load_digests(job.input.get("page_digests", []))
    claims = [row for file in job.input.claims for row in load_json(file)]
    write(job.output[0], build_manifest(job.params.spec["figures"], files, claims, pages).encode())
