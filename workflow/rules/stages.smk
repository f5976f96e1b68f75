"""Rules from a problem to a measured run: data -> train -> selected_svm, data -> svm, and all of them -> measure.

The rule ``dataset`` provides published data sets. For comparisons of optimizers, the order is data -> optimize.
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
