"""Areas of interest: found in frames, followed over time, scored against densities."""
