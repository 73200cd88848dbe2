"""What every request passes: connections, limits, envelope, log."""
