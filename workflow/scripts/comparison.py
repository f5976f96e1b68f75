"""Tabulate and draw a comparison of optimizers."""

from attention_dynamics.comparison.report import join, report, to_frame, with_cpu
from attention_dynamics.comparison.table import to_markdown
from attention_dynamics.csv_table import csv_table
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.comparison import draw, label
from attention_dynamics.plots.labels import markdown_caption
from attention_dynamics.plots.renderings import save
from attention_dynamics.plots.style import paper_style
from attention_dynamics.store import load_arrays, load_json, write

with stage(snakemake) as job:
    spec, output, rows, timed = job.params.spec, job.output, [], []
    for problem, tuning in spec["tuning_rows"].items():
        for optimizer in spec["optimizers"]:
            key = f"{problem}.{optimizer}"
            cell = join([load_arrays(file) for file in job.input[key]])
            found = report(cell, tuning, problem=problem, optimizer=optimizer)
            rows += found
            timed += with_cpu(found, [load_json(file) for file in job.input[f"{key}.cpu"]])
    texts = label(rows, spec)
    write(output.csv, csv_table(to_frame(rows)).encode())
    write(output.cpu, csv_table(to_frame(timed)).encode())
    write(output.md, to_markdown(rows, texts).encode())
    with paper_style():
        save(draw(rows, spec), [output.pdf, output.png, output.svg], texts)
    write(output.caption, markdown_caption(texts).encode())
