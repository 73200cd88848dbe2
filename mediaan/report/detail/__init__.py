"""Prepare what the page shows of one medium."""
