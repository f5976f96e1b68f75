"""Write the page that shows a figure of a variant beside the published figure."""

from pathlib import Path

from attention_dynamics.gallery.variant_page import render_variant
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.store import load_json, write

with stage(snakemake) as job:
    names = ("published", "variant")
    pictures = {name: Path(job.input[name]) for name in names}
    claims = {name: load_json(job.input[f"{name}_claims"]) for name in names}
    templates = Path(job.input.templates[0]).parent
    write(job.output[0], render_variant(templates, job.params.spec, pictures, claims).encode())
