"""Keep and change the AOIs of a finished run."""
