"""Where scores stand in populations: norm sets, ranges, categories, targets, sentences."""
