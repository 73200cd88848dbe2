"""Draw packs on neutral shelves, and read a planogram."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from mediaan.errors import UsageError
from mediaan.storage.table import open_table, plain_number
from mediaan.studies.context.composition import ContextPicture, paste, scale_image
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8

_BACK, _SHADE, _BOARD, _EDGE, _STRIP = "#e9e7e3", "#d6d3cd", "#bcb8b0", "#a19d95", "#f4f3f0"

_LONG_SIDE = 1440
"""Of the drawn shelves, px."""

_HEADROOM, _BOARD_HEIGHT, _MARGIN, _GAP = 0.14, 0.13, 0.25, 0.04
"""As shares of the tallest pack: air above it, height of a board with its price strip, margin at the sides, and space
between packs."""

_WIDEST = 1.1
"""Width over the height of the tallest pack beyond which a pack is made smaller where all get equal places."""

MOST_FACINGS = 400
"""Most facings of a planogram: more would be a few pixels each."""

_COLUMNS = ("file", "row", "column", "facings", "height_cm")


@dataclass(frozen=True, slots=True)
class PlanogramEntry:
    """A pack in a planogram.

    Attributes
    ----------
    file : str
        Name of its picture.
    row, column : int
        From 1: rows from the top, columns from the left.
    facings : int
        How many of it stand side by side.
    height_cm : float or None
        Of the pack; None where no height is given: all packs are then drawn equally tall.
    """

    file: str
    row: int
    column: int
    facings: int = 1
    height_cm: float | None = None

    @property
    def name(self) -> str:
        """Its position in words."""
        return f"row {self.row}, column {self.column}"


def read_planogram(path: Path) -> tuple[PlanogramEntry, ...]:
    """Read a planogram: a table with the columns file, row, column and, if wanted, facings and height_cm.

    Returns
    -------
    tuple of PlanogramEntry
        By row and column.

    Raises
    ------
    UsageError
        It cannot be read, lacks a column, or a line is wrong; the message names the line.
    """
    table = open_table(path, "bad_planogram")
    header, rows = table.trimmed()
    names = [name.lower() for name in header]
    missing = [name for name in _COLUMNS[:3] if name not in names]
    if missing:
        message = f"{path}: has no column {missing[0]}; a planogram has file, row, column and, if wanted, facings and "
        raise UsageError(f"{message}height_cm", code="bad_planogram")
    if unknown := [name for name in names if name not in _COLUMNS]:
        raise UsageError(f"{path}: column {unknown[0]!r} is unknown; known are {', '.join(_COLUMNS)}",
                         code="bad_planogram")  # fmt: skip
    entries: dict[tuple[int, int], PlanogramEntry] = {}
    for line, cells in rows:
        entry = _read_entry(dict(zip(names, cells, strict=False)), f"{path}, line {line}", table.delimiter)
        taken = entries.setdefault((entry.row, entry.column), entry)
        if taken is not entry:
            message = f"{path}, line {line}: {taken.file} already stands in {entry.name}"
            raise UsageError(message, code="bad_planogram")
    if not entries:
        raise UsageError(f"{path}: lists no pack", code="bad_planogram")
    if sum(entry.facings for entry in entries.values()) > MOST_FACINGS:
        raise UsageError(f"{path}: has more than {MOST_FACINGS} facings; show a part of it", code="bad_planogram")
    if len({entry.height_cm is None for entry in entries.values()}) > 1:
        raise UsageError(f"{path}: give height_cm of every pack, or of none", code="bad_planogram")
    return tuple(entries[key] for key in sorted(entries))


def _read_entry(row: Mapping[str, str], where: str, delimiter: str) -> PlanogramEntry:
    cells = {name: row.get(name, "") for name in _COLUMNS}
    if not cells["file"]:
        raise UsageError(f"{where}: names no file", code="bad_planogram")
    numbers = {}
    for name in ("row", "column", "facings"):
        shown = cells[name] or ("1" if name == "facings" else "")
        if not shown.isdecimal() or int(shown) < 1:
            raise UsageError(f"{where}: {name} is {cells[name]!r}, not a whole number from 1", code="bad_planogram")
        numbers[name] = int(shown)
    height = None
    if cells["height_cm"]:
        try:
            height = float(plain_number(cells["height_cm"], delimiter))
        except ValueError:
            height = 0.0
        if not 0 < height < float("inf"):
            message = f"{where}: height_cm is {cells['height_cm']!r}, not a number above 0"
            raise UsageError(message, code="bad_planogram")
    return PlanogramEntry(cells["file"], numbers["row"], numbers["column"], numbers["facings"], height)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Drawn shelves.

    Attributes
    ----------
    rgb : (H, W, 3) uint8
    places : tuple of Box
        Of each entry in turn: all its facings, from the board up to the height of the tallest pack.
    packs : tuple of Box
        Of each entry in turn: what its facings cover.
    """

    rgb: UInt8
    places: tuple[Box, ...]
    packs: tuple[Box, ...]


