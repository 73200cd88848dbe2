"""Declare, write and read the tables of a run."""
