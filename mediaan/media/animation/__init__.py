"""Decode animated GIF, PNG and WebP files."""
