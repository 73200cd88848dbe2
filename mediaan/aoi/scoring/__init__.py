"""Score areas on fixation densities: attention, who sees them, when and for how long."""
