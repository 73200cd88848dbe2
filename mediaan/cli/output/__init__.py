"""Write what commands print, as text for people."""
