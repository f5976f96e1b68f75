# Two commands from a fresh clone: `make figures` and `make test`. Both build the environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# For targets that only look at what is there: the environment, but not its renewal.
PRESENT := $(if $(wildcard $(BIN)/snakemake),,$(READY))
DOCS_VENV := .venv-docs
CHECK_PYTHON := $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed (make PYTHON=...)")'

# What shells and modules of clusters set for other Pythons, and pip.conf may set too, would change what is installed and
# imported. With a safe path, a file of yours beside this one, such as random.py, does not take the place of Python's own.
# Without bytecode, which images of containers turn off, every job would compile the library.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE PIP_TARGET PIP_PREFIX PIP_ROOT PIP_CONSTRAINT PIP_NO_BINARY PIP_DRY_RUN
export PIP_USER := 0
export PYTHONSAFEPATH := 1

.PHONY: figures fetch try test test-fast test-long test-cluster coverage lint check-types format baseline verify estimate times bundle report report-pdf record preview docs clean environment

# Some clusters export DATA, the path of a folder of the user's.
ifeq ($(origin DATA),environment)
DATA := $(if $(filter /%,$(DATA)),,$(DATA))
endif
SETTINGS := $(if $(SCALE),"scale=$(SCALE)") $(if $(DATA),"data=$(DATA)") $(if $(DATA_MIRROR),"data_mirror=$(DATA_MIRROR)")
CONFIG = $(if $(strip $(SETTINGS)),--config $(SETTINGS))
WITH_SETTINGS := figures fetch try estimate bundle report report-pdf record

# A variable on the command line that a target would pass over in silence is refused; so is a misspelt one.
with = $(if $(filter SCALE DATA DATA_MIRROR,$(1)),$(WITH_SETTINGS))$(if $(filter FIGURE SET SEEDS NAME MEASURE,$(1)),try)$(if $(filter OF,$(1)),estimate)$(if $(filter FIGURES,$(1)),record)
GIVEN := $(foreach name,$(filter-out PYTHON SHELL,$(.VARIABLES)),$(if $(filter command,$(origin $(name))),$(name)))
$(foreach name,$(GIVEN),$(foreach target,$(filter-out $(call with,$(name)),$(or $(MAKECMDGOALS),figures)),\
    $(error make $(target) does not take $(name) (taken by: $(or $(call with,$(name)),no target)))))

figures: $(READY)  ## every figure, the claims and the manifest (the default)
	$(BIN)/snakemake figures/all $(CONFIG)

# Also checks again what was fetched before. A mirror is checked in the same way.
fetch: $(READY)  ## download and check data sets: make fetch SCALE=workstation DATA=official
	$(BIN)/snakemake fetch --keep-going --forcerun dataset $(CONFIG)

# A figure of a changed experiment, beside the published one: figures/variants/<NAME>/<paper>/<figure>.html. With MEASURE, a
# sweep over the list among the values in SET: figures/variants/<NAME>/sweep.pdf.
# Not ?=, because some systems export NAME.
NAME := try
try: $(READY)  ## a changed figure: make try FIGURE=max_margin/fig9a SET="problems.random_n4_t6.n=8" [SEEDS=5] [NAME=try] [MEASURE=<run>.<series>]
	@target=$$($(BIN)/python -m attention_dynamics.pipeline.try_variant "$(NAME)" "$(FIGURE)" "$(SET)" "$(SEEDS)" "$(MEASURE)") \
	&& $(BIN)/snakemake $$target $(CONFIG) && echo $$target

# Three processes, because the tests of the cluster mostly wait.
test: $(READY)  ## all tests; those of Slurm and of pages in a browser where these are installed
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder --durations=30 tests

# Tests that start Snakemake, a browser or Slurm are left out. Their folders are not even read, because every process of
# the tests imports what it reads; the marker is for tests in other folders.
LIBRARY_ONLY := --ignore=tests/workflow --ignore=tests/browser --ignore=tests/cluster
test-fast: $(READY)  ## the quick tests of the library
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not (slow or long or workflow)" $(LIBRARY_ONLY) tests

