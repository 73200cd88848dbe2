"""Order of looks at the images of a run: the typical path, and the areas in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from mediaan.report.data.contents import Row, RunContents
from mediaan.report.detail.areas import ReportAreas

_PLACE_DIGITS, _TIME_DIGITS = 4, 3


def gather_looks(contents: RunContents, areas: ReportAreas) -> Mapping[str, Mapping[str, Any]]:
    """Join the tables `looks` and `scanpaths`, by medium; keys are read in `views/looks/looks.js`.

    Areas are told by their place in the list of the page: `order` has [area, share of simulated viewers in %], the one
    looked at first first, and `path` has [x, y, onset in s, duration in s, area or null] for each fixation.
    """
    orders: dict[str, list[Row]] = defaultdict(list)
    for row in contents.looks:
        if row["rank"] is not None:
            orders[row["medium_id"]].append(row)
    paths: dict[str, list[Row]] = defaultdict(list)
    for row in contents.scanpaths:
        paths[row["medium_id"]].append(row)
    found = {}
    for medium, path in paths.items():
        place = {area.row["aoi_id"]: index for index, area in enumerate(areas.of.get(medium, ()))}
        order = sorted(orders.get(medium, ()), key=lambda row: int(row["rank"]))
        found[medium] = {
            "order": [[place[row["aoi_id"]], round(row["share"])] for row in order if row["aoi_id"] in place],
            "path": [
                [
                    *(round(row[name], _PLACE_DIGITS) for name in ("x", "y")),
                    *(round(row[name], _TIME_DIGITS) for name in ("onset_s", "duration_s")),
                    place.get(row["aoi_id"]),
                ]
                for row in sorted(path, key=lambda row: int(row["index"]))
            ],
        }
    return found
