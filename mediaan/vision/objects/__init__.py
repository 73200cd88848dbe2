"""Detect objects in images."""