def cell_width(packs: Iterable[ContextPicture]) -> float:
    """Return how wide a place must be to hold any of some packs, all equally tall, as a share of their height."""
    return min(max(pack.aspect for pack in packs), _WIDEST)


def draw_shelf(
    entries: Sequence[PlanogramEntry], packs: Mapping[str, ContextPicture], *, cell: float | None = None
) -> Shelf:
    """Draw packs on shelves, in scale to each other.

    Parameters
    ----------
    entries : sequence of PlanogramEntry
    packs : mapping of str to ContextPicture
        By `PlanogramEntry.file`.
    cell : float, optional
        Width of the place of every facing, as a share of the height of the tallest pack: places are then equally large
        and can be compared, and a pack that is too wide is made smaller. Without it, packs stand side by side.

    Returns
    -------
    Shelf
    """
    tallest = max((entry.height_cm or 1.0) for entry in entries)
    heights = [(entry.height_cm or 1.0) / tallest for entry in entries]
    widths = [packs[entry.file].aspect * height for entry, height in zip(entries, heights, strict=True)]
    if cell is not None:
        heights = [h * min(1.0, cell / w) for h, w in zip(heights, widths, strict=True)]
        widths = [cell] * len(entries)
    rows = sorted({entry.row for entry in entries})
    in_row = {row: [i for i, entry in enumerate(entries) if entry.row == row] for row in rows}
    taken = {row: sum(entries[i].facings * (widths[i] + _GAP) for i in own) for row, own in in_row.items()}
    row_height = 1 + _HEADROOM + _BOARD_HEIGHT
    whole = max(taken.values()) + 2 * _MARGIN, len(rows) * row_height + _HEADROOM
    unit = _LONG_SIDE / max(whole)
    width, height = round(whole[0] * unit), round(whole[1] * unit)
    image = Image.new("RGB", (width, height), _BACK)
    pen = ImageDraw.Draw(image)
    boards = {row: (number + 1) * row_height - _BOARD_HEIGHT for number, row in enumerate(rows)}
    for board in boards.values():
        _draw_board(pen, width, board * unit, unit)
    canvas = np.array(image)
    places, covered = [Box(0, 0, 0, 0)] * len(entries), [Box(0, 0, 0, 0)] * len(entries)
    for row, own in in_row.items():
        x = (whole[0] - taken[row]) / 2 + _GAP / 2
        for i in sorted(own, key=lambda i: entries[i].column):
            pack, board = packs[entries[i].file], boards[row]
            size = round(pack.aspect * heights[i] * unit), round(heights[i] * unit)
            rgb = scale_image(pack.rgb, *size)
            alpha = None if pack.alpha is None else scale_image(pack.alpha, *size)
            begin, boxes = x, []
            for _ in range(entries[i].facings):
                left = round((x + widths[i] / 2) * unit - size[0] / 2)
                boxes.append(paste(canvas, rgb, left, round(board * unit) - rgb.shape[0], alpha))
                x += widths[i] + _GAP
            covered[i] = Box.around(boxes)
            places[i] = Box(begin * unit / width, (board - 1) * unit / height,
                            (x - _GAP) * unit / width, board * unit / height)  # fmt: skip
    return Shelf(canvas, tuple(places), tuple(covered))


def _draw_board(pen: ImageDraw.ImageDraw, width: int, top: float, unit: float) -> None:
    """Draw the board of a shelf with its shadow on the wall and its price strip, without prices."""
    pen.rectangle((0, round(top - 0.02 * unit), width, round(top)), fill=_SHADE)
    pen.rectangle((0, round(top), width, round(top + 0.03 * unit)), fill=_EDGE)
    pen.rectangle((0, round(top + 0.03 * unit), width, round(top + 0.09 * unit)), fill=_STRIP)
    pen.rectangle((0, round(top + 0.09 * unit), width, round(top + _BOARD_HEIGHT * unit)), fill=_BOARD)
