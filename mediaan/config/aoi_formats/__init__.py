"""Read and write files of AOIs."""
