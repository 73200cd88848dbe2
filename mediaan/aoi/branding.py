"""Branding of a frame: the brand's name, its logo, and what is set like a mark."""

from __future__ import annotations

from collections.abc import Sequence

from mediaan.aoi.logos import LogoMatcher
from mediaan.aoi.names import find_names
from mediaan.types.aoi import Brand, Candidate, Detection, TextLine
from mediaan.types.arrays import Float32, UInt8


def find_branding(
    rgb: UInt8,
    lines: Sequence[TextLine],
    detections: Sequence[Detection],
    brand: Brand | None = None,
    matcher: LogoMatcher | None = None,
    density: Float32 | None = None,
) -> tuple[Candidate, ...]:
    """Find what shows whose medium this is.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    lines : sequence of TextLine
    detections : sequence of Detection
        Those of the type logo are taken up.
    brand : Brand, optional
    matcher : LogoMatcher, optional
        For the brand's logo pictures.
    density : (h, w) float32, optional
        Fixation density.

    Returns
    -------
    tuple of Candidate
        Of the type branding, the surest first.
    """
    del density
    label = brand.name if brand else ""
    found = (
        [Candidate("branding", label, m.box, m.confidence, "brand_name") for m in find_names(lines, brand)]
        if brand
        else []
    )
    found += [
        Candidate("branding", label, m.box, m.confidence, "logo_picture", m.polygon)
        for m in (matcher.find(rgb) if matcher else ())
    ]
    found += [Candidate("branding", label, d.box, d.confidence, "detector") for d in detections if d.type == "logo"]
    return tuple(sorted(found, key=lambda c: (-c.confidence, c.box)))
