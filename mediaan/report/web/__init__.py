"""Render the page; `views/` holds its HTML, styles and scripts by view."""
