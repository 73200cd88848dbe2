"""The v2 media analysis service on one's own machine: identity, storage, jobs and HTTP around the library.

The way of a request: `http` (connection, limits, log) → `api` (who asks, for which operation, are its parts valid) →
`routes` (what each operation does) → `storage` (what is kept) and, by a job that waits there, → `work` (what is done to
a medium). Files come in by `uploads` and go out by `files`; `pages` is the web page.
"""
