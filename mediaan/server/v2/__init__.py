"""The Media Analysis Service API, version 2: requests become calls of the service, and what it returns v2's answers.

A file for each group of paths: `media` and the account, `benchmark_ranges` with objectives and checks, `images`,
`videos` and mixed media, `aois` of these. `operations` is what all are declared with, `openapi` the document of them.
"""
