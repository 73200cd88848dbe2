"""Score attention predictors against eye tracking."""
