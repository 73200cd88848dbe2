"""Analyze folders of files into a run directory."""
