"""From paths to pixels: find files, tell what they are, decode them, scale them to views.

Names resolve when first used: telling what a file is needs no decoder.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

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
    "local_copy",
    "medium_id",
    "moves",
    "open_medium",
    "open_picture",
    "resize",
    "sniff",
    "view_size",
]

_HOMES = {
    "Found": "listing",
    "Limits": "source",
    "Listing": "listing",
    "Opened": "picture",
    "Sampling": "source",
    "Skipped": "listing",
    "Source": "source",
    "file_medium_id": "identify",
    "find_files": "folder",
    "local_copy": "remote",
    "medium_id": "identify",
    "moves": "open",
    "open_medium": "open",
    "open_picture": "picture",
    "resize": "view",
    "sniff": "identify",
    "view_size": "view",
}

if TYPE_CHECKING:
    from mediaan.media.folder import find_files
    from mediaan.media.identify import file_medium_id, medium_id, sniff
    from mediaan.media.listing import Found, Listing, Skipped
    from mediaan.media.open import moves, open_medium
    from mediaan.media.picture import Opened, open_picture
    from mediaan.media.remote import local_copy
    from mediaan.media.source import Limits, Sampling, Source
    from mediaan.media.view import resize, view_size


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"mediaan.media.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'mediaan.media' has no attribute {name!r}")
