"""The Media Analysis Service API, version 2: requests become calls of the service, and what it returns v2's answers.

A file for each group of paths: `media`, `benchmark_ranges`, `images`, `videos` with mixed media, `account`; `aois` has
those of all kinds of media. `operations` is what all are declared with, `openapi` the document that follows from it.
"""
