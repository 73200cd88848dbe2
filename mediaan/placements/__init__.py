"""Show a medium in a placement: what is cropped, covered and too small, scores as shown, and a preview."""
