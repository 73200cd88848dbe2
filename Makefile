# Every target works in a fresh clone: .venv is made when it is not there.
PYTHON ?= python3
BIN := .venv/bin
# How many processes run tests, file by file (tests/conftest.py): one more than two cores, since some tests wait.
PROCESSES ?= 3
# Tests start hundreds of processes that import the same; without bytecode each would compile it.
unexport PYTHONDONTWRITEBYTECODE

# The scripts of the report are checked where Node.js is; a report is made without.
NPM := $(shell command -v npm)
SCRIPTS := $(if $(NPM),node_modules/.package-lock.json)
NO_NPM := The scripts of the report are not checked: that needs Node.js 18 or later with npm.

.PHONY: audit check check-all lint types test test-all test-scripts docs notebooks bench demo golden mutants norms clean

# Tests build the documentation, too.
check: lint types test

check-all: lint types test-all  # with more kills, more damaged files, and tests marked `full`

$(BIN)/ruff: pyproject.toml  # stands for the whole environment; remade when the dependencies change
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --editable '.[dev]'
	touch $@

node_modules/.package-lock.json: package-lock.json
	npm ci --silent --no-audit --no-fund --ignore-scripts
	touch $@

lint: $(BIN)/ruff $(SCRIPTS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(if $(NPM),npm run --silent check,@echo "$(NO_NPM)")

types: $(BIN)/ruff
	$(BIN)/mypy

test: $(BIN)/ruff test-scripts
	$(BIN)/python -m pytest -q -n $(PROCESSES)

test-all: $(BIN)/ruff test-scripts
	$(BIN)/python -m pytest -q -n $(PROCESSES) --full

test-scripts: $(SCRIPTS)
	$(if $(NPM),npm test --silent,@echo "$(NO_NPM)")

# Not part of check-all, which works without a network.
audit: $(BIN)/ruff
	$(BIN)/python tests/packaging/audit.py

docs: $(BIN)/ruff  # the site, into site/, and tables that the program knows, into its pages
	$(BIN)/python docs/site/tables.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

notebooks: $(BIN)/ruff  # executed in place, with their pictures
	$(BIN)/python notebooks/render.py

demo: $(BIN)/ruff
	$(BIN)/mediaan analyze tests/sample_ads/ads tests/sample_ads/videos --objectives tests/sample_ads/mediaan.yaml --out demo

golden: $(BIN)/ruff  # the numbers of the sample ads anew; CONTRIBUTING.md says when
	$(BIN)/python tests/golden/update.py

norms: $(BIN)/ruff  # the norm sets that ship anew, from ../shared/data
	$(BIN)/python benchmarks_data/build.py

# Breaks the program in one place at a time and lists what no test notices; ONLY='mediaan.judge.rules.*' for a part of it.
mutants: $(BIN)/ruff
	$(BIN)/mutmut run $(ONLY)
	$(BIN)/mutmut results

bench: $(BIN)/ruff
	$(BIN)/python -m bench

clean:
	rm -rf .venv node_modules demo site .mypy_cache .ruff_cache .pytest_cache bench/cache
