from .limits import MediaLimits
from .listing import MediaFile, MediaListing, SkippedFile, find_files, local_copy
from .open import OpenedImage, is_moving, open_image, open_medium
from .probe import file_medium_id, medium_id, sniff
from .source import Sampling, Source
from .views import resize, view_size

__all__ = [
    "MediaFile",
    "MediaLimits",
    "MediaListing",
    "OpenedImage",
    "Sampling",
    "SkippedFile",
    "Source",
    "file_medium_id",
    "find_files",
    "is_moving",
    "local_copy",
    "medium_id",
    "open_image",
    "open_medium",
    "resize",
    "sniff",
    "view_size",
]
