"""Measurements of the whole command: ``python -m bench``."""
