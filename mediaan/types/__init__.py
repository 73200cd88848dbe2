"""Frozen value types that travel between the rooms; they compute nothing heavy and import only numpy."""
