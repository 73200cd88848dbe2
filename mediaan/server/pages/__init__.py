"""The web page: media with their states, uploads, reports and the editor of areas, for people with a browser."""
