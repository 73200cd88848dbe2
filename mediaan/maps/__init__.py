"""Render densities as images: heatmaps, fog maps, local drivers, contact sheets and overlays.

Names load when first used.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
