"""Studies over media and runs (compare, trend, drift, what-if): each its statistics, workflow and sentences."""
