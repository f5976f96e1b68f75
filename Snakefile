"""Attention dynamics: figures and claims of papers on how attention is trained.

snakemake figures/all                        every figure, the claims and the manifest
snakemake figures/max_margin/all             the figures of one paper
snakemake figures/max_margin/fig4a.pdf       one figure, computing only what it needs
snakemake fetch                              the published data sets, for --config data=official or data=mirror
"""


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/stages.smk"
include: "workflow/rules/pages.smk"


rule figures_all:
    name:
        "figures/all"
    default_target: True
    input:
        figures=figure_files(FIGURES),
        claims=["figures/claims.csv", "figures/claims.md"],
        captions="figures/captions.tex",
        certificates="figures/certificates.csv",
        manifest="figures/manifest.csv",
        pages=["figures/index.html", *EXPLORE],


for paper in PAPERS:

    rule:
        name:
            f"figures/{paper}/all"
        input:
            figures=figure_files([figure for figure in FIGURES if figure.startswith(f"{paper}/")]),


# All published data sets that the figures need, before any job of theirs starts.
rule fetch:
    input:
        descriptions=collect("<results>/datasets/{dataset}.txt", dataset=JOBS.datasets_of_figures),


# All optimizers, with the claims about them, and each plug-in beside those of config/compare/all.yaml.
for comparison in JOBS.comparisons():

    rule:
        name:
            f"figures/compare/{comparison}"
        input:
            files=collect("figures/compare/{name}.{ending}", name=[comparison], ending=("csv", "pdf")),
            claims="figures/compare/claims.csv" if comparison == "all" else [],


onsuccess:
    if is_complete("fetch"):
        fetched = "".join(Path(file).read_text() for file in rules.fetch.input)
        logger.info(fetched or "data: embedded: all data come with the installed packages")
    if is_complete("figures/all"):
        write_run_record(Path("figures/run.json"), SCALE, time.monotonic() - STARTED)
        logger.info(format_summary(Path(rules.ledger.output.csv), Path(rules.gallery.output.index)))
