"""Read the results of a run, and count over its tables."""
