"""The gallery and Snakemake's report belong to the workflow."""

import json
from html.parser import HTMLParser


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


def test_record_of_run_is_written(repository):
    repository.snakemake("figures/all", "--forcerun", "captions")
    record = json.loads((repository.root / "figures/run.json").read_text())
    assert record["scale"] == "laptop"
    assert record["commit"] == "unknown"
    assert record["elapsed_s"] > 0
    assert record["jobs"] > 10
    assert any(one.startswith("snakemake==") for one in record["versions"])


def test_report_has_figures_captions_claims_and_settings(repository):
    repository.snakemake("figures/all", "--report", "figures/report.html")
    text = (repository.root / "figures/report.html").read_text()
    for name in ("fig1a.png", "fig4a.png", "fig4b.png", "claims.html", "settings.html"):
        assert f'"name": "{name}"' in text
    assert "Shows trajectories of $p$ from six starts" in text
    assert "Where it differs from the paper: data, step size and starts as published" in text
    assert "numerical checks of what the papers" in text
    assert 'src="http' not in text
