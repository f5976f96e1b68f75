"""`make record`: figures on real data are computed, and only then recorded."""

import json
import os
import subprocess
import sys

import pytest

from conftest import fresh
from helpers.data_files import write_files
from helpers.text_files import table

FIGURE, SETTINGS = "mirror_descent/table_imdb", ("scale=smoke", "data=mirror", "data_mirror=../mirror")


@pytest.fixture
def repository(tmp_path):
    """One figure of IMDb, and no committed records."""
    repository = fresh(tmp_path / "repository", ("mirror_descent",))
    repository.configure(only_table, "mirror_descent")
    return repository


def only_table(paper):
    paper["figures"] = {"table_imdb": paper["figures"]["table_imdb"]}


def record(repository, *arguments):
    """Return the status and what is printed."""
    command = [sys.executable, "-m", "attention_dynamics.gallery.record_figures", *arguments]
    environment = os.environ | {"PYTHONPATH": str(repository.root / "workflow")}
    done = subprocess.run(
        command, cwd=repository.root, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout


def test_record_is_written_after_all_jobs_and_read_by_ledger(repository, tmp_path):
    mirror, records = tmp_path / "mirror", repository.root / "records"
    mirror.mkdir()
    status, printed = record(repository, "", *SETTINGS)
    assert status
    assert "is missing" in printed
    assert not records.exists()
    rows = [(k % 2, k, 5, f"{('dull', 'good')[k % 2]} film number {k}") for k in range(200)]
    reviews = table(("label", "id", "rating", "text"), rows)
    write_files(mirror, {f"imdb_{part}.csv": reviews for part in ("train", "test")})
    status, printed = record(repository, FIGURE, *SETTINGS)
    assert not status, printed
    assert printed.splitlines()[-1] == f"recorded {FIGURE} in records/smoke-mirror"
    part = json.loads((records / "smoke-mirror/provenance.json").read_text())[FIGURE]
    assert part["data"][0].startswith("imdb (mirror): 200 + 200 texts in 2 classes, ")
    assert part["cpu_s"] > 0
    files = {file.relative_to(records).as_posix() for file in records.rglob("*") if file.is_file()}
    names = [*(f"{FIGURE}.{ending}" for ending in ("caption.md", "csv", "png")), "claims.csv", "provenance.json"]
    assert files == {f"smoke-mirror/{name}" for name in names}
    config = ("--config", "scale=smoke", "data=mirror", "data_mirror=../mirror")
    statements = "figures/statements.csv"
    repository.snakemake(statements, *config)
    assert repository.planned(statements, *config) == set()
    provenance = records / "smoke-mirror/provenance.json"
    provenance.write_text(provenance.read_text().replace(part["date"], "2026-01-31"))
    assert repository.planned(statements, *config) == {"ledger claims"}
