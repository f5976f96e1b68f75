# Two commands from a fresh clone: `make figures` and `make test`. Both build the environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

export PYTHONDONTWRITEBYTECODE := 1

.PHONY: figures test test-cluster lint format verify estimate times benchmark bundle report preview clean environment

figures: $(READY)
	$(BIN)/snakemake figures/all

# The longest files come first, as each is run by one process; that of clusters mostly waits. What is named twice is run
# once, from pytest 9 on.
test: $(READY)
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder tests/cluster tests/test_plots.py tests/workflow tests/browser tests/test_*.py

# Alone. Needs root, and the packages slurm-wlm and munge; without them `make test` skips it.
test-cluster: $(READY)
	SLURM_REQUIRED=1 $(BIN)/python -m pytest tests/cluster

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow/rules examples
	$(BIN)/snakemake --lint

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow/rules examples

# What is left to run, and how long that should take. Of something else: make estimate OF="figures/max_margin/fig4a.pdf"
estimate: $(READY)
	@$(BIN)/python -m attention_dynamics.pipeline.estimate $(OF)

# The committed tables of how long jobs take, after `make figures`.
times: $(READY)
	$(BIN)/python -m attention_dynamics.pipeline.times

verify: $(READY)
	$(BIN)/python -m attention_dynamics.claims.manifest figures

benchmark: $(READY)
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/mirror_descent.py
	$(BIN)/python benchmarks/scan_and_snap.py

# Figures, claims, manifest, configuration, versions and commit in one archive, for a paper's supplement.
bundle: $(READY)
	$(BIN)/snakemake figures/bundle.zip

# One file for those who do not have the repository: figures, claims, settings, runtimes and the graph of the rules.
report: figures
	$(BIN)/snakemake figures/all --report figures/report.html

# The README's pictures and verdicts.
preview: figures
	$(BIN)/python -m attention_dynamics.gallery.preview

environment: $(READY)

# pip takes torch's CPU build where one is on offer: 2.13.0+cpu satisfies the lock's torch==2.13.0.
$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed (make PYTHON=...)")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

# Together, because Snakemake's memory of what is up to date must go with the files that it is about.
clean:
	rm -rf .snakemake logs
	find results figures -mindepth 1 ! -name README.md -delete
