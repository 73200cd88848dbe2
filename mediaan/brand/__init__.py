"""Whose ads these are."""
