"""Compare media and groups of media: differences, what can be told from chance, rankings."""
