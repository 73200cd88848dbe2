"""Compare two runs over the same media: what changed between versions."""
