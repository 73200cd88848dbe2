# Every target works in a fresh clone: .venv is made when it is not there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: check lint types test bench demo clean

check: lint types test

.venv/ready: pyproject.toml  # remade when the dependencies change
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

types: .venv/ready
	$(BIN)/mypy

test: .venv/ready
	$(BIN)/python -m pytest -q
	$(BIN)/python -m pytest -q --nbmake notebooks

demo: .venv/ready
	$(BIN)/mediaan analyze tests/sample_ads/ads --out demo

bench: .venv/ready
	$(BIN)/python -m bench

clean:
	rm -rf .venv demo .mypy_cache .ruff_cache .pytest_cache bench/cache
