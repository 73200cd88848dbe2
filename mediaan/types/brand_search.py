"""Whether the brand that was named was found in a medium."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from mediaan.types.aoi import Aoi
from mediaan.types.outcome import Problem

BRAND_NOT_FOUND = "brand_not_found"


@dataclass(frozen=True, slots=True)
class BrandSearch:
    """What came of the search for a brand in one medium.

    Attributes
    ----------
    brand : str
        Its name.
    found : bool
        Whether there is any branding AOI of it; in a film, at any time.
    """

    brand: str
    found: bool

    @classmethod
    def among(cls, brand: str | None, aois: Iterable[Aoi], *, searched: bool) -> Self | None:
        """Tell from the AOIs of a medium whether a brand was found.

        Parameters
        ----------
        brand : str or None
            The brand that was named.
        aois : iterable of Aoi
        searched : bool
            Whether AOIs were looked for with this brand, so that all branding is the brand's. If not, only branding
            that people drew counts, and that there is none says nothing.

        Returns
        -------
        BrandSearch or None
            None: no brand was named, or nobody has looked for it.
        """
        if brand is None:
            return None
        found = any(aoi.type == "branding" and (searched or aoi.source == "drawn") for aoi in aois)
        return cls(brand, found) if found or searched else None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The warning that the medium gets where the brand was not found."""
        if self.found:
            return ()
        message = f"{self.brand} was not found in this ad; if it is there, add an alias or a logo picture to its brand"
        return (Problem(BRAND_NOT_FOUND, message),)
