"""Figures of a changed experiment, beside the published ones."""

import pytest

pytestmark = pytest.mark.workflow

VARIANT = "config/variants/shorter_steps.yaml"
PAGE = "figures/variants/shorter_steps/max_margin/fig4a.html"
RESULTS = "results/laptop/variants/shorter_steps/max_margin/multiple_inputs"


def write_variant(repository, text):
    file = repository.root / VARIANT
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


@pytest.fixture
def varied(repository):
    write_variant(repository, "max_margin: {runs: {constant_step: {optimizer: {step_size: 0.5}}}}\n")
    return repository


def test_variant_computes_only_what_it_changes(varied):
    folder = "variants/shorter_steps/max_margin"
    assert varied.planned(PAGE) == {
        f"train {folder}/multiple_inputs/constant_step/train",
        f"measure {folder}/multiple_inputs/constant_step/measures",
        f"draw {folder}/fig4a",
        f"judge {folder}/fig4a",
        f"variant_page {folder}/fig4a",
    }


def test_variant_leaves_published_figures_as_they_are(varied, finished):
    varied.snakemake(PAGE)
    before, after = finished.digests(), varied.digests()
    assert {name: after[name] for name in before} == before
    assert f"{RESULTS}/constant_step/train.npz" in after
    assert f"{RESULTS}/normalized_step/train.npz" not in after
    assert varied.planned() == set()
    page = (varied.root / PAGE).read_text()
    assert "runs.constant_step.optimizer.step_size = 0.5" in page
    caption = (varied.root / "figures/variants/shorter_steps/max_margin/fig4a.svg").read_text()
    assert "changed by config/variants/shorter_steps.yaml" in caption


def test_page_shows_verdicts_that_change(repository):
    # Steps that are too short to reach the claim's probability in time.
    write_variant(repository, "max_margin: {runs: {normalized_step: {optimizer: {step_size: 0.001}}}}\n")
    repository.snakemake(PAGE)
    page = (repository.root / PAGE).read_text()
    assert "1 verdict changes" in page
    row = page.partition('<tr class="changed">')[2].partition("</tr>")[0]
    assert row.index("holds") < row.index("</span> →") < row.index("fails")


@pytest.mark.parametrize(
    ("target", "text", "message"),
    [
        (PAGE, "max_margin: {runs: {constant_stp: {steps: 5}}}", "(no file of this paper has runs.constant_stp)"),
        (PAGE, "max_margn: {}", f"{VARIANT}: paper 'max_margn' is not one of max_margin"),
        (PAGE, "max_margin: 3", f"{VARIANT}: max_margin: 3 is not a mapping"),
        (PAGE, "[1]", f"{VARIANT}: must be a mapping of keys to values"),
        (PAGE.replace("shorter", "longer"), "max_margin: {}", "variant 'longer_steps' is not one of shorter_steps"),
        (PAGE.replace("fig4a", "fig4c"), "max_margin: {}", "figure 'fig4c' is not one of"),
    ],
)
def test_wrong_variant_ends_with_one_line(repository, target, text, message):
    write_variant(repository, f"{text}\n")
    printed = repository.snakemake(target, ok=False).stdout
    assert message in printed
    assert "Traceback" not in printed


def test_another_scale_is_announced_before_it_replaces_figures(repository):
    printed = repository.snakemake("figures/max_margin/fig1a.pdf", "--config", "scale=workstation").stdout
    assert "figures/ has figures of scale laptop; figures of scale workstation will replace them" in printed
