"""Store files in a local folder or below a prefix of an object store, behind one interface.

Names load when first used: a file on this machine needs no object store.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
