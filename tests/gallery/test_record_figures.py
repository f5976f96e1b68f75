"""Records of figures on real data: small files, which replace only those of the same figure."""

import csv
import io
import json

import numpy as np
import pytest
from PIL import Image

from attention_dynamics.config.load import load_config
from attention_dynamics.config.recorded_figures import load_records
from attention_dynamics.gallery.record_figures import MAX_NUMBERS_BYTES, MAX_PICTURE_BYTES, plan_records, record, thin
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.store import save_json, write
from conftest import ROOT
from helpers.refusals import refusal

pytestmark = pytest.mark.slow

WEIGHTS, TABLE = "mirror_descent/fig_imdb_weights", "mirror_descent/table_imdb"
WHITE = np.full((30, 40, 3), 255, dtype=np.uint8)
SET = "imdb (mirror): 4 + 2 texts in 2 classes, " + 64 * "0" + ", complete"
CLAIM = {"scale": "smoke", "fidelity": "declared", "setting": "", "claim": "grows", "verdict": "holds", "measured": "1"}


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """The jobs of a folder in which the files of two figures are made."""
    monkeypatch.chdir(tmp_path)
    found = Jobs(load_config(ROOT / "config", {"scale": "smoke", "data": "mirror", "data_mirror": str(tmp_path)}))
    for figure in (WEIGHTS, TABLE):
        make_figure(figure)
    dataset = tmp_path / "results/smoke/datasets/from-mirror/imdb.txt"
    dataset.parent.mkdir(parents=True)
    dataset.write_text(f"{SET}\n")
    return found


def make_figure(figure, verdict="holds", points=10, pixels=WHITE):
    """Write the files of a figure, its verdicts, and the time that drawing it took."""
    paper, name = figure.split("/")
    row = {**CLAIM, "paper": paper, "figure": name, "verdict": verdict}
    save_json(f"results/smoke/claims/{figure}.json", [row])
    content = io.BytesIO()
    Image.fromarray(pixels).save(content, "png")
    write(f"figures/{figure}.png", content.getvalue())
    write(f"figures/{figure}.caption.md", b"A caption.\n")
    write(f"figures/{figure}.csv", numbers(points).encode())
    write(f"logs/smoke/{figure}/draw.jsonl", b'{"s": 9, "cpu_time": 9}\n{"s": 2.5, "cpu_time": 1.5}\n')


def numbers(points):
    """Return the numbers of a figure with one line and one point."""
    line = "".join(f"loss,line,{k},{1 / (k + 1):.10g}\n" for k in range(points))
    return f"# fig: a title\nseries,kind,x,y\n{line}loss,point,{points - 1},5\n"


def test_record_has_small_files_and_their_provenance(jobs, tmp_path):
    folder = tmp_path / "records" / "smoke-mirror"
    noise = np.random.default_rng(0).integers(0, 256, (400, 400, 3), dtype=np.uint8)
    make_figure(WEIGHTS, points=20_000, pixels=noise)
    write("logs/smoke/mirror_descent/imdb/from-mirror/data.jsonl", b'{"s": 0.5, "cpu_time": "NA"}\n')
    record(jobs, WEIGHTS, folder, "0" * 40)
    (found,) = load_records(ROOT / "config", tmp_path / "records")
    assert [file.name for file in found.files] == [f"fig_imdb_weights.{end}" for end in ("caption.md", "csv", "png")]
    sizes = [file.stat().st_size for file in found.files]
    assert sizes[1] <= MAX_NUMBERS_BYTES
    assert sizes[2] <= MAX_PICTURE_BYTES
    assert found.current
    assert [row["verdict"] for row in found.claims] == ["holds"]
    part = dict(found.provenance)
    assert [one.partition("==")[0] for one in part.pop("versions")] == ["python", "numpy", "torch"]
    assert part.pop("processor")
    assert set(part) == {"date", "commit", "experiment_sha256", "data", "cpu_s", "device"}
    assert (part["commit"], part["data"], part["cpu_s"], part["device"]) == ("0" * 40, [SET], 2.0, "cpu")
    assert str(tmp_path) not in (folder / "provenance.json").read_text()


