"""From paths to pixels: find files, tell what they are, decode them, scale them to views."""

from mediaan.media.folder import Found, Listing, Skipped, find_files
from mediaan.media.identify import file_medium_id, medium_id, sniff
from mediaan.media.open import moves, open_medium
from mediaan.media.picture import Opened, open_picture
from mediaan.media.source import Limits, Sampling, Source
from mediaan.media.view import resize, view_size

__all__ = [
    "Found",
    "Limits",
    "Listing",
    "Opened",
    "Sampling",
    "Skipped",
    "Source",
    "file_medium_id",
    "find_files",
    "medium_id",
    "moves",
    "open_medium",
    "open_picture",
    "resize",
    "sniff",
    "view_size",
]
