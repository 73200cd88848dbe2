# Every target works in a fresh clone: .venv is made when it is not there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: check lint types test bench demo clean

check: lint types test

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
	$(BIN)/python -m pytest -q
	$(BIN)/python -m pytest -q --nbmake notebooks

demo: $(BIN)/ruff
	$(BIN)/mediaan analyze tests/sample_ads/ads tests/sample_ads/videos --aois all --out demo

bench: $(BIN)/ruff
	$(BIN)/python -m bench
	$(BIN)/python -m bench.videos

clean:
	rm -rf .venv demo .mypy_cache .ruff_cache .pytest_cache bench/cache
