"""Judge simulated scanpaths by those of people: similarity of sequences, statistics of saccades, likelihood."""