# Run by hand.
test-long: $(READY)  ## sweeps: some tests on many more cases
	$(BIN)/python -m pytest -n 2 --durations=0 -m long tests

# The report is in htmlcov/. It does not count lines that run in processes of Snakemake.
coverage: $(READY)  ## the share of the library's lines that test-fast and the slow tests run
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not (long or workflow)" $(LIBRARY_ONLY) --cov --cov-report=html --cov-report=term:skip-covered tests

# Digests of the figures at the smoke scale, in tests/baseline/.
baseline: $(READY)  ## renew the pictures that the tests expect, after a change that should be seen
	RENEW_BASELINE=1 $(BIN)/python -m pytest tests/plots/test_plots.py -k look_like_baseline

# Alone. Needs root, and the packages slurm-wlm and munge; without them `make test` skips it.
test-cluster: $(READY)  ## the tests with Slurm alone, as root
	SLURM_REQUIRED=1 $(BIN)/python -m pytest tests/cluster

lint: $(READY)  ## ruff, mypy, snakefmt, codespell and Snakemake's linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow/rules examples
	$(BIN)/codespell
	$(BIN)/snakemake --lint

# Needs npm and a network, once.
check-types:  ## check the types of the scripts of figures/explore.html with TypeScript
	npx --yes --package typescript@7.0.2 tsc --project workflow/attention_dynamics/gallery/templates/explore

format: $(READY)  ## format Python and Snakemake files
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow/rules examples

# For other targets: make estimate OF="figures/max_margin/fig4a.pdf"
estimate: $(PRESENT)  ## list the pending jobs, and estimate their run time
	@$(BIN)/python -m attention_dynamics.pipeline.run_times estimate $(OF) $(CONFIG)

times: $(PRESENT)  ## write benchmarks/times.md and times.csv after `make figures`
	$(BIN)/python -m attention_dynamics.pipeline.run_times tables

verify: $(PRESENT)  ## compare figures/ with its manifest
	$(BIN)/python -m attention_dynamics.claims.manifest figures

# Figures, claims, manifest, configuration, versions and commit in one archive, for a paper's supplement.
bundle: $(READY)  ## pack figures, claims and configuration into figures/bundle.zip
	$(BIN)/snakemake figures/bundle.zip $(CONFIG)

# One file for readers without the repository: figures, claims, settings, run times and the graph of the rules.
report: figures  ## put figures, claims and runtimes into figures/report.html
	$(BIN)/snakemake figures/all --report figures/report.html $(CONFIG)

report-pdf: figures  ## typeset figures, claims and statements, a part for each paper: figures/report.pdf
	$(BIN)/python -m attention_dynamics.gallery.typeset_report $(SETTINGS)

# What it writes is committed, and neither scale nor source has a default.
record: $(READY)  ## figures and verdicts on real data, into records/: make record SCALE=workstation DATA=official [FIGURES="fast_rates/fig6"]
	$(BIN)/python -m attention_dynamics.gallery.record_figures "$(FIGURES)" $(SETTINGS)

# What it writes is committed, so it does not depend on the scale in config/config.yaml.
preview: SETTINGS := scale=laptop data=embedded
preview: figures  ## write docs/figures.md, its thumbnails and the README's results
	$(BIN)/python -m attention_dynamics.gallery.preview

# The documentation, in docs/_build/html. Installing its environment needs a network, building it does not.
docs: $(DOCS_VENV)/.ready  ## the documentation, in docs/_build/html
	$(DOCS_VENV)/bin/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

environment: $(READY)  ## install exact versions of all packages into .venv

# pip prefers the builds on PyPI, whose hashes the index states, to a build of torch for the CPU in a folder of wheels. So
# torch is downloaded without hashes (2.13.0+cpu satisfies torch==2.13.0), and then installed with them. Unpacking packages
# keeps a processor busy, so two of pip's processes share them: torch takes as long as a fifth of the others. Shells let
# a process in the background ignore Ctrl-C, so it is ended. The build for CUDA, which PyPI has for Linux, needs libraries
# that `pip check` misses.
INSTALL := -m pip install --quiet --require-hashes --no-deps --no-compile
LOCKS := requirements.lock requirements-cuda.lock

