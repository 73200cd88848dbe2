"""See what images show: text, objects, and how much of what."""
