"""Texts of a figure in Snakemake's report: they are shown, and never run."""

import os
import tempfile
from pathlib import Path

import pytest

from helpers import chromium

pytestmark = pytest.mark.skipif(
    chromium.program() is None and not os.environ.get("CHROMIUM_REQUIRED"), reason=chromium.GET
)
HANDLER = "img src=x onerror=window.ran=1"
# Each would run if the report undid one of the usual ways to escape HTML.
HARMLESS = rf"""< /script>< {HANDLER}> &lt;{HANDLER}&gt; \u003c{HANDLER}\u003e \x3c{HANDLER}\x3e "'>` {HANDLER}"""


# The caption is behind a sign with an i, which has no text.
CLICK = """(async () => {
  for (const button of ["Results", "M18 10a8"]) {
    const all = [...document.querySelectorAll("a, button")]
    all.find(one => one.textContent.trim() == button || one.innerHTML.includes(button)).click()
    await new Promise(done => setTimeout(done, 500))
  }
  return document.body.innerText
})()"""
FIGURE = "figures/max_margin/fig1a.png"


def set_title(repository, title: str) -> None:
    repository.configure(lambda paper: paper["figures"]["fig1a"].update(title=title))


def test_title_with_tags_gives_no_report_and_keeps_figure(repository, finished):
    """The title would end the script in which the report has the settings of jobs."""
    set_title(repository, f"</script><{HANDLER}>")
    printed = repository.snakemake(FIGURE, "--report", "figures/report.html", ok=False).stdout
    assert "fig1.yaml: figures.fig1a.title:" in printed
    assert "looks like HTML, which the report would run" in printed
    assert "Traceback" not in printed
    assert repository.digests() == finished.digests()


def test_accepted_title_does_not_run_in_report(repository):
    set_title(repository, HARMLESS)
    repository.snakemake(FIGURE)
    repository.snakemake(FIGURE, "--report", "figures/report.html")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = chromium.Browser(Path(profile))
        try:
            browser.open(repository.root / "figures/report.html", 1280)
            assert f"< /script>< {HANDLER}> &lt;{HANDLER}" in browser.evaluate(CLICK)
            assert browser.evaluate("typeof window.ran") == "undefined"
        finally:
            browser.close()
