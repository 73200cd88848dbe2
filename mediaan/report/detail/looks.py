"""Order of looks at an image: the typical path, and the areas in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mediaan.types.result import Result

_PLACE_DIGITS, _TIME_DIGITS = 4, 3


def looks_data(result: Result) -> Mapping[str, Any] | None:
    """Return the order of looks for the page's script; keys are read in `views/looks/looks.js`.

    Areas are told by their place in the list of the page: `order` has [area, share of simulated viewers in %], the one
    looked at first first, and `path` has [x, y, onset in s, duration in s, area or null] for each fixation.
    """
    if result.looks is None:
        return None
    place = {aoi.aoi_id: index for index, aoi in enumerate(result.aois or ())}
    return {
        "order": [
            [place[look.aoi_id], round(look.share or 0)]
            for look in result.looks.areas
            if look.rank is not None and look.aoi_id in place
        ],
        "path": [
            [
                *(round(side, _PLACE_DIGITS) for side in (fixation.x, fixation.y)),
                *(round(time, _TIME_DIGITS) for time in (fixation.onset_s, fixation.duration_s)),
                None if fixation.aoi_id is None else place.get(fixation.aoi_id),
            ]
            for fixation in result.looks.path
        ],
    }
