"""An order of looks for the first image of a fake run, with areas that a test knows."""

from __future__ import annotations

from pathlib import Path

from fake_areas import BOTTLE, FACE, HEADLINE, LOGO
from fake_run import medium_id

from mediaan.run.tables.writing import replace_table

PATH = ((0.5, 0.5, 0.1, 0.2, None), (0.3, 0.2, 0.4, 0.5, HEADLINE), (0.4, 0.6, 1.0, 0.3, BOTTLE))
"""x, y, onset and duration in s, and area of each fixation of the typical path."""


def add_looks(run_dir: Path) -> Path:
    """Give a fake run with `fake_areas.STILLS` the tables `looks` and `scanpaths`."""
    ranks = ((HEADLINE, 1, 62.4), (BOTTLE, 2, 55.0), (LOGO, 3, 100.0), (FACE, None, None))
    names = ("x", "y", "onset_s", "duration_s")
    rows = {
        "looks": [{"aoi_id": area.id, "rank": rank, "share": share} for area, rank, share in ranks],
        "scanpaths": [
            {"index": index, **dict(zip(names, values, strict=True)), "aoi_id": area and area.id}
            for index, (*values, area) in enumerate(PATH, 1)
        ],
    }
    for name, found in rows.items():
        replace_table(run_dir, name, [{"medium_id": medium_id(0), **row} for row in found])
    return run_dir
