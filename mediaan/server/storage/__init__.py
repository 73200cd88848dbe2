"""What the server keeps: companies, keys, media, jobs and usage in SQLite, files in folders."""
