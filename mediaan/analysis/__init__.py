"""Analyze one file: what to compute, and one pure function that computes it.

Names load when first used, so that a recipe loads no models.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
