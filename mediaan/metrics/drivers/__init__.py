"""Measure properties of an image from its pixels."""
