"""Tables are figures that programs and people can read as well."""

from pathlib import Path

import pandas as pd
import pytest

from attention_dynamics.claims.manifest import verify_manifest
from conftest import Repository, fresh, keep

TABLES = ("table_imdb", "table_attention")
FORMATS = ("pdf", "png", "svg", "caption.md", "csv", "md")


def tables_only(paper: dict) -> None:
    """Both tables of tiny networks, without claims."""
    keep(paper, problems=("imdb",), runs=("imdb_1_1", "imdb_2", "imdb_3"), figures=TABLES)
    paper["problems"]["imdb"] |= {"train": 60, "test": 20}
    for run in paper["runs"].values():
        run |= {"epochs": 1, "seeds": [0, 1], "network": run["network"] | {"dim": 8, "mlp": 8}}


@pytest.fixture(scope="module")
def tabulated(tmp_path_factory) -> Repository:
    repository = fresh(tmp_path_factory.mktemp("tables") / "repository", ("mirror_descent",))
    repository.configure(tables_only, "mirror_descent", claims={})
    repository.snakemake("figures/all")
    return repository


@pytest.fixture
def repository(tabulated, tmp_path) -> Repository:
    return Repository.copied(tabulated.root, tmp_path / "repository")


def folder(repository: Repository) -> Path:
    return repository.root / "figures/mirror_descent"


def test_table_is_written_as_figure_csv_and_markdown(tabulated):
    made = {file.name for file in folder(tabulated).iterdir() if file.suffix not in (".html", ".webp")}
    assert made == {f"{table}.{form}" for table in TABLES for form in FORMATS}
    listed = pd.read_csv(tabulated.root / "figures/manifest.csv")
    assert {Path(file).name for file in listed.file} == made
    assert verify_manifest(tabulated.root / "figures") == []
    table = pd.read_csv(folder(tabulated) / "table_imdb.csv")
    assert table["exponent"].tolist() == [1.1, 2, 3]
    assert (table["seeds"] == 2).all()
    page = (folder(tabulated) / "table_imdb.md").read_text()
    assert page.startswith("# Text classifier on ")
    assert "· laptop scale\n\n| quantity | $\\ell_{1.1}$-MD | GD | $\\ell_{3}$-MD |\n" in page
    assert f"{100 * table['best_accuracy_mean'][0]:.2f} ± " in page


def test_altered_table_is_named_and_a_deleted_one_only_rebuilt(repository, tabulated):
    files = [folder(repository) / f"table_attention.{form}" for form in ("csv", "md")]
    for file, stage in zip(files, ("draw", "tabulate"), strict=True):
        aside = file.rename(repository.root / file.name)
        again = {f"{stage} mirror_descent/table_attention", "manifest manifest", "gallery index"}
        assert repository.planned() == again
        aside.rename(file)
    for file in files:
        file.unlink()
    both = {f"{stage} mirror_descent/table_attention" for stage in ("draw", "tabulate")}
    assert repository.planned("figures/mirror_descent/all") == both
    repository.snakemake("figures/all")
    assert repository.digests() == tabulated.digests()
    (folder(repository) / "table_imdb.csv").write_text("size\n")
    (found,) = verify_manifest(repository.root / "figures")
    assert found.endswith("table_imdb.csv: its SHA-256 differs from the manifest")


def test_change_of_lines_redraws_a_table_without_training(repository, tabulated):
    repository.edit("workflow/attention_dynamics/plots/tables.py", "color=FAINT, lw=0.6", "color=FAINT, lw=0.9")
    again = {f"{rule} mirror_descent/table_imdb" for rule in ("draw", "tabulate")}
    assert repository.planned() == again | {"manifest manifest", "gallery index"}
    repository.snakemake("figures/all")
    before, after = tabulated.digests(), repository.digests()
    forms = ("pdf", "png", "svg", "small.webp")
    pictures = {f"figures/mirror_descent/table_imdb.{form}" for form in forms}
    listed = {"results/drawn/mirror_descent/table_imdb.json", "figures/manifest.csv"}
    assert {name for name in before if before[name] != after[name]} == pictures | listed
