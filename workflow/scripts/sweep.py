"""Draw and tabulate a sweep."""

import numpy as np

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.csv_table import csv_table
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.labels import markdown_caption
from attention_dynamics.plots.renderings import save
from attention_dynamics.plots.style import paper_style
from attention_dynamics.plots.sweep import draw, label, tabulate
from attention_dynamics.store import load_arrays, write

with stage(snakemake) as job:
    spec, output, measured = job.params.spec, job.output, []
    for number in range(len(spec["values"])):
        shards = [load_arrays(file) for file in job.input[f"value-{number}"]]
        if spec["series"] not in shards[0]:
            raise ValueError(
                f"measure: run {spec['run']}: series {format_wrong_choice(spec['series'], sorted(shards[0]))}"
            )
        measured.append(np.concatenate([shard[spec["series"]] for shard in shards], axis=1))
    table = tabulate(spec["values"], measured, spec["key"], spec["series"])
    texts = label(spec)
    write(output.csv, csv_table(table).encode())
    with paper_style():
        save(draw(table, spec["key"], spec["series"]), [output.pdf, output.png, output.svg], texts)
    write(output.caption, markdown_caption(texts).encode())
