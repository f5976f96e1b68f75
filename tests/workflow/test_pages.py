"""The gallery and Snakemake's report belong to the workflow."""

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from attention_dynamics.config.schema import Settings
from conftest import ROOT


def links(text: str) -> set[str]:
    """Relative links of a page, without their fragments."""
    found = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: found.update(v for k, v in attrs if k in ("href", "src"))
    parser.feed(text)
    return {link.split("#")[0] for link in found if ":" not in link} - {""}


def test_gallery_links_to_all_outputs(finished):
    figures = finished.root / "figures"
    linked = {(page.parent / link).resolve() for page in figures.rglob("*.html") for link in links(page.read_text())}
    assert [link for link in linked if not link.is_file() or not link.is_relative_to(figures.resolve())] == []
    made = {file.resolve() for file in figures.glob("*/*")}
    assert made
    assert made <= linked


def test_template_change_rebuilds_only_gallery(repository):
    repository.edit("workflow/attention_dynamics/gallery/templates/page.css", "#f5f6f8", "#f5f6f9")
    assert repository.planned() == {"gallery index"}
    last = repository.snakemake("figures/all").stdout.splitlines()[-3:]
    assert "3 of 3 judged claims hold. Open figures/index.html in a browser." in last
    assert repository.planned() == set()


def test_terminal_shows_a_line_for_each_job(repository):
    jobs = [f"{rule} max_margin/single_input_global/single_global" for rule in ("train", "measure")]
    begin = r"3 jobs \(1 draw, 1 measure, 1 train\): about \d+ s with --cores 1\n"
    lines = [rf"{n} of 3  {job}  \d+\.\d s, about \d+ s left\n" for n, job in enumerate(jobs, 1)]
    expected = "".join([begin, *lines, r"3 of 3  draw max_margin/fig1a  \d+\.\d s\n"])
    for one in (("--cores", "1"), ("-j1",)):
        printed = repository.snakemake("figures/max_margin/fig1a.pdf", "--forcerun", "train", *one).stdout
        assert re.search(expected, printed)
        # Two lines come before the configuration is read; the last two name the log and the time.
        assert len(printed.splitlines()) == 3 + 5
    (log,) = re.findall(r"Complete log\(s\): (.*)", printed)
    assert "output: results/laptop/max_margin/single_input_global/single_global/train.npz" in Path(log).read_text()
    printed = repository.snakemake("figures/captions.tex", "-R", "captions", "--no-hooks").stdout
    assert re.search(r"^1 of 1  captions  \d+\.\d s$", printed, re.MULTILINE)
    printed = repository.snakemake("figures/all", "--forcerun", "captions", "--quiet", "all").stdout
    # Snakemake names its profile before it reads the option.
    assert re.fullmatch("Using (workflow specific )?profile.*\n", printed)


def test_record_of_run_is_written(repository):
    repository.snakemake("figures/all", "--forcerun", "captions")
    record = json.loads((repository.root / "figures/run.json").read_text())
    assert record["scale"] == "laptop"
    assert record["commit"] == "unknown"
    assert record["elapsed_s"] > 0
    assert record["jobs"] > 10
    assert any(one.startswith("snakemake==") for one in record["versions"])
    assert record["machine"].keys() == {"system", "processor", "cores"}
    # No rule reads it, and no other file is about it.
    (repository.root / "figures/run.json").unlink()
    assert "Nothing to be done" in repository.snakemake("figures/all", "-n").stdout


@pytest.mark.parametrize(
    "arguments", [("figures/all", "--until", "captions"), ("figures/all", "--omit-from", "gallery"),
                  ("figures/all", "--batch", "figures/all=1/2"), ("figures/all", "--touch"),
                  ("figures/claims.csv", "figures/captions.tex", "figures/max_margin/all")],
)  # fmt: skip
def test_run_of_a_part_summarizes_no_claims_and_leaves_the_record(repository, arguments):
    (repository.root / "figures/run.json").unlink()
    printed = repository.snakemake(*arguments, "--forcerun", "captions").stdout
    assert "judged claims hold" not in printed
    assert not (repository.root / "figures/run.json").exists()


def test_backend_that_a_notebook_exports_does_not_matter(repository, finished, monkeypatch):
    """In processes of their own: a fork has imported Matplotlib."""
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    (repository.root / "figures/max_margin/fig4a.pdf").unlink()
    subprocess.run(repository.command("figures/max_margin/fig4a.pdf"), cwd=repository.root, check=True)
    assert repository.digests() == finished.digests()


def test_report_has_figures_captions_claims_and_settings(repository):
    repository.snakemake("figures/all", "--report", "figures/report.html")
    text = (repository.root / "figures/report.html").read_text()
    for name in ("fig1a.png", "fig4a.png", "fig4b.png", "claims.html", "settings.html"):
        assert f'"name": "{name}"' in text
    assert "Shows trajectories of $p$ from six starts" in text
    assert "Where it differs from the paper: data, step size and starts as published" in text
    assert "numerical checks of what the papers" in text
    assert 'src="http' not in text


def test_catalog_of_workflows_finds_the_same_workflow_and_its_settings(repository):
    assert repository.planned("-s", "workflow/Snakefile", "figures/all") == set()
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["report"] is True
    table = (ROOT / "config/README.md").read_text()
    listed = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert sorted(listed) == sorted(Settings.model_fields)
