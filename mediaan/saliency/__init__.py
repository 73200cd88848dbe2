"""Predict where people look: attention models, gaze over time, and the densities that they give.

Names load when first used, so that the arithmetic of densities does not load ONNX Runtime.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
