# Two commands from a fresh clone: `make figures` and `make test`. Both build the environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS_VENV := .venv-docs
CHECK_PYTHON := $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed (make PYTHON=...)")'

export PYTHONDONTWRITEBYTECODE := 1

.PHONY: figures test test-cluster lint format verify estimate times benchmark bundle report preview docs clean environment

figures: $(READY)  ## every figure, the claims and the manifest (the default)
	$(BIN)/snakemake figures/all

# The longest files come first, as each is run by one process; that of clusters mostly waits. What is named twice is run
# once, from pytest 9 on.
test: $(READY)  ## all tests; those of Slurm and of pages in a browser where these are installed
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder tests/cluster tests/test_plots.py tests/workflow tests/browser tests/test_*.py

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

format: $(READY)  ## format Python and Snakemake files
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow/rules examples

# What is left to run, and how long that should take. Of something else: make estimate OF="figures/max_margin/fig4a.pdf"
estimate: $(READY)  ## what is left to run, and how long it should take
	@$(BIN)/python -m attention_dynamics.pipeline.estimate $(OF)

# The committed tables of how long jobs take, after `make figures`.
times: $(READY)  ## write benchmarks/times.md and times.csv after `make figures`
	$(BIN)/python -m attention_dynamics.pipeline.times

verify: $(READY)  ## compare figures/ with its manifest
	$(BIN)/python -m attention_dynamics.claims.manifest figures

benchmark: $(READY)  ## measure the speed of trainings
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/mirror_descent.py
	$(BIN)/python benchmarks/scan_and_snap.py

# Figures, claims, manifest, configuration, versions and commit in one archive, for a paper's supplement.
bundle: $(READY)  ## pack figures, claims and configuration into figures/bundle.zip
	$(BIN)/snakemake figures/bundle.zip

# One file for those who do not have the repository: figures, claims, settings, runtimes and the graph of the rules.
report: figures  ## put figures, claims and runtimes into figures/report.html
	$(BIN)/snakemake figures/all --report figures/report.html

# From figures/ and figures/claims.csv.
preview: figures  ## write docs/figures.md, its thumbnails and the README's results
	$(BIN)/python -m attention_dynamics.gallery.thumbnails
	$(BIN)/python -m attention_dynamics.gallery.overview
	$(BIN)/python -m attention_dynamics.gallery.preview

# The documentation, in docs/_build/html. Installing its environment needs a network, building it does not.
docs: $(DOCS_VENV)/.ready  ## the documentation, in docs/_build/html
	$(DOCS_VENV)/bin/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

environment: $(READY)  ## install exact versions of all packages into .venv

# pip takes torch's CPU build where one is on offer: 2.13.0+cpu satisfies the lock's torch==2.13.0.
$(READY): requirements.lock pyproject.toml
	$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(DOCS_VENV)/.ready: docs/requirements.lock requirements.lock pyproject.toml
	$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet -r docs/requirements.lock
	$(DOCS_VENV)/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

.PHONY: help
help:  ## list the targets
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / {printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Together, because Snakemake's memory of what is up to date must go with the files that it is about.
clean:  ## delete results, figures, logs and Snakemake's records
	rm -rf .snakemake logs
	find results figures -mindepth 1 ! -name README.md -delete
