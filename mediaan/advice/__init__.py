"""Advise on one image: try edits of its own areas, and tell those that are predicted to help."""
