"""Rules that put figures and verdicts together: the ledger, pages, sweeps, comparisons of optimizers, the bundle."""


rule ledger:
    input:
        unpack(reads("ledger")),
        claims=collect("<results>/claims/{figure}.json", figure=FIGURES),
        # The params have what is read from these files. They are inputs as well, for --rerun-triggers mtime.
        records=own_files(find_files(RECORDS, "*/claims.csv", "*/provenance.json")),
    output:
        csv="figures/claims.csv",
        page="figures/claims.md",
        statements="figures/statements.csv",
        statements_page="figures/statements.md",
        certificates="figures/certificates.csv",
    log:
        "<logs>/ledger.log",
    benchmark:
        "<benchmarks>/ledger.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("ledger"),
        code=code("ledger"),
    script:
        "../scripts/ledger.py"


rule captions:
    output:
        captions="figures/captions.tex",
    log:
        "<logs>/captions.log",
    benchmark:
        "<benchmarks>/captions.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("captions"),
        code=code("captions"),
    script:
        "../scripts/captions.py"


rule manifest:
    input:
        figures=figure_files(FIGURES),
        digests=[
            *collect("results/drawn/{figure}.json", figure=FIGURES),
            *collect("results/tabulated/{table}.json", table=TABLES),
        ],
        explore=EXPLORE,
        page_digests=["results/drawn/explore.json"] if EXPLORE else [],
        claims=collect("<results>/claims/{figure}.json", figure=FIGURES),
    output:
        manifest="figures/manifest.csv",
    log:
        "<logs>/manifest.log",
    benchmark:
        "<benchmarks>/manifest.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("manifest"),
        code=code("manifest"),
    script:
        "../scripts/manifest.py"


rule gallery:
    input:
        figures=figure_files(FIGURES),
        thumbnails=collect("figures/{figure}.small.webp", figure=FIGURES),
        claims=collect("<results>/claims/{figure}.json", figure=FIGURES),
        statements="figures/statements.csv",
        certificates="figures/certificates.csv",
        templates=own_files(TEMPLATES.glob("[!.]*.*")),
        records=RECORDED_PICTURES,
    output:
        index="figures/index.html",
        doubts="figures/doubts.html",
        claims=report("figures/claims.html", caption="../report/claims.rst", category="Claims"),
        settings=report(
            "figures/settings.html",
            caption="../report/settings.rst",
            category="Settings",
        ),
        pages=collect("figures/{figure}.html", figure=FIGURES),
        records=collect("figures/{figure}.record.png", figure=RECORDED),
    log:
        "<logs>/gallery.log",
    benchmark:
        "<benchmarks>/gallery.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("gallery"),
        code=code("gallery"),
    script:
        "../scripts/gallery.py"


rule explore:
    input:
        sources=own_files((TEMPLATES / "explore").glob("[!.]*")),
    output:
        page="figures/explore.html",
        digests="results/drawn/explore.json",
    log:
        "<logs>/explore.log",
    benchmark:
        "<benchmarks>/explore.jsonl"
    localrule: True
    conda:
        "../../envs/compute.yaml"
    params:
        spec=spec("explore"),
        code=code("explore"),
    script:
        "../scripts/explore.py"


rule variant_page:
    input:
        published=published("figures/{}.png"),
        published_claims=published("<results>/claims/{}.json"),
        variant="figures/{changed}.png",
        variant_claims="<results>/claims/{changed}.json",
        templates=own_files(TEMPLATES.glob("[!.]*.*")),
    output:
        page="figures/{changed}.html",
    log:
        "<logs>/{changed}/variant_page.log",
    benchmark:
        "<benchmarks>/{changed}/variant_page.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("variant_page"),
        code=code("variant_page"),
    script:
        "../scripts/variant_page.py"


rule sweep:
    input:
        unpack(reads("sweep")),
    output:
        csv="figures/{sweep}.csv",
        pdf="figures/{sweep}.pdf",
        png="figures/{sweep}.png",
        svg="figures/{sweep}.svg",
        caption="figures/{sweep}.caption.md",
    log:
        "<logs>/{sweep}.log",
    benchmark:
        "<benchmarks>/{sweep}/sweep.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("sweep"),
        code=code("sweep"),
    script:
        "../scripts/sweep.py"


rule comparison:
    input:
        unpack(reads("comparison")),
    output:
        csv="figures/{comparison}.csv",
        cpu="figures/{comparison}.cpu.csv",
        md="figures/{comparison}.md",
        pdf="figures/{comparison}.pdf",
        png="figures/{comparison}.png",
        svg="figures/{comparison}.svg",
        caption="figures/{comparison}.caption.md",
    log:
        "<logs>/{comparison}/comparison.log",
    benchmark:
        "<benchmarks>/{comparison}/comparison.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("comparison"),
        code=code("comparison"),
    script:
        "../scripts/comparison.py"


rule comparison_claims:
    input:
        table="figures/compare/all.csv",
    output:
        csv="figures/compare/claims.csv",
        md="figures/compare/claims.md",
    log:
        "<logs>/compare/claims.log",
    benchmark:
        "<benchmarks>/compare/comparison_claims.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("comparison_claims", "compare/all"),
        code=code("comparison_claims", "compare/all"),
    script:
        "../scripts/comparison_claims.py"


rule bundle:
    input:
        figures=[
            *figure_files(FIGURES),
            *EXPLORE,
            "figures/claims.csv",
            "figures/claims.md",
            "figures/statements.csv",
            "figures/statements.md",
            "figures/captions.tex",
            "figures/certificates.csv",
            "figures/manifest.csv",
        ],
        config=config_files(),
        workflow=workflow_files,
    output:
        archive="figures/bundle.zip",
    log:
        "<logs>/bundle.log",
    benchmark:
        "<benchmarks>/bundle.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("bundle"),
        code=code("bundle"),
        commit=bundled_commit,
        date=bundled_date,
    script:
        "../scripts/bundle.py"