def test_record_replaces_only_that_of_the_same_figure(jobs, tmp_path):
    def content():
        files = [file for file in folder.rglob("*") if file.is_file()]
        return {file.name: file.read_bytes() for file in files}

    def verdicts():
        return {
            one.figure: [row["verdict"] for row in one.claims] for one in load_records(ROOT / "config", folder.parent)
        }

    folder = tmp_path / "records" / "smoke-mirror"
    record(jobs, TABLE, folder, "first")
    before = content()
    record(jobs, WEIGHTS, folder, "second")
    assert verdicts() == {WEIGHTS: ["holds"], TABLE: ["holds"]}
    assert before.items() - content().items() == {(name, before[name]) for name in ("claims.csv", "provenance.json")}
    make_figure(TABLE, verdict="fails")
    record(jobs, TABLE, folder, "third")
    assert verdicts() == {WEIGHTS: ["holds"], TABLE: ["fails"]}
    parts = json.loads((folder / "provenance.json").read_text())
    assert {figure: part["commit"] for figure, part in parts.items()} == {WEIGHTS: "second", TABLE: "third"}
    assert [name for name in content() if name.startswith(".")] == []


def test_numbers_that_cannot_be_thinned_are_left_out_with_the_reason(jobs, tmp_path):
    folder = tmp_path / "records" / "smoke-mirror"
    record(jobs, TABLE, folder, "first")
    write(f"figures/{TABLE}.csv", b"model,accuracy\n" + b"a,0.5\n" * 20_000)
    record(jobs, TABLE, folder, "second")
    (found,) = load_records(ROOT / "config", folder.parent)
    assert [file.name for file in found.files] == ["table_imdb.caption.md", "table_imdb.png"]
    assert found.provenance["left_out"].startswith("table_imdb.csv: has 120,015 bytes, more than 100,000")


def test_thinned_numbers_keep_ends_of_lines_and_all_points():
    assert thin(numbers(100), 10_000) == numbers(100)
    first, comment, *rows = thin(numbers(1000), 8_000).splitlines()
    assert (first, comment) == ("# fig: a title", "# thinned: one in 4 points of each line and band, and its last one")
    found = list(csv.DictReader(rows))
    assert [int(row["x"]) for row in found if row["kind"] == "line"] == [*range(0, 1000, 4), 999]
    assert [row["x"] for row in found if row["kind"] == "point"] == ["999"]
    assert found[1]["y"] == "0.2"
    with pytest.raises(ValueError, match="more than 100, also with fewer points"):
        thin(numbers(1000), 100)


def test_figures_that_read_published_data_are_planned(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    settings = {"scale": "workstation", "data": "mirror", "data_mirror": str(tmp_path)}
    names = plan_records("", settings)[1]
    assert {TABLE, "fast_rates/fig1", "max_margin/fig6"} <= set(names)
    assert not {"max_margin/fig4a", "fast_rates/fig2"} & set(names)
    assert plan_records(f"{TABLE} {WEIGHTS} {TABLE}", settings)[1] == [TABLE, WEIGHTS]


PAPER = {"scale": "paper"}
REFUSED = [
    ("", {"data": "official"}, "SCALE: records have no default; give one of laptop, workstation, paper"),
    ("", PAPER, "DATA: records have no default; give one of official, mirror"),
    ("", PAPER | {"data": "embedded"}, "DATA: embedded: has stand-ins, and records are of real data"),
    ("", {"scale": "large", "data": "official"}, "config.yaml with --config: scale: 'large' is not one of"),
    ("", PAPER | {"data": "mirror"}, "data: mirror and data_mirror: <folder> must be set together"),
    ("", PAPER | {"data": "mirror", "data_mirror": "/none"}, "data_mirror: /none: there is no such folder"),
    ("fast_rates/fig2", PAPER | {"data": "official"}, "FIGURES: figure with a published data set"),
    ("fig6", PAPER | {"data": "official"}, "'fig6' is not one of fast_rates/fig1, fast_rates/fig4"),
]


def test_wrong_figure_or_setting_is_refused_before_any_job(monkeypatch):
    monkeypatch.chdir(ROOT)
    for figures, settings, message in REFUSED:
        assert message in refusal(plan_records, figures, settings)
