"""Convert areas that were detected between bars or drawn by people to the coordinates of the whole medium."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from uuid import UUID, uuid5

import cv2
import numpy as np

from mediaan.errors import UsageError
from mediaan.types.aoi import Aoi, AoiType, Box, Candidate, Drawing, Point
from mediaan.types.arrays import UInt8
from mediaan.types.media import Medium, Problem

LEAST_BAR = 0.04
"""Of a side: thinner strips are rather a margin, and nothing would fit on them."""

_MARK = 5  # px: the thinnest letters that can be read fill so much of their surroundings
_OTHER = 14.0  # grey levels by which these differ from the bar
_SMEARED = 8  # px beside the image: compression of video works on blocks
_OTHER_SHAPE = 1.02
"""Ratio of aspects from which a copy has another shape: more than rounding does to a thumbnail."""

_LEFT = 0.35
"""Share of an area between the bars under which it lies in them."""


def trim_empty_bars(rgb: UInt8, content: Box) -> Box:
    """Find the bars around an image: empty strips of at least 4 % of the side.

    `rgb`: (H, W, 3) uint8.
    `content`: the image between the strips, as `mediaan.metrics.content_box` finds it.
    Returns: that image, or more: a strip that shows a caption or a logo, and the one opposite, are part of it.

    >>> frame = np.zeros((90, 160, 3), np.uint8); frame[12:78] = 200
    >>> content = Box(0, 12 / 90, 1, 78 / 90)
    >>> trim_empty_bars(frame, content) == content
    True
    >>> frame[82:87, 60:90:3] = 255
    >>> trim_empty_bars(frame, content)
    Box(x0=0.0, y0=0.0, x1=1.0, y1=1.0)
    """
    height, width = rgb.shape[:2]
    top, bottom = round(content.y0 * height), round(content.y1 * height)
    left, right = round(content.x0 * width), round(content.x1 * width)
    x0, y0, x1, y1 = content
    if min(y0, 1 - y1) < LEAST_BAR or not (_is_plain(rgb[: top - _SMEARED]) and _is_plain(rgb[bottom + _SMEARED :])):
        y0, y1 = 0.0, 1.0
    if min(x0, 1 - x1) < LEAST_BAR or not (
        _is_plain(rgb[:, : left - _SMEARED]) and _is_plain(rgb[:, right + _SMEARED :])
    ):
        x0, x1 = 0.0, 1.0
    return Box(x0, y0, x1, y1)


def to_medium_coordinates(candidate: Candidate, content: Box) -> Candidate:
    """Convert coordinates between the bars to those of the whole medium.

    `candidate`: as found in the image between the bars alone.
    `content`: bounds of that image.
    """

    def on_medium(x: float, y: float) -> Point:
        return content.x0 + x * content.width, content.y0 + y * content.height

    x0, y0, x1, y1 = candidate.box
    box = Box(*(round(side, 9) for side in (*on_medium(x0, y0), *on_medium(x1, y1))))
    polygon = tuple(on_medium(*point) for point in candidate.polygon) if candidate.polygon else None
    facts = candidate.text
    if facts is not None:
        facts = replace(facts, line_height_pct=facts.line_height_pct * content.height)
    return replace(candidate, box=box, polygon=polygon, text=facts)


def clip_to_content(aoi: Aoi, content: Box) -> Aoi | None:
    """Clip a tracked AOI to the content between permanent bars; None where little is left."""

    def clipped(box: Box) -> Box | None:
        if box.intersection(content) <= _LEFT * box.area:
            return None
        return Box(max(box.x0, content.x0), max(box.y0, content.y0), min(box.x1, content.x1), min(box.y1, content.y1))

    track = tuple(s._replace(box=inside) for s in aoi.track if (inside := clipped(s.box)) is not None)
    box = clipped(aoi.box)
    if not track or box is None:
        return None
    polygon = aoi.polygon if aoi.box == box else None
    t1_s = next((s.t_s for s in aoi.track if s.t_s > track[-1].t_s), aoi.t1_s)
    return replace(aoi, box=box, polygon=polygon, track=track, t0_s=track[0].t_s, t1_s=t1_s)


def aois_from_drawings(drawings: Sequence[Drawing], medium: Medium) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
    """Bring drawings to unit coordinates of a medium.

    Returns
    -------
    tuple of Aoi
        Boxes are cut off at the medium's edges; polygons keep their corners.
    tuple of Problem
        ``aoi_clipped`` for one that reaches beyond the medium; ``aoi_outside`` for one that was left out because
        nothing of it lies inside, in space or in time; ``aoi_turned`` where they were left out because they were drawn
        on a copy that was turned; ``aoi_stretched`` where they were drawn on a copy of another shape.

    Raises
    ------
    UsageError
        Two have the same id (``aois_invalid``).
    """
    check_ids_differ([drawing.aoi_id for drawing in drawings], medium.name)
    drawings = [drawing for drawing in drawings if not drawing.absent]
    turned, problems = _check_copies(drawings, medium)
    aois: list[Aoi] = []
    for number, drawing in enumerate(drawings):
        name = f"AOI {number + 1} ({drawing.type}{f' {drawing.label!r}' if drawing.label else ''})"
        if drawing.drawn_on in turned:
            continue
        points = list(drawing.points)
        if drawing.unit != "unit":
            width, height = drawing.drawn_on or (medium.width, medium.height)
            points = [(x / width, y / height) for x, y in points]
        bounds = Box.around([Box(x, y, x, y) for x, y in points])
        box, end_s = bounds.clipped(), medium.duration_s
        during = end_s is None or ((drawing.t0_s or 0.0) < end_s and (drawing.t1_s is None or drawing.t1_s > 0))
        if box.area <= 0 or not during:
            problems.append(Problem("aoi_outside", f"{name} is outside the image and was left out; is its unit px?"))
            continue
        if any(abs(a - b) > 1e-3 for a, b in zip(box, bounds, strict=True)):
            problems.append(Problem("aoi_clipped", f"{name} reaches beyond the image; the part inside counts"))
        moves = medium.kind != "image"
        place = " ".join(f"{x:.4f},{y:.4f}" for x, y in points)
        drawn_id = uuid5(medium.medium_id, f"drawn {number} {drawing.type} {drawing.label} {place}")
        aois.append(
            Aoi(
                aoi_id=drawing.aoi_id or drawn_id,
                type=drawing.type,
                label=drawing.label,
                box=box,
                confidence=None,
                method="drawn",
                polygon=tuple(points) if len(points) > 2 else None,
                t0_s=drawing.t0_s if moves else None,
                t1_s=drawing.t1_s if moves else None,
                track=drawing.track if moves else (),
                confirmed=drawing.confirmed,
            )
        )
    return tuple(aois), tuple(problems)


def _check_copies(drawings: Sequence[Drawing], medium: Medium) -> tuple[list[tuple[float, float]], list[Problem]]:
    """Return the copies, of those that areas were drawn on, that are turned; and what readers should know of others."""
    problems: list[Problem] = []
    copies = dict.fromkeys(drawing.drawn_on for drawing in drawings if drawing.drawn_on is not None)
    turned = [copy for copy in copies if _is_turned(copy, medium)]
    for width, height in turned:
        count = sum(drawing.drawn_on == (width, height) for drawing in drawings)
        problems.append(
            Problem(
                "aoi_turned",
                f"{count} AOIs were left out: they were drawn on a picture of {width:g} x {height:g}, and this one is "
                f"{medium.width} x {medium.height} as displayed; draw them on the picture turned as it is displayed",
            )
        )
    for width, height in copies:
        off = (width / height) / (medium.width / medium.height)
        if (width, height) not in turned and not 1 / _OTHER_SHAPE < off < _OTHER_SHAPE:
            problems.append(
                Problem(
                    "aoi_stretched",
                    f"AOIs were drawn on a picture of {width:g} x {height:g}, which has another shape than this one of "
                    f"{medium.width} x {medium.height}: they were stretched to it; if that one was cropped or had "
                    "margins, they are in other places",
                )
            )
    return turned, problems


def with_drawn(
    detected: Sequence[Aoi], drawn: Sequence[Aoi], absent: frozenset[AoiType] = frozenset()
) -> tuple[Aoi, ...]:
    """Combine detected AOIs with those that people drew or confirmed.

    One of a person replaces the detected one of the same id. Of types that a person confirmed areas of, or said that
    there are none of (`absent`), detected ones are left out; see `with_confirmed`.
    """
    confirmed = [aoi for aoi in drawn if aoi.confirmed]
    settled = absent | {aoi.type for aoi in confirmed}
    ids = {aoi.aoi_id for aoi in drawn}
    left = with_confirmed([aoi for aoi in detected if aoi.aoi_id not in ids], settled, confirmed)
    return (*left[: len(left) - len(confirmed)], *drawn)


_SAME_TEXT = 0.5
"""IoU from which on two texts of a medium are one."""


def with_confirmed(aois: Sequence[Aoi], types: Collection[AoiType], confirmed: Sequence[Aoi]) -> tuple[Aoi, ...]:
    """Put confirmed AOIs in the place of all of some types; they come last.

    What was detected of these types, and is none of them, is gone; a text stays one, of the type ``body_text``. A text
    that is detected again at the place of a confirmed one is that one.
    """
    ids = {aoi.aoi_id for aoi in confirmed}
    texts = [aoi for aoi in confirmed if aoi.text]
    kept = []
    for aoi in aois:
        is_text = aoi.text is not None and not aoi.by_person
        if aoi.aoi_id in ids or (is_text and any(text.box.iou(aoi.box) >= _SAME_TEXT for text in texts)):
            continue
        if aoi.type not in types:
            kept.append(aoi)
        elif is_text and aoi.type != "body_text":
            kept.append(replace(aoi, type="body_text"))
    return (*kept, *confirmed)


def check_ids_differ(aoi_ids: Iterable[UUID | None], where: str) -> None:
    """Refuse duplicate ids, by which tables are joined.

    Raises UsageError: ``aois_invalid``, naming both places.
    """
    first: dict[UUID, int] = {}
    for number, aoi_id in enumerate(aoi_ids, start=1):
        if aoi_id is not None and first.setdefault(aoi_id, number) != number:
            raise UsageError(
                f"{where}, AOI {number}: aoi_id {aoi_id} is that of AOI {first[aoi_id]}; leave it out for a new one",
                code="aois_invalid",
            )


def _is_turned(copy: tuple[float, float], medium: Medium) -> bool:
    """Tell whether a copy is the medium turned by 90 degrees."""
    aspect, medium_aspect = copy[0] / copy[1], medium.width / medium.height
    return (
        not 1 / _OTHER_SHAPE < medium_aspect < _OTHER_SHAPE and 1 / _OTHER_SHAPE < aspect * medium_aspect < _OTHER_SHAPE
    )


def _is_plain(bar: UInt8) -> bool:
    """Tell whether a bar has one colour, without letters as thin as can be read."""
    if not bar.size:
        return True
    colour = np.median(bar.reshape(-1, 3), axis=0).astype(np.float32)
    away = np.abs(cv2.blur(bar.astype(np.float32), (_MARK, _MARK)) - colour)
    return bool(away.max() <= _OTHER)
