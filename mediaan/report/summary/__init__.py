"""Summarize metrics, media and the run in sentences."""
