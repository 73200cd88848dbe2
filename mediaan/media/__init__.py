"""From paths to pixels: find files, tell what they are, decode them, scale them to views."""

from mediaan.media.folder import Found, Listing, Skipped, find_files
from mediaan.media.identify import medium_id, sniff
from mediaan.media.picture import Opened, open_picture
from mediaan.media.view import resize, view_size

__all__ = [
    "Found",
    "Listing",
    "Opened",
    "Skipped",
    "find_files",
    "medium_id",
    "open_picture",
    "resize",
    "sniff",
    "view_size",
]
