"""The gallery and Snakemake's report belong to the workflow."""

from html.parser import HTMLParser

import pytest

pytestmark = pytest.mark.workflow


def links(text: str) -> set[str]:
    """Relative links of a page, without their fragments."""
    found = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: found.update(v for k, v in attrs if k in ("href", "src"))
    parser.feed(text)
    return {link.split("#")[0] for link in found if ":" not in link} - {""}


def test_the_gallery_links_to_all_that_was_made(finished):
    figures = finished.root / "figures"
    linked = links((figures / "index.html").read_text())
    assert [link for link in linked if not (figures / link).is_file()] == []
    made = {file.relative_to(figures).as_posix() for file in figures.glob("*/*")}
    assert made
    assert made <= linked
    assert "../results/laptop/max_margin/single_input_global/single_global/measures.npz" in linked


def test_after_a_change_of_a_template_only_the_gallery_is_made(repository):
    repository.edit("workflow/templates/page.css", "#f5f6f8", "#f5f6f9")
    assert repository.planned() == {"gallery index"}
    repository.snakemake("figures/all")
    assert repository.planned() == set()


def test_the_report_has_figures_captions_claims_and_settings(repository):
    repository.snakemake("figures/all", "--report", "figures/report.html")
    text = (repository.root / "figures/report.html").read_text()
    for name in ("fig1a.png", "fig4a.png", "fig4b.png", "claims.html", "settings.html"):
        assert f'"name": "{name}"' in text
    assert "Shows trajectories of p from six starts" in text
    assert "Where it differs from the paper: data, step size and starts as published" in text
    assert "computed anew" in text
    assert 'src="http' not in text
