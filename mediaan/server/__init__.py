"""The v2 media analysis service on one's own machine: identity, storage, jobs and HTTP around the library.

The way of a request: `http` (ids, limits, log) → `sessions` (who asks) → `api` (are its parts valid, and what each
operation does) → `storage` (what is kept) and, by a job that waits there, → `work` (what is done to a medium). Videos
come in by `uploads`, and files go out by `files`; `pages` is the web page.
"""
