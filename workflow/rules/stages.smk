"""Rules from a problem to a figure and the verdicts on its claims.

Data -> train -> selected_svm, data -> svm, all of them -> measure, and measure -> draw or tabulate, measure -> judge. The
rule ``dataset`` provides published data sets. For comparisons of optimizers, the order is data -> optimize.
"""


# Data sets are downloaded where Snakemake runs, because the nodes of a cluster may have no network.
rule dataset:
    output:
        description="<results>/datasets/{dataset}.txt",
    log:
        "<logs>/datasets/{dataset}.log",
    benchmark:
        "<benchmarks>/datasets/{dataset}/dataset.jsonl"
    localrule: True
    conda:
        "../../envs/compute.yaml"
    params:
        spec=spec("dataset"),
        code=code("dataset"),
    script:
        "../scripts/dataset.py"


rule data:
    input:
        unpack(reads("data")),
    output:
        arrays="<results>/{problem}/data.npz",
    log:
        "<logs>/{problem}/data.log",
    benchmark:
        "<benchmarks>/{problem}/data.jsonl"
    conda:
        "../../envs/compute.yaml"
    params:
        spec=spec("data"),
        code=code("data"),
    script:
        "../scripts/data.py"


rule svm:
    input:
        unpack(reads("svm")),
    output:
        solutions="<results>/{problem}/svm.npz",
    log:
        "<logs>/{problem}/svm.log",
    benchmark:
        "<benchmarks>/{problem}/svm.jsonl"
    conda:
        "../../envs/compute.yaml"
    params:
        spec=spec("svm"),
        code=code("svm"),
    script:
        "../scripts/svm.py"


rule train:
    input:
        unpack(reads("train")),
    output:
        trajectory="<results>/{run}/train.npz",
    log:
        "<logs>/{run}/train.log",
    benchmark:
        "<benchmarks>/{run}/train.jsonl"
    conda:
        "../../envs/compute.yaml"
    resources:
        gpu=gpus,
    params:
        spec=spec("train"),
        code=code("train"),
    script:
        "../scripts/train.py"


rule selected_svm:
    input:
        unpack(reads("selected_svm")),
    output:
        solutions="<results>/{run}/svm.npz",
    log:
        "<logs>/{run}/svm.log",
    benchmark:
        "<benchmarks>/{run}/selected_svm.jsonl"
    conda:
        "../../envs/compute.yaml"
    params:
        spec=spec("selected_svm"),
        code=code("selected_svm"),
    script:
        "../scripts/selected_svm.py"


rule measure:
    input:
        unpack(reads("measure")),
    output:
        measures="<results>/{run}/measures.npz",
    log:
        "<logs>/{run}/measure.log",
    benchmark:
        "<benchmarks>/{run}/measure.jsonl"
    conda:
        "../../envs/compute.yaml"
    params:
        spec=spec("measure"),
        code=code("measure"),
    script:
        "../scripts/measure.py"


rule optimize:
    input:
        unpack(reads("optimize")),
    output:
        cell="<results>/{cell}/cell.npz",
        cpu="<results>/{cell}/cpu.json",
    log:
        "<logs>/{cell}/optimize.log",
    benchmark:
        "<benchmarks>/{cell}/optimize.jsonl"
    conda:
        "../../envs/compute.yaml"
    params:
        spec=spec("optimize"),
        code=code("optimize"),
    script:
        "../scripts/optimize.py"


# The rules from here on, and those of pages.smk, take seconds and are not worth a job on a cluster. Each rule sets
# ``localrule`` itself. A list of names in ``localrules`` would be wrong in a workflow that imports these rules as a module
# and renames them.


rule draw:
    input:
        unpack(reads("draw")),
    output:
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="../report/figure.rst",
            category=report_category,
            labels=report_labels,
        ),
        svg="figures/{figure}.svg",
        # Not an output of rule gallery, whose large params Snakemake keeps, and reads, with each of its outputs.
        thumbnail="figures/{figure}.small.webp",
        caption="figures/{figure}.caption.md",
        numbers="figures/{figure}.csv",
        # Not in <results>: after a change of scale this output would be new, and Snakemake compares the params of a job
        # only if it has records of all its outputs.
        digests="results/drawn/{figure}.json",
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
        table="figures/{table}.md",
        # Not in <results>, as in rule draw, which writes results/drawn/ for tables as well.
        digests="results/tabulated/{table}.json",
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
        verdicts="<results>/claims/{figure}.json",
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