# The new environment is built beside the old one and takes its place when it is complete, so that a failure or Ctrl-C
# leaves the old one as it was. What pip installs names the folder that it was installed in. A link is never followed, and
# an environment of another origin never replaced. Modules are compiled when they are first imported: compiling all of them
# takes longer than everything else, and most are never used.
define install
@if test -L $(1) || { test -e $(1) && test ! -e $(1)/.ready; }; then \
    echo "$(1) is a link, or was not made here, and is not replaced: delete it, or keep it as it is: touch $(1)/.ready"; exit 1; fi
$(CHECK_PYTHON)
@test ! -e $(1) || echo "$(1) is older than $?, and stays until a new one is complete. To keep it: touch $(1)/.ready"
rm -rf $(1).new
$(PYTHON) -m venv $(1).new
tr -d '\r' < requirements.lock | awk '/^[a-z].*==/ { part = /^torch==/ ? "torch" : packages++ % 5 < 3 ? "first" : "second" } part { print > ("$(1).new/" part ".lock") }'
$(1).new/bin/python $(INSTALL) -r $(1).new/first.lock & first=$$!; trap 'kill $$first; exit 1' HUP INT TERM; \
    { $(1).new/bin/python -m pip download --quiet --no-deps --dest $(1).new/torch $$(sed -n 's/^\(torch==[^ ]*\) .*/\1/p' $(1).new/torch.lock) && \
    $(1).new/bin/python $(INSTALL) --no-index --find-links $(1).new/torch -r $(1).new/torch.lock && \
    $(1).new/bin/python $(INSTALL) -r $(1).new/second.lock; }; others=$$?; wait $$first && exit $$others
rm -r $(1).new/torch
$(if $(filter-out requirements.lock,$(2)),$(1).new/bin/python $(INSTALL) -r $(2))
$(1).new/bin/python -m pip check > /dev/null || $(1).new/bin/python $(INSTALL) -r requirements-cuda.lock
$(1).new/bin/python -m pip check
$(1).new/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
find $(1).new/bin $(1).new/pyvenv.cfg -type f -exec grep -qI '\$(1)\.new' {} \; -exec sed -i.bak 's/\$(1)\.new/$(1)/g' {} \;
rm -f $(1).new/*.bak $(1).new/bin/*.bak
cat $^ | cksum > $(1).new/.ready
trap '' HUP INT TERM; rm -rf $(1).old && { test ! -e $(1) || mv $(1) $(1).old; } && mv $(1).new $(1)
rm -rf $(1).old
endef

# Times of files change with a checkout of another branch and back; their content does not.
UNCHANGED = $(shell cat $^ | cksum | cmp -s - $@ && echo yes)

$(READY): $(LOCKS) pyproject.toml
	$(if $(UNCHANGED),@touch $@,$(call install,$(VENV),requirements.lock))

$(DOCS_VENV)/.ready: docs/requirements.lock $(LOCKS) pyproject.toml
	$(if $(UNCHANGED),@touch $@,$(call install,$(DOCS_VENV),docs/requirements.lock))

# On Ctrl-C make would delete them.
.PRECIOUS: $(READY) $(DOCS_VENV)/.ready

.PHONY: help
help:  ## list the targets
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / {printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "with SCALE=smoke, DATA=official, or DATA=mirror DATA_MIRROR=<folder>: $(WITH_SETTINGS)"

# All of them, because Snakemake's records must not outlive the files that they are about. A folder that is a link, to a
# large disk for instance, stays one: what it leads to is emptied. Links inside of it are deleted, not followed.
clean:  ## delete results, figures, logs and Snakemake's records
	@for folder in .snakemake logs results figures; do \
	    test ! -d $$folder || find -H $$folder -mindepth 1 ! -path $$folder/README.md -delete || exit 1; \
	done
