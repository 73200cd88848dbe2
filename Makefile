# Every target works in a fresh clone: .venv is made when it is not there.
PYTHON ?= python3
BIN := .venv/bin
# Tests that cannot share a machine with others: they time processes, kill them, or count what is open.
ALONE := server execution storage crashes hostile

.PHONY: check lint types test docs notebooks bench demo golden norms clean

check: lint types docs test

$(BIN)/ruff: pyproject.toml  # stands for the whole environment; remade when the dependencies change
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

lint: $(BIN)/ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

types: $(BIN)/ruff
	$(BIN)/mypy

test: $(BIN)/ruff
	$(BIN)/python -m pytest -q -n 2 $(ALONE:%=--ignore=tests/%)
	for part in $(ALONE); do $(BIN)/python -m pytest -q tests/$$part || exit 1; done

docs: $(BIN)/ruff  # the site, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

notebooks: $(BIN)/ruff  # executed in place, with their pictures
	$(BIN)/python notebooks/render.py

demo: $(BIN)/ruff
	$(BIN)/mediaan analyze tests/sample_ads/ads tests/sample_ads/videos --out demo

golden: $(BIN)/ruff  # the numbers of the sample ads anew; CONTRIBUTING.md says when
	$(BIN)/python tests/golden/update.py

norms: $(BIN)/ruff  # the norm sets that ship anew, from ../shared/data
	$(BIN)/python benchmarks_data/build.py

bench: $(BIN)/ruff
	$(BIN)/python -m bench
	$(BIN)/python -m bench.videos

clean:
	rm -rf .venv demo site .mypy_cache .ruff_cache .pytest_cache bench/cache
