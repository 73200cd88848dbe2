"""Read objectives files: what each medium is for."""
