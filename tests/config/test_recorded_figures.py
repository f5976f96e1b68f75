"""Records on real data: what they say, and whether it is still about today's experiment."""

import json

import pytest

from attention_dynamics.claims.ledger import to_csv
from attention_dynamics.config.experiment import experiment_digest
from attention_dynamics.config.recorded_figures import load_records, statement_rows
from conftest import ROOT
from helpers.published_config import published_config
from helpers.refusals import refusal

CONFIG, FIGURE = ROOT / "config", "fast_rates/fig6"
CLAIM = {"paper": "fast_rates", "figure": "fig6", "claim": "faster", "verdict": "fails", "measured": "0.9",
         "expected": "<= 0.8", "setting": "real data", "statement": "quicker"}  # fmt: skip


@pytest.fixture
def records(tmp_path):
    """A folder with a record of today's experiment, and of two others."""
    folder = tmp_path / "workstation-mirror"
    (folder / FIGURE).parent.mkdir(parents=True)
    (folder / f"{FIGURE}.png").touch()
    (folder / f"{FIGURE}.caption.md").write_text(
        "**Stand-in** (laptop scale). Weights of \\[CLS\\] in $\\|n\\|$ steps.\n"
    )
    digest = experiment_digest(published_config("workstation").papers["fast_rates"], "fig6")
    digests = {FIGURE: digest, "fast_rates/fig7": digest, "fast_rates/gone": digest}
    parts = {figure: {"date": "2026-01-31", "experiment_sha256": one} for figure, one in digests.items()}
    (folder / "provenance.json").write_text(json.dumps(parts))
    (folder / "claims.csv").write_text(to_csv([CLAIM, CLAIM | {"figure": "fig7", "statement": ""}]))
    return tmp_path


def test_record_is_current_only_with_todays_experiment(records):
    found = {one.figure: one for one in load_records(CONFIG, records)}
    assert {figure: one.current for figure, one in found.items()} == {
        FIGURE: True, "fast_rates/fig7": False, "fast_rates/gone": False
    }  # fmt: skip
    assert [file.name for file in found[FIGURE].files] == ["fig6.caption.md", "fig6.png"]
    assert [row["figure"] for row in found["fast_rates/fig7"].claims] == ["fig7"]
    assert found[FIGURE].note == "workstation scale, data=mirror, recorded 2026-01-31"
    assert found["fast_rates/fig7"].note.endswith("2026-01-31; the experiment has changed since")
    assert found[FIGURE].picture == records / "workstation-mirror" / f"{FIGURE}.png"
    assert found[FIGURE].caption == f"On real data ({found[FIGURE].note}): Weights of [CLS] in $\\|n\\|$ steps."
    (row,) = statement_rows(found.values())
    assert (row["claim"], row["note"]) == ("faster", found[FIGURE].note)


def test_there_are_no_records_without_their_folder(tmp_path):
    assert load_records(CONFIG, tmp_path / "records") == []


def test_records_remain_readable_where_configuration_of_their_scale_is_wrong(records, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("shards: none\n")
    assert [one.current for one in load_records(tmp_path / "config", records)] == [False] * 3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("provenance.json", "{", "provenance.json: is not a file of `make record`"),
        ("provenance.json", '{"fast_rates/fig6": {"date": "2026-01-31"}}', "provenance.json: is not a file of `make"),
        ("provenance.json", "[1]", "provenance.json: is not a file of `make record`"),
        ("claims.csv", "paper,figure\n", "claims.csv: has no column claim"),
    ],
)
def test_file_of_another_form_is_refused(records, name, content, message):
    (records / "workstation-mirror" / name).write_text(content)
    assert message in refusal(load_records, CONFIG, records)
