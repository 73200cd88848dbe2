"""The service: companies, keys, media, uploads, jobs and usage in SQLite, files in folders, and workers."""
