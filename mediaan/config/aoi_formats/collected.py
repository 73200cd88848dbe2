"""Collect what a file of another program says, shape by shape: what cannot be read is named, all else is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import UUID

from mediaan.config.aoi_formats.geometry import ShapeError
from mediaan.config.aoi_formats.record import LONGEST_LABEL, parse_aoi_type
from mediaan.types.aoi import Drawing, Point

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
