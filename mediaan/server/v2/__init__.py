"""The Media Analysis Service API, version 2: requests become calls of the service, and what it returns v2's answers.

A file for each group of paths, in the words of the specification: `mixed_media`, `media`, `benchmark_ranges`, `images`,
`videos`, `account`. `operations` has what all declare, `openapi` the document that follows from it.
"""
