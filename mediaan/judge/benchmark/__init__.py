"""Rate scores in populations: norm sets, ranges, categories, targets, sentences."""
