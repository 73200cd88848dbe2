"""Find areas of interest in frames, track them over time, and score them on densities."""
