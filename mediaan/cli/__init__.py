"""The command line: options in, streams and exit codes out."""
