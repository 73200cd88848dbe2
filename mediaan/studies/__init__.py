"""Studies over media and runs (compare, context, trend, drift, what-if): statistics, workflow and sentences."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
