"""Find media files, tell their formats, decode them and scale them to views.

Names resolve when first used: telling the format of a file needs no decoder.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
