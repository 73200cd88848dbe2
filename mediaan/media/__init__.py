"""From paths to pixels: find files, tell what they are, decode them, scale them to views.

Names resolve when first used: telling what a file is needs no decoder.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
