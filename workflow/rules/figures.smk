"""From measured runs to what people read: figures, the ledger of claims, the manifest."""

# Seconds each: on a cluster they are not worth a job. Each says so itself, as another workflow may rename it.


rule draw:
    input:
        unpack(reads("draw")),
    output:
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="../report/figure.rst",
            category=paper_of,
            labels=labels_of,
        ),
        svg="figures/{figure}.svg",
    log:
        "<logs>/{figure}/draw.log",
    benchmark:
        "<benchmarks>/{figure}/draw.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("draw"),
        code=code("draw"),
    script:
        "../scripts/draw.py"


rule tabulate:
    input:
        unpack(reads("tabulate")),
    output:
        csv="figures/{table}.csv",
        md="figures/{table}.md",
    log:
        "<logs>/{table}/tabulate.log",
    benchmark:
        "<benchmarks>/{table}/tabulate.jsonl"
    localrule: True
    conda:
        "../../envs/plot.yaml"
    params:
        spec=spec("tabulate"),
        code=code("tabulate"),
    script:
        "../scripts/tabulate.py"


rule judge:
    input:
        unpack(reads("judge")),
    output:
        "<results>/claims/{figure}.json",
    log:
        "<logs>/{figure}/judge.log",
    benchmark:
        "<benchmarks>/{figure}/judge.jsonl"
    localrule: True
    conda:
        "../../envs/compute.yaml"
    params:
        spec=spec("judge"),
        code=code("judge"),
    script:
        "../scripts/judge.py"


rule ledger:
    input:
        collect("<results>/claims/{figure}.json", figure=FIGURES),
    output:
        csv="figures/claims.csv",
        page="figures/claims.md",
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


rule manifest:
    input:
        figures=files_of(FIGURES),
        claims="figures/claims.csv",
    output:
        "figures/manifest.csv",
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
        figures=files_of(FIGURES),
        claims=collect("<results>/claims/{figure}.json", figure=FIGURES),
        templates=own_files((WORKFLOW / "templates").glob("[!.]*")),
    output:
        index="figures/index.html",
        claims=report("figures/claims.html", caption="../report/claims.rst", category="Claims"),
        settings=report(
            "figures/settings.html",
            caption="../report/settings.rst",
            category="Settings",
        ),
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


rule bundle:
    input:
        figures=[
            *files_of(FIGURES),
            "figures/claims.csv",
            "figures/claims.md",
            "figures/manifest.csv",
        ],
        config=config_files(),
    output:
        "figures/bundle.zip",
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
        commit=lambda wildcards: commit(),
    script:
        "../scripts/bundle.py"
