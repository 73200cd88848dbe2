"""Outlines of what annotation tools draw, as one polygon each, collected shape by shape: what cannot be read is named.

Several parts, and holes, become one polygon whose parts are joined by bridges of no width, there and back: all measures
of a region (`mediaan.aoi.region`) cancel them exactly.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import UUID

import cv2
import numpy as np
import numpy.typing as npt

from mediaan.config.aoi_formats.record import LONGEST_LABEL, parse_aoi_type
from mediaan.types.aoi import Drawing, Point

MOST_POINTS = 1000
"""Of a polygon; outlines with more lose corners."""

_ELLIPSE_POINTS = 64
"""Their polygon covers 99.8 % of the ellipse."""

_MOST_PIXELS = 60_000_000
"""Of a mask."""

_FINEST = 0.25
"""First tolerance of an outline that has too many points, px."""

_LARGEST_LOSS = 0.02
"""Share of the area by which an outline with fewer corners may differ."""

Mask = npt.NDArray[np.uint8]


class ShapeError(ValueError):
    """A shape cannot be read; the message says why."""


def ellipse(cx: float, cy: float, rx: float, ry: float, degrees: float = 0.0) -> list[Point]:
    """Return the corners of a polygon inscribed in an ellipse, turned clockwise about its centre."""
    if not (rx > 0 and ry > 0):
        raise ShapeError("has no extent")
    angles = np.arange(_ELLIPSE_POINTS) * (2 * np.pi / _ELLIPSE_POINTS)
    points = [(cx + rx * float(np.cos(a)), cy + ry * float(np.sin(a))) for a in angles]
    return turned(points, degrees, (cx, cy))


def rectangle(x0: float, y0: float, x1: float, y1: float, degrees: float = 0.0) -> list[Point]:
    """Return two opposite corners of a rectangle, or four where it is turned clockwise about its centre."""
    x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    if not (x0 < x1 and y0 < y1):
        raise ShapeError("has no extent")
    if degrees % 360 == 0:
        return [(x0, y0), (x1, y1)]
    return turned([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], degrees, ((x0 + x1) / 2, (y0 + y1) / 2))


def turned(points: Sequence[Point], degrees: float, about: Point) -> list[Point]:
    """Return points turned clockwise, y pointing down; px, or units of equal length on both axes."""
    if degrees % 360 == 0:
        return list(points)
    c, s, (ox, oy) = cos(radians(degrees)), sin(radians(degrees)), about
    return [(ox + (x - ox) * c - (y - oy) * s, oy + (x - ox) * s + (y - oy) * c) for x, y in points]


def polygon(points: Sequence[Sequence[float]]) -> list[Point]:
    """Return the corners of a polygon, at most `MOST_POINTS`."""
    corners = [(float(x), float(y)) for x, y in points]
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners.pop()
    if len(set(corners)) < 3:
        raise ShapeError(f"has {len(set(corners))} corners; an area has at least 3")
    if not np.isfinite(corners).all():
        raise ShapeError("has a corner that is no number")
    if abs(_signed_area(np.asarray(corners))) == 0 and _is_flat(corners):
        raise ShapeError("has no extent")
    return corners if len(corners) <= MOST_POINTS else joined([corners])


def joined(parts: Sequence[Sequence[Point]]) -> list[Point]:
    """Return one polygon for several that belong together; where they overlap, their union.

    Raises ShapeError: no part has an extent.
    """
    outlines = [np.asarray(polygon(part) if len(part) <= MOST_POINTS else part, np.float64) for part in parts]
    if len(outlines) > 1 and _overlap(outlines):
        return from_mask(*_drawn(outlines))
    return _bridged([_wound(outline, 1) for outline in outlines])


def from_mask(mask: Mask, left: float = 0.0, top: float = 0.0, scale: float = 1.0) -> list[Point]:
    """Return the outline of a mask, along the edges of its pixels.

    `mask` (H, W): inside where it is not 0.
    `left`, `top`: of its first pixel.
    `scale`: pixels of the mask per unit.
    Raises ShapeError: it is empty.
    """
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not rows.size:
        raise ShapeError("is an empty mask")
    x0, y0 = int(columns[0]), int(rows[0])
    inside = (mask[y0 : rows[-1] + 1, x0 : columns[-1] + 1] != 0).astype(np.uint8)
    # on a grid of corners and middles of pixels, each pixel covers 3 x 3 points: the outermost are its edges
    grid = np.zeros((2 * inside.shape[0] + 1, 2 * inside.shape[1] + 1), np.uint8)
    for dy in range(3):
        for dx in range(3):
            grid[dy : dy + 2 * inside.shape[0] : 2, dx : dx + 2 * inside.shape[1] : 2] |= inside
    contours, hierarchy = cv2.findContours(grid, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    rings = [
        _wound((left, top) + (contour[:, 0] / 2 + (x0, y0)) / scale, -1 if is_hole else 1)
        for contour, is_hole in zip(contours, hierarchy[0, :, 3] >= 0, strict=True)
        if len(contour) > 2
    ]
    return _bridged(rings, _FINEST / scale)


def _bridged(rings: Sequence[npt.NDArray[np.float64]], finest: float = _FINEST) -> list[Point]:
    """Join rings, whose direction tells parts from holes, by bridges to the first corner of the largest."""
    rings = sorted(rings, key=lambda ring: -abs(_signed_area(ring)))
    area, tolerance = sum(map(_signed_area, rings)), finest
    while sum(len(ring) + 2 for ring in rings) > MOST_POINTS:
        smaller = [_simplified(ring, tolerance) for ring in rings]
        rings = [ring for ring in smaller if len(ring) > 2] or smaller[:1]
        tolerance *= 2
    if abs(sum(map(_signed_area, rings)) - area) > _LARGEST_LOSS * area:
        raise ShapeError(f"is too ragged for an outline of {MOST_POINTS} corners; smooth it")
    first = rings[0]
    points = [*map(tuple, first.tolist())]
    for ring in rings[1:]:
        corners = [*map(tuple, ring.tolist())]
        points += [points[0], *corners, corners[0]]
    return points


def _simplified(ring: npt.NDArray[np.float64], tolerance: float) -> npt.NDArray[np.float64]:
    fewer = cv2.approxPolyDP(ring.astype(np.float32)[:, None], tolerance, closed=True)[:, 0].astype(np.float64)
    return _wound(fewer, 1 if _signed_area(ring) > 0 else -1) if len(fewer) > 2 else fewer


def _wound(ring: npt.NDArray[np.float64], direction: int) -> npt.NDArray[np.float64]:
    return ring if _signed_area(ring) * direction >= 0 else ring[::-1]


def _signed_area(ring: npt.NDArray[np.float64]) -> float:
    x, y = ring[:, 0], ring[:, 1]
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def _is_flat(corners: Sequence[Point]) -> bool:
    """Return whether all corners lie on a line."""
    (x0, y0), *others = corners
    x1, y1 = max(others, key=lambda p: abs(p[0] - x0) + abs(p[1] - y0))
    return all(abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) < 1e-12 for x, y in others)


def _overlap(outlines: Sequence[npt.NDArray[np.float64]]) -> bool:
    """Return whether any two outlines share ground, by drawing them."""
    boxes = [(*ring.min(axis=0), *ring.max(axis=0)) for ring in outlines]
    if not any(
        a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for i, a in enumerate(boxes) for b in boxes[:i]
    ):
        return False
    union, left, top, scale = _drawn(outlines)
    apart = sum(int((_drawn([ring], (left, top, scale, union.shape))[0] != 0).sum()) for ring in outlines)
    edges = sum(float(np.abs(np.diff(ring, axis=0, append=ring[:1])).sum()) for ring in outlines) * scale
    return apart - int((union != 0).sum()) > edges  # drawn edges are a pixel wide, and neighbours share them


def _drawn(
    outlines: Sequence[npt.NDArray[np.float64]],
    place: tuple[float, float, float, tuple[int, ...]] | None = None,
) -> tuple[Mask, float, float, float]:
    """Draw the union of outlines: mask, its left, its top, and its pixels per unit."""
    if place is None:
        low = np.min([ring.min(axis=0) for ring in outlines], axis=0)
        size = np.max([ring.max(axis=0) for ring in outlines], axis=0) - low
        scale = 4000 / float(max(*size, 1e-9))
        place = (float(low[0]), float(low[1]), scale, (int(size[1] * scale) + 1, int(size[0] * scale) + 1))
    left, top, scale, shape = place
    mask = np.zeros(shape[:2], np.uint8)
    for ring in outlines:
        corners = np.round((ring - (left, top)) * scale * 256 - 128).astype(np.int64)
        cv2.fillPoly(mask, [corners.astype(np.int32)], (1,), shift=8)
    return mask, left, top, scale


def check_mask_size(width: int, height: int) -> None:
    """Refuse a mask of more than 60 million pixels, or of none."""
    if not (width > 0 and height > 0 and width * height <= _MOST_PIXELS):
        raise ShapeError(f"is a mask of {width} x {height} pixels")


def mask_from_runs(counts: Sequence[Any], width: int, height: int, *, by_column: bool) -> Mask:
    """Return the mask of run lengths, of which the first is outside.

    `by_column`: whether pixels are counted column by column, as COCO does, or row by row, as CVAT does.
    """
    check_mask_size(width, height)
    runs = np.asarray(counts, np.int64)
    if runs.ndim != 1 or (runs < 0).any() or runs.sum() > width * height:
        raise ShapeError("is a mask whose runs do not fit its size")
    flat = np.zeros(width * height, np.uint8)
    inside = np.repeat(np.arange(runs.size) % 2, runs)
    flat[: inside.size] = inside
    return flat.reshape(width, height).T if by_column else flat.reshape(height, width)


def coco_counts(text: str) -> list[int]:
    """Return the run lengths of a compressed mask of COCO: numbers of 5 bits a character, as differences to the last
    but one.

    https://github.com/cocodataset/cocoapi/blob/master/common/maskApi.c
    """
    counts: list[int] = []
    number, shift = 0, 0
    for character in text:
        bits = ord(character) - 48
        if not 0 <= bits < 64:
            raise ShapeError("is a mask that cannot be decoded")
        number |= (bits & 0x1F) << shift
        shift += 5
        if bits & 0x20:
            continue
        if bits & 0x10:
            number -= 1 << shift
        counts.append(number + (counts[-2] if len(counts) > 2 else 0))
        number, shift = 0, 0
    if shift:
        raise ShapeError("is a mask that cannot be decoded")
    return counts


def mask_from_brush(data: Sequence[Any], width: int, height: int) -> Mask:
    """Return the mask of a brush of Label Studio: the opacity of an RGBA image, packed in runs.

    A head (32 bits number of values, 5 bits a value - 1, four times 4 bits a length - 1), then for each run a bit
    whether its value repeats, 2 bits which length, its length - 1, and its values
    (https://github.com/thi-ng/umbrella/tree/develop/packages/rle-pack).
    """
    check_mask_size(width, height)
    try:
        packed = bytes(data)
    except (TypeError, ValueError) as error:
        raise ShapeError("is a brush that cannot be decoded") from error
    place = 0

    def take(count: int) -> int:
        nonlocal place
        end = place + count
        if end > 8 * len(packed):
            raise ShapeError("is a brush that cannot be decoded: it ends too early")
        chunk = int.from_bytes(packed[place // 8 : (end + 7) // 8], "big")
        place = end
        return (chunk >> (-end % 8)) & ((1 << count) - 1)

    total = take(32)
    if total != 4 * width * height:
        raise ShapeError(f"is a brush that cannot be decoded: it is not of {width} x {height} pixels")
    bits, lengths = take(5) + 1, [take(4) + 1 for _ in range(4)]
    values = np.zeros(total, np.uint8)
    at = 0
    while at < total:
        repeats, length = take(1), take(lengths[take(2)]) + 1
        if repeats:
            values[at : at + length] = min(take(bits), 255)
        else:
            values[at : at + length] = [min(take(bits), 255) for _ in range(min(length, total - at))]
        at += length
    return values[3::4].reshape(height, width)


def mask_from_image(encoded: str) -> Mask:
    """Return the mask of a PNG in base64, perhaps as a data address: its opacity, else its lightness."""
    try:
        data = base64.b64decode(encoded.rpartition(",")[2], validate=False)
    except (binascii.Error, ValueError) as error:
        raise ShapeError("is a mask that cannot be decoded") from error
    if data[:4] != b"\x89PNG" or len(data) < 24:
        raise ShapeError("is a mask that cannot be decoded")
    check_mask_size(int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise ShapeError("is a mask that cannot be decoded")
    if image.ndim == 3:
        image = image[..., 3] if image.shape[2] == 4 and (image[..., 3] < 255).any() else image[..., :3].max(axis=2)
    return np.asarray(image != 0, np.uint8)


Size = tuple[float, float]

_UPLOAD_PREFIX = re.compile(r"(?:[0-9a-f]{8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[-_](?=.)")
"""Of a name that Label Studio uploads."""

_ROBOFLOW = re.compile(r"(.+)[_-](png|jpe?g|webp|gif|bmp|tiff?|avif|heic)\.rf\.[0-9A-Za-z]+\.\w+", re.IGNORECASE)


@dataclass(slots=True)
class Picture:
    """A picture of a file of areas."""

    name: str
    """As the file writes it."""
    names: list[str]
    """Names by which a medium may be known, the surest first."""
    size: Size | None = None
    """Width and height, px, of what was drawn on, where it is stated."""
    drawings: list[Drawing] = field(default_factory=list)
    annotated: bool = True
    """Whether no drawings mean that there are no areas; otherwise nobody looked, or nothing could be read."""


@dataclass(slots=True)
class Collected:
    """Pictures by name, and what could not be read."""

    pictures: dict[str, Picture] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    """A sentence for each shape that is no area or could not be read."""

    def picture(self, name: str, *others: str, size: Size | None = None) -> Picture:
        """Return the picture of a name, a new one the first time.

        `name`: a path or an address.
        `*others`: surer names, where the file holds them.
        `size` (float, float): width and height, px, as stated.
        """
        if name not in self.pictures:
            names = [*others, *(form for form in likely_names(name) if form not in others)]
            self.pictures[name] = Picture(name, names)
        picture = self.pictures[name]
        picture.size = picture.size or size
        return picture

    def add(
        self,
        picture: Picture,
        shape: str,
        label: Any,
        points: Sequence[Point] | Callable[[], Sequence[Point]],
        *,
        unit: str = "px",
        facts: Any = None,
    ) -> None:
        """Add a shape to a picture, or the sentence why it cannot be read.

        `shape`: kind and number of the shape, for messages.
        `label` (any): a type of area, or any other word.
        `points` (sequence of points, or callable): two corners of a rectangle, or the corners of a polygon; or what
            returns them, or raises what it meets.
        `facts`: `name`, `aoi_id`, `t0_s` and `t1_s`, as our own exports add them.
        """
        try:
            corners = tuple((float(x), float(y)) for x, y in (points() if callable(points) else points))
            picture.drawings.append(_drawing(label, corners, unit, picture.size, facts))
        except UNREADABLE as error:
            self.reject(picture, shape, describe(error))

    def reject(self, picture: Picture | str, shape: str, why: str) -> None:
        """Name a shape that is not read."""
        if isinstance(picture, Picture):
            picture.annotated = False
        name = picture.name if isinstance(picture, Picture) else picture
        self.problems.append(f"{name}, {shape} {why}")


UNREADABLE = (KeyError, TypeError, IndexError, AttributeError, ValueError, ArithmeticError)
"""What reading a shape may raise."""


def describe(error: Exception) -> str:
    """Return why a shape cannot be read."""
    if isinstance(error, ShapeError):
        return str(error)
    return f"lacks {error}" if isinstance(error, KeyError) else f"cannot be understood ({error})"


def _drawing(label: Any, points: tuple[Point, ...], unit: str, size: Size | None, facts: Any) -> Drawing:
    word = "" if label is None else str(label).strip()[:LONGEST_LABEL]
    kind = parse_aoi_type(word)
    written = {key: value for key, value in (facts or {}).items() if value not in (None, "")}
    label = str(written.get("name") or "")[:LONGEST_LABEL] if kind == word or kind == "other" else ""
    sides = [side for point in points for side in point]
    if any(not -1e9 < side < 1e9 for side in sides):
        raise ShapeError("has a corner that is no number")
    return Drawing(
        type=kind,
        label=label or (word if kind == "other" and word != "other" else ""),
        points=points,
        unit="px" if unit == "px" else "unit",
        t0_s=None if (t0_s := written.get("t0_s")) is None else float(t0_s),
        t1_s=None if (t1_s := written.get("t1_s")) is None else float(t1_s),
        aoi_id=_uuid(written.get("aoi_id")),
        drawn_on=size,
    )


def _uuid(text: Any) -> UUID | None:
    """Return an identifier of ours; tools have others, which say nothing here."""
    try:
        return UUID(str(text)) if text is not None and len(str(text)) == 36 else None
    except ValueError:
        return None


def number(value: Any) -> float:
    """Return a number, which some tools write as text."""
    if isinstance(value, bool) or value is None:
        raise TypeError(f"{value!r} is no number")
    return float(value)


def stated_size(width: Any, height: Any) -> Size | None:
    """Return a stated width and height, px; None where there is none.

    >>> stated_size("500", 400), stated_size(0, 0), stated_size(None, 3)
    ((500.0, 400.0), None, None)
    """
    try:
        size = float(width), float(height)
    except (TypeError, ValueError):
        return None
    return size if all(0 < side < 1e9 for side in size) else None


def likely_names(address: str) -> list[str]:
    """Return the names that an address or path of another program may stand for, the surest first.

    The path behind ``?d=`` of Label Studio's local files; as it is; decoded; without what follows ``?``; each without
    the prefix of an upload, or as it was before Roboflow.

    >>> likely_names("/data/local-files/?d=ads/caf%C3%A9.png")[0]
    'ads/café.png'
    >>> likely_names("/data/upload/3/90fbb0c7-my%20ad.png")[-1], likely_names("ad_png.rf.1a2b3c.jpg")[-1]
    ('/data/upload/3/my ad.png', 'ad.png')
    """
    plain = address.replace("\\", "/")
    forms = [plain]
    if "?" in plain:
        query = parse_qs(urlsplit(plain).query)
        query_paths = [value for key in ("d", "fileuri", "path", "file") for value in query.get(key, ())]
        forms = [*query_paths, plain] if "/data/local-files/?" in plain else [plain, *query_paths]
    forms.append(unquote(plain))
    if "?" in plain:
        forms += [plain.split("?", 1)[0], unquote(plain.split("?", 1)[0])]
    names = [form.rstrip("/") for form in forms if form.strip("/")]
    for form in list(names):
        folder, slash, file = form.rpartition("/")
        if bare := _UPLOAD_PREFIX.sub("", file, count=1):
            names.append(f"{folder}{slash}{bare}")
        if before := _ROBOFLOW.fullmatch(file):
            names.append(f"{folder}{slash}{before[1]}.{before[2]}")
    return list(dict.fromkeys(names))
