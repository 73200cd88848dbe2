"""Predict, offline, what people look at in ads, images and videos, and turn it into numbers.

Names load when first used: ``import mediaan`` itself imports nothing heavy.

Examples
--------
>>> import mediaan as mn
>>> r = mn.analyze("ad.png")  # doctest: +SKIP
>>> r["focus"].value, r.densities["total"].sum()  # doctest: +SKIP
"""

from __future__ import annotations

import os

import lazy_loader

__version__ = "0.9.0"

# ONNX Runtime sends usage data home, from 1.31 on also on Linux, unless told not to before it is loaded; nothing leaves
# the house here unless the user says so.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
