"""Score the detection of areas of interest against areas that people drew."""
