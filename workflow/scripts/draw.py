"""Draw a figure from stored intermediates, for print and for the web, and write its caption and its numbers."""

from pathlib import Path

from attention_dynamics.digests import hash_files
from attention_dynamics.gallery.pictures import thumbnail
from attention_dynamics.pipeline.stage import stage
from attention_dynamics.plots.labels import markdown_caption
from attention_dynamics.plots.numbers import drawn_numbers
from attention_dynamics.plots.plot import call, draw
from attention_dynamics.plots.renderings import save
from attention_dynamics.plots.style import paper_style
from attention_dynamics.run import load_runs
from attention_dynamics.store import save_json, write

with stage(snakemake) as job:
    spec, output = job.params.spec, job.output
    runs = load_runs(dict(job.input.items()), spec["runs"])
    with paper_style():
        figure = draw(spec["plot"], runs, spec["settings"])
        if spec["table"]:
            # Imported here, because it imports pandas, which figures do not need.
            from attention_dynamics.csv_table import csv_table

            numbers = csv_table(call(spec["plot"], "tabulate", runs, spec["settings"]))
        else:
            numbers = drawn_numbers(figure, spec)
        save(figure, [output.pdf, output.png, output.svg], spec)
    write(output.thumbnail, thumbnail(Path(output.png)))
    write(output.caption, markdown_caption(spec).encode())
    write(output.numbers, numbers.encode())
    save_json(output.digests, hash_files([output.pdf, output.png, output.svg, output.caption, output.numbers]))
