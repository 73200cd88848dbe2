"""Compute scores of a medium from drivers and densities."""
