"""From paths to pixels: find files, tell what they are, decode them, scale them to views."""
