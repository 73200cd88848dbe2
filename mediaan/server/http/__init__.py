"""HTTP as every room above the service speaks it: errors, limits, bodies, who asks whom, files, uploads."""
