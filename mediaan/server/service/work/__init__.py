"""Jobs done by worker processes, and the supervisor of these."""
