"""HTTP as every room above the service speaks it: limits, errors, bodies, forms, sessions, files, uploads."""
