"""Write videos with something drawn over each frame."""
