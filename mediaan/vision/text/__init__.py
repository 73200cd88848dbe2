"""Read text in images."""
