"""Read and validate configuration files: objectives, rules, areas, calibrations, tables about media.

Names resolve when first used: rules and norm sets need arrays and tables, a single objective does not.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
