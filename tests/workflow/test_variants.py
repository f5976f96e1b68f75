"""Figures of a changed experiment, beside the published ones."""

VARIANT = "config/variants/shorter_steps.yaml"
PAGE = "figures/variants/shorter_steps/max_margin/fig4a.html"
RESULTS = "results/laptop/variants/shorter_steps/max_margin/multiple_inputs"


def test_variant_computes_what_it_changes_and_leaves_published_figures(repository, finished):
    repository.write(VARIANT, "max_margin: {runs: {constant_step: {optimizer: {step_size: 0.5}}}}\n")
    folder = "variants/shorter_steps/max_margin"
    assert repository.planned(PAGE) == {
        f"train {folder}/multiple_inputs/constant_step/train",
        f"measure {folder}/multiple_inputs/constant_step/measures",
        *(f"{stage} {folder}/fig4a" for stage in ("draw", "judge", "variant_page")),
    }
    repository.snakemake(PAGE)
    before, after = finished.digests(), repository.digests()
    assert {name: after[name] for name in before} == before
    assert f"{RESULTS}/constant_step/train.npz" in after
    assert f"{RESULTS}/normalized_step/train.npz" not in after
    assert repository.planned() == set()
    page = (repository.root / PAGE).read_text()
    assert "runs.constant_step.optimizer.step_size = 0.5" in page
    caption = (repository.root / "figures/variants/shorter_steps/max_margin/fig4a.svg").read_text()
    assert "changed by config/variants/shorter_steps.yaml" in caption


def test_page_shows_verdicts_that_change(repository):
    # Steps that are too short to reach the claim's probability in time.
    repository.write(VARIANT, "max_margin: {runs: {normalized_step: {optimizer: {step_size: 0.001}}}}\n")
    repository.snakemake(PAGE)
    page = (repository.root / PAGE).read_text()
    assert "1 verdict changes" in page
    row = page.partition('<tr class="changed">')[2].partition("</tr>")[0]
    assert row.index("holds") < row.index("</span> →") < row.index("fails")


def test_wrong_variant_ends_with_one_line_and_another_scale_is_announced(repository):
    """More mistakes: tests/pipeline/test_sweeps.py."""
    misspelt = "max_margin: {runs: {constant_stp: {steps: 5}}}"
    for target, text, message in (
        (PAGE, misspelt, "(no file of this paper has runs.constant_stp)"),
        (PAGE.replace("shorter", "longer"), "max_margin: {}", "variant 'longer_steps' is not one of shorter_steps"),
        (PAGE.replace("fig4a", "fig4c"), "max_margin: {}", "figure 'fig4c' is not one of"),
    ):
        repository.write(VARIANT, f"{text}\n")
        assert message in repository.refusal(target)
    printed = repository.snakemake("figures/max_margin/fig1a.pdf", "--config", "scale=workstation").stdout
    assert "figures/ has figures of scale laptop; figures of scale workstation will replace them" in printed
