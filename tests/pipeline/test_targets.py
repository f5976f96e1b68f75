"""Misspelt targets on the command line."""

from attention_dynamics.pipeline.targets import check_targets, parse_targets
from helpers.refusals import refusal

FIGURES = {"max_margin": ["fig4a", "fig4b"], "fast_rates": ["fig1"]}


def figures(variant=None):
    return {"max_margin": ["fig4a"]} if variant == "short" else FIGURES


MISSPELT = {
    "figures/max_margin/fig4c.pdf": "figure 'fig4c' is not one of fig4a, fig4b (did you mean 'fig4b'?)",
    "figures/max_margn/fig4a.pdf": "paper 'max_margn' is not one of max_margin, fast_rates (did you mean",
    "results/laptop/claims/max_margin/fig4bb.json": "(did you mean 'fig4b'?)",
    "figures/max_margin/fig4a.jpg": "write figures/max_margin/fig4a.pdf (or png, svg, csv, caption.md, md, html)",
    "figures/max_margin/fig4a.caption.txt": "write figures/max_margin/fig4a.pdf",
    "figures/max_margin/fig4a": "write figures/max_margin/fig4a.pdf",
    "figures/fig4a.pdf": "write figures/max_margin/fig4a.pdf",
    "max_margin/fig4a": "write figures/max_margin/fig4a.pdf",
    "fig1": "write figures/fast_rates/fig1.pdf",
    "figures/max_margin/": "write figures/max_margin/all",
    "max_margin": "write figures/max_margin/all",
    "figures": "write figures/all",
    "figures//all": "write figures/all",
    "results/laptop//max_margin/two/data.npz": "write results/laptop/max_margin/two/data.npz",
    "figures/variants/short/max_margin/fig4b.pdf": "figure 'fig4b' is not one of fig4a",
    "figures/variants/short/max_margin/all": "figure 'all' is not one of fig4a",
}


def test_misspelt_target_is_refused_with_existing_ones():
    for target, message in MISSPELT.items():
        line = refusal(check_targets, [target], figures)
        assert line.startswith(f"{target}: ")
        assert message in line
    assert "a target is empty: write figures/all" in refusal(check_targets, [""], figures)


def test_existing_targets_are_accepted():
    targets = ["figures/max_margin/fig4a.pdf", "figures/max_margin/all", "figures/all", "figures/claims.csv"]
    targets += [f"figures/{figure}.caption.md" for figure in ("max_margin/fig4b", "variants/short/max_margin/fig4a")]
    check_targets([*targets, "results/laptop/max_margin/two/data.npz"], figures)


FIGURE = "figures/max_margin/fig4a.pdf"


# Arguments of Snakemake, and the targets among them.
ARGUMENTS = [
    ([FIGURE, "--config", "scale=smoke", "--report", "figures/max_margin/report.html"], [FIGURE]),
    (["-n", FIGURE, "--configfile", "my.yaml", "fig4a.yaml"], [FIGURE]),
    (["--cleanup-metadata", "figures/variants/old/max_margin/fig9a.pdf"], []),
    (["--directory", "max_margin", "-R", "fig4a", "-j2", "--until", "fig1"], []),
    (
        ["fig4a", "-c1", "--keep-going", "--set-resources", "max_margin:mem_mb=7", "--", "fig1", ""],
        ["fig4a", "fig1", ""],
    ),
    (["--summary", "--batch", "figures/all=1/3", "fig4a"], ["fig4a"]),
    (["arguments", "--of=another", "program"], []),
]


def test_targets_are_those_of_snakemake_s_parser():
    for arguments, targets in ARGUMENTS:
        assert parse_targets(arguments) == targets
