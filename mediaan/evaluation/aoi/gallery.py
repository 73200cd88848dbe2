"""Draw a sheet of images with what was drawn and what was detected, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from mediaan.errors import UsageError
from mediaan.evaluation.aoi.evaluation import AoiEvaluation
from mediaan.evaluation.aoi.scores import AoiMatches, concerns_all, confusion_columns, role_of
from mediaan.evaluation.datasets.stimulus import read_frame
from mediaan.types.aoi import Aoi, Box
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.media import ViewSpec

# Long side of an image, height of its caption, and gap between images, px.
_TILE, _CAPTION, _GAP = 480, 20, 8
_VIEW = ViewSpec("gallery", long_side=_TILE, upscale=True)
_COLUMNS = 2
"""Images side by side, each twice."""

_COLOURS = {name: f"#{area_type.print_colour}" for name, area_type in AREA_TYPES.items()} | {"other: offer": "#9e8600"}
_LETTERS = 30
_INK, _PAPER, _UNDECIDED = "#202020", "#ffffff", "#546e7a"
_DASH = 6.0
"""Length of a dash and of the gap after it, px."""

_CELL, _ROW = 98, 16
"""Width and height of a cell of a table, px."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """A box to draw: with thick lines what is right, with dashes what counts neither way."""

    box: Box
    name: str
    colour: str
    right: bool = False
    dashed: bool = False


def write_aoi_gallery(evaluation: AoiEvaluation, path: Path, *, count: int = 12) -> None:
    """Write the sheet as one JPEG: of each image what was drawn, and beside it what was found; below, the confusions.

    Colours tell roles; thin lines what was missed, with the role that it was found as, or found without being drawn,
    with the role that was drawn there; dashes what counts neither way.

    `path`: ends in .jpg or .jpeg.
    `count`: number of images, the worst first.
    Raises UsageError: the file cannot be written, or nothing went wrong.
    """
    worst = evaluation.worst(count)
    if not worst:
        raise UsageError("all that was drawn was found, and nothing else: there is no gallery of the worst images")
    paths = {image.name: image.path for image in evaluation.images}
    pairs = [
        _pair(
            paths[row.image],
            f"{row.image}  F1 {row.f1:.2f}",
            evaluation.main_matches(row.image),
            evaluation.undecided[row.image],
        )
        for row in worst
    ]
    confusion = evaluation.confusion
    tables = [
        _count_table(f"All images: {caption}", rows)
        for caption, rows in (
            ("drawn (rows), by what overlaps it most of what was found", confusion.found_as),
            ("found wrongly (rows), by what was drawn there", confusion.false_as),
        )
        if rows
    ]
    parts = [_sheet(pairs), *tables]
    page = Image.new("RGB", (max(part.width for part in parts), sum(part.height + _GAP for part in parts)), _PAPER)
    top = 0
    for part in parts:
        page.paste(part, (0, top))
        top += part.height + _GAP
    try:
        page.save(path, "JPEG", quality=88)
    except OSError as error:
        raise UsageError(f"the gallery {path} cannot be written: {error}") from error


def _pair(path: Path, caption: str, matches: list[AoiMatches], undecided: Sequence[Aoi]) -> Image.Image:
    rgb = Image.fromarray(np.asarray(read_frame(path, _VIEW)[0]))
    places: dict[Box, list[str]] = {}
    for area in undecided:
        places.setdefault(area.box, []).append("all" if concerns_all(area) else role_of(area))
    drawn = [_Frame(box, f"undecided {', '.join(roles)}", _UNDECIDED, dashed=True) for box, roles in places.items()]
    detected = [_Frame(c.box, f"ignored {m.type}", _UNDECIDED, dashed=True) for m in matches for c in m.ignored]
    for m in matches:
        colour = _COLOURS.get(m.type, _COLOURS["other"])
        for i, aoi in enumerate(m.drawn):
            right, role = i in m.pairs.values(), m.found_as[i]
            caption_of_frame = aoi.label if right or role is None else f"as {role}"
            drawn.append(
                _Frame(aoi.box, m.type if caption_of_frame in m.type else f"{m.type} {caption_of_frame}", colour, right)
            )
        for i, candidate in enumerate(m.detected):
            right, role = i in m.pairs, m.drawn_as[i]
            caption_of_frame = f"{candidate.confidence:.2f}" if right or role is None else f"is {role}"
            detected.append(_Frame(candidate.box, f"{m.type} {caption_of_frame}", colour, right))
    both = Image.new("RGB", (2 * _TILE + _GAP, rgb.height + _CAPTION), _PAPER)
    for left, frames, caption_of_frame in ((0, drawn, f"{caption}: drawn"), (_TILE + _GAP, detected, "found")):
        both.paste(_framed(rgb, frames), (left, _CAPTION))
        ImageDraw.Draw(both).text((left + 4, 4), caption_of_frame, fill=_INK)
    return both


def _framed(rgb: Image.Image, frames: Iterable[_Frame]) -> Image.Image:
    picture = rgb.copy()
    pen = ImageDraw.Draw(picture)
    for frame in frames:
        x0, y0 = frame.box.x0 * rgb.width, frame.box.y0 * rgb.height
        x1, y1 = frame.box.x1 * rgb.width - 1, frame.box.y1 * rgb.height - 1
        if not (x0 < x1 and y0 < y1):
            continue
        if frame.dashed:
            for start, end in pairwise(((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0))):
                _dashed_line(pen, start, end, frame.colour)
        else:
            pen.rectangle((x0, y0, x1, y1), outline=frame.colour, width=3 if frame.right else 1)
        name = frame.name[:_LETTERS].rstrip()
        pen.rectangle(pen.textbbox((x0 + 2, y0), name), fill=frame.colour)
        pen.text((x0 + 2, y0), name, fill=_PAPER)
    return picture


def _dashed_line(pen: ImageDraw.ImageDraw, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    length = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    step = np.array([end[0] - start[0], end[1] - start[1]]) / length
    for at in np.arange(0, length, 2 * _DASH):
        ends = [np.array(start) + step * d for d in (at, min(at + _DASH, length))]
        pen.line([(float(x), float(y)) for x, y in ends], fill=colour, width=2)


def _count_table(caption: str, rows: Mapping[str, Mapping[str, int]]) -> Image.Image:
    """Draw counts as a table; the larger its share of the row, the darker a cell."""
    columns = confusion_columns(rows)
    left = 2 * _CELL
    table = Image.new("RGB", (left + _CELL * len(columns), _ROW * (len(rows) + 2) + _GAP), _PAPER)
    pen = ImageDraw.Draw(table)
    pen.text((4, 2), caption, fill=_INK)
    for j, column in enumerate(columns):
        pen.text((left + j * _CELL + 4, _ROW + 2), column, fill=_INK)
    for i, (name, row) in enumerate(rows.items()):
        top = (i + 2) * _ROW
        pen.text((4, top + 2), name, fill=_INK)
        for j, column in enumerate(columns):
            if count := row.get(column, 0):
                light = round(255 * (1 - 0.6 * count / sum(row.values())))
                at = (left + j * _CELL, top)
                pen.rectangle((*at, at[0] + _CELL - 2, at[1] + _ROW - 2), fill=(light, light, 255))
                pen.text((at[0] + 4, at[1] + 2), str(count), fill=_INK)
    return table


def _sheet(pairs: list[Image.Image]) -> Image.Image:
    rows = [pairs[i : i + _COLUMNS] for i in range(0, len(pairs), _COLUMNS)]
    heights = [max(pair.height for pair in row) + _GAP for row in rows]
    width = pairs[0].width + 2 * _GAP
    sheet = Image.new("RGB", (width * len(rows[0]), sum(heights)), _PAPER)
    for i, row in enumerate(rows):
        for j, pair in enumerate(row):
            sheet.paste(pair, (width * j, sum(heights[:i])))
    return sheet
