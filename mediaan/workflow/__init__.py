"""What commands and the library do: one image, one array, or folders of files to a run with its report."""
