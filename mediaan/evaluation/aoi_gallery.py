"""A sheet of pictures with what was drawn and what was found, the worst first."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from mediaan.errors import UsageError
from mediaan.evaluation.aoi_evaluation import ANY_TEXT, AoiEvaluation
from mediaan.evaluation.aoi_finders import DETECTED, TRIMMED
from mediaan.evaluation.aoi_match import Matches
from mediaan.evaluation.frames import read_frame
from mediaan.types.aoi import AoiType, Box
from mediaan.types.media import ViewSpec

# Long side of a picture, its caption, and the room between pictures, px.
_TILE, _CAPTION, _GAP = 480, 20, 8
_VIEW = ViewSpec("gallery", long_side=_TILE, upscale=True)
_COLUMNS = 2
"""Pictures side by side, each twice."""

_COLOURS: dict[AoiType, str] = {
    "branding": "#d81b60", "product": "#1e88e5", "headline_text": "#e65100", "body_text": "#6d4c41",
    "call_to_action": "#2e7d32", "face": "#8e24aa", "person": "#00838f", "other": "#546e7a",
}  # fmt: skip
_LETTERS = 22
_INK, _PAPER = "#202020", "#ffffff"


def write_aoi_gallery(evaluation: AoiEvaluation, path: Path, *, count: int = 12) -> None:
    """Write the sheet as one JPEG: of each picture what was drawn, and beside it what was found.

    Colours tell types; thin lines what was missed, or found without being drawn.

    Parameters
    ----------
    evaluation : AoiEvaluation
    path : Path
        Ends in .jpg or .jpeg.
    count : int
        So many of the worst pictures.

    Raises
    ------
    UsageError
        The file cannot be written, or nothing went wrong.
    """
    worst = evaluation.worst(count)
    if not worst:
        raise UsageError("all that was drawn was found, and nothing else: there is no gallery of the worst pictures")
    paths = {picture.name: picture.path for picture in evaluation.pictures}
    pairs = [
        _pair(paths[row.image], f"{row.image}  F1 {row.f1:.2f}", list(_of(evaluation, row.image))) for row in worst
    ]
    try:
        _sheet(pairs).save(path, "JPEG", quality=88)
    except OSError as error:
        raise UsageError(f"the gallery {path} cannot be written: {error}") from error


def _of(evaluation: AoiEvaluation, image: str) -> Iterable[Matches]:
    for (finder, name), some in evaluation.matches.items():
        if finder in (DETECTED, TRIMMED) and name != ANY_TEXT:
            yield from (m for m in some if m.image == image)


def _pair(path: Path, caption: str, matches: list[Matches]) -> Image.Image:
    rgb = Image.fromarray(np.asarray(read_frame(path, _VIEW)[0]))
    drawn = [(m.type, aoi.box, i in m.pairs.values(), aoi.label) for m in matches for i, aoi in enumerate(m.drawn)]
    found = [(m.type, c.box, i in m.pairs, f"{c.confidence:.2f}") for m in matches for i, c in enumerate(m.found)]
    both = Image.new("RGB", (2 * _TILE + _GAP, rgb.height + _CAPTION), _PAPER)
    for left, boxes, said in ((0, drawn, f"{caption}: drawn"), (_TILE + _GAP, found, "found")):
        both.paste(_boxed(rgb, boxes), (left, _CAPTION))
        ImageDraw.Draw(both).text((left + 4, 4), said, fill=_INK)
    return both


def _boxed(rgb: Image.Image, boxes: Iterable[tuple[AoiType, Box, bool, str]]) -> Image.Image:
    picture = rgb.copy()
    pen = ImageDraw.Draw(picture)
    for kind, box, right, label in boxes:
        sides = (box.x0 * rgb.width, box.y0 * rgb.height, box.x1 * rgb.width - 1, box.y1 * rgb.height - 1)
        if sides[0] < sides[2] and sides[1] < sides[3]:
            pen.rectangle(sides, outline=_COLOURS[kind], width=3 if right else 1)
            _name(pen, (sides[0], sides[1]), f"{kind} {label}"[:_LETTERS].rstrip(), _COLOURS[kind])
    return picture


def _name(pen: ImageDraw.ImageDraw, at: tuple[float, float], text: str, colour: str) -> None:
    """A word on a ground of its colour, at the upper left of a box."""
    pen.rectangle(pen.textbbox((at[0] + 2, at[1]), text), fill=colour)
    pen.text((at[0] + 2, at[1]), text, fill=_PAPER)


def _sheet(pairs: list[Image.Image]) -> Image.Image:
    rows = [pairs[i : i + _COLUMNS] for i in range(0, len(pairs), _COLUMNS)]
    heights = [max(pair.height for pair in row) + _GAP for row in rows]
    width = pairs[0].width + 2 * _GAP
    sheet = Image.new("RGB", (width * len(rows[0]), sum(heights)), _PAPER)
    for i, row in enumerate(rows):
        for j, pair in enumerate(row):
            sheet.paste(pair, (width * j, sum(heights[:i])))
    return sheet
