"""Say what an area of a page gets on average, whatever is there, and how much less people look at display ads.

The average is the mean predicted density of many pages. Of display ads, people see less than of other content that
looks alike (banner blindness: Benway & Lane 1998, Internetworking 1.3); the factor is that of display ads on
eye-tracked pages.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from mediaan.aoi.region import attention_share
from mediaan.errors import SetupError
from mediaan.types.aoi import Box
from mediaan.types.arrays import Float32

ASPECTS = 1.2, 2.4
"""Width over height of the pages of which the average speaks: screens of computers."""


@dataclass(frozen=True, slots=True)
class DisplayAds:
    """What people gave to display ads on eye-tracked pages, over what was predicted."""

    factor: float
    """Measured over predicted share of attention."""
    lo: float
    hi: float
    """90 % interval of the factor, by a bootstrap over pages."""
    ads: int
    pages: int
    """How many there were."""
    relative_sd: float
    """Spread between ads that intervals need in order to hold 90 % of them."""


@dataclass(frozen=True, slots=True)
class AveragePage:
    """The mean density of first screens of pages."""

    density: Float32
    """(h, w) float32. Sums to 1."""
    pages: int
    """Number of pages."""
    checked: dict[str, Any]
    """How predicted shares of boxes agree with eye-tracked pages; see ``docs/context.md``."""
    display_ads: DisplayAds

    def share(self, box: Box) -> float:
        """Return the share of attention in a box on an average page, 0-1."""
        return attention_share(self.density, box)


def speaks_for(width: int, height: int) -> bool:
    """Tell whether a page has a shape of which the average is known."""
    return ASPECTS[0] <= width / height <= ASPECTS[1]


@cache
def average_page() -> AveragePage:
    """Return the average that ships; `models/training/context_checks.py` makes it.

    Raises SetupError: its file is missing or damaged.
    """
    path = files("mediaan.studies.context").joinpath("average_page.json")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        density = np.asarray(content["density"], np.float64)
        density = (density / density.sum()).astype(np.float32)
        pages = int(content["provenance"]["pages"])
        return AveragePage(density, pages, content["checked"], DisplayAds(**content["display_ads"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"{path} cannot be read ({error!r}); reinstall mediaan.") from error
