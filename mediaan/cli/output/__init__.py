"""What commands print, as text for people."""
