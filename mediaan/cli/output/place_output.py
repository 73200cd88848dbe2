"""Write placements, and how they show files, as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mediaan.cli.output.table import table_lines
from mediaan.placements.placed import findings_by_line
from mediaan.types.placement import Placement
from mediaan.workflow.placements import PlacedFile


def placed_as_text(file: PlacedFile) -> str:
    """Write what is wrong with a file in each of its placements."""
    lines = [file.path]
    for placed in file.placed:
        lines.append(f"  {placed.placement.title}")
        lines += [f"    {line}" for line in findings_by_line(placed)]
    return "\n".join(lines)


def listed_as_text(placements: Mapping[str, Placement]) -> str:
    """List placements with platform, size, fit, covered zones, and the source of these."""
    heading = ("name", "platform", "size", "distance", "fit", "covered by", "looked at", "date")
    rows = [heading]
    for name, one in placements.items():
        css_px = one.css_px
        tall = f"{one.height_mm:.0f}" if css_px is None else f"{css_px[1]:.0f}"
        if one.fit == "column" and one.shapes[0] < 0.1:
            tall = "any"
        size = f"{one.width_mm:.0f} x {tall} mm" if css_px is None else f"{css_px[0]:.0f} x {tall} px"
        zones = ", ".join(zone.title for zone in one.zones) or "-"
        seconds = "-" if one.exposure_s is None else f"{one.exposure_s:g} s"
        rows.append((name, one.platform, size, f"{one.distance_mm / 1000:g} m", one.fit, zones, seconds, one.date))
    note = "Sources: mediaan place --list --json. What they mean: docs/placements.md."
    return "\n".join([*table_lines(rows, left=range(len(heading))), "", note])


def listed_as_json(placements: Mapping[str, Placement]) -> list[dict[str, Any]]:
    """Return all facts of placements as plain values; zones as left, top, right, bottom of the slot, 0-1."""
    found = []
    for one in placements.values():
        facts = asdict(one) | {"zones": {zone.name: list(zone.box) for zone in one.zones}}
        facts["shapes"] = [None if math.isinf(side) else side for side in one.shapes]
        facts["css_px"] = None if one.css_px is None else list(one.css_px)
        found.append(facts)
    return found
