"""The v2 media analysis service on one's own machine: identity, storage, jobs and HTTP around the library."""
