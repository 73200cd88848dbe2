"""Judge results: benchmark, checks and rules."""
