"""Decode still images."""
