"""Fit attention predictions to one's own viewers."""
