"""AOIs that people drew, brought to the medium's own coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid5

from mediaan.types.aoi import Aoi, Box, Drawing, Point
from mediaan.types.media import Medium
from mediaan.types.outcome import Problem


def drawn_aois(drawings: Sequence[Drawing], medium: Medium) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
    """Bring drawings to unit coordinates of a medium.

    Parameters
    ----------
    drawings : sequence of Drawing
    medium : Medium

    Returns
    -------
    tuple of Aoi
        Boxes are cut off at the medium's edges; polygons keep their corners.
    tuple of Problem
        ``aoi_clipped`` for one that reaches beyond the medium, ``aoi_outside`` for one that was left out because
        nothing of it lies inside, in space or in time.
    """
    aois: list[Aoi] = []
    problems: list[Problem] = []
    for number, drawing in enumerate(drawings):
        name = f"AOI {number + 1} ({drawing.type}{f' {drawing.label!r}' if drawing.label else ''})"
        points = [_in_units(point, drawing, medium) for point in drawing.points]
        whole = Box.around([Box(x, y, x, y) for x, y in points])
        box = whole.clipped()
        if box.area <= 0 or not _during(drawing, medium):
            problems.append(Problem("aoi_outside", f"{name} lies outside the medium and was left out; is its unit px?"))
            continue
        if any(abs(a - b) > 1e-3 for a, b in zip(box, whole, strict=True)):
            problems.append(Problem("aoi_clipped", f"{name} reaches beyond the medium; what lies inside counts"))
        aois.append(_aoi(drawing, number, points, box, medium))
    return tuple(aois), tuple(problems)


def _aoi(drawing: Drawing, number: int, points: Sequence[Point], box: Box, medium: Medium) -> Aoi:
    place = " ".join(f"{x:.4f},{y:.4f}" for x, y in points)
    moves = medium.kind != "image"
    return Aoi(
        aoi_id=drawing.aoi_id or uuid5(medium.medium_id, f"drawn {number} {drawing.type} {drawing.label} {place}"),
        type=drawing.type,
        label=drawing.label,
        box=box,
        confidence=None,
        method="drawn",
        polygon=tuple(points) if len(points) > 2 else None,
        t0_s=drawing.t0_s if moves else None,
        t1_s=drawing.t1_s if moves else None,
        track=drawing.track if moves else (),
    )


def _in_units(point: Point, drawing: Drawing, medium: Medium) -> Point:
    if drawing.unit == "unit":
        return point
    return point[0] / medium.width, point[1] / medium.height


def _during(drawing: Drawing, medium: Medium) -> bool:
    """Whether it is there at any time of the medium."""
    end = medium.duration_s
    return end is None or ((drawing.t0_s or 0.0) < end and (drawing.t1_s is None or drawing.t1_s > 0))
