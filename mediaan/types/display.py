"""Show a result in a few lines: as text for a terminal, as a small card for a notebook."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from mediaan.errors import SetupError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mediaan.types.arrays import UInt8

_CARD_WIDTH = 480
"""Of a picture in a card, px; half as many again are kept, for dense screens."""

_TILE_SIDE = 150
"""Of a picture in a gallery, px; half as many again are kept."""

_FITS = 0.03
"""Inches of an area's width for each letter of its text, some half of what the letter takes."""


class Outline(NamedTuple):
    """The outline of an area on a picture."""

    box: tuple[float, float, float, float]
    """x0, y0, x1, y1 in unit coordinates."""
    colour: str
    text: str


class Tile(NamedTuple):
    """A file in a gallery."""

    name: str
    verdict: str
    """In words."""
    colour: str
    """Of the verdict's mark."""
    rgb: UInt8 | None
    """(H, W, 3) picture; None where there is none."""


def html_picture(rgb: UInt8, outlines: Sequence[Outline] = ()) -> str:
    """Write a (H, W, 3) uint8 picture as HTML that stands alone, with outlines whose texts show under the mouse."""
    source = _picture_address(rgb, (round(1.5 * _CARD_WIDTH), 4 * _CARD_WIDTH), "JPEG", 85)
    boxes = "".join(
        f"<div title='{escape(text, quote=True)}' style='position:absolute;box-sizing:border-box;border:2px solid "
        f"{colour};outline:1px solid #0008;left:{100 * x0:.2f}%;top:{100 * y0:.2f}%;width:{100 * (x1 - x0):.2f}%;"
        f"height:{100 * (y1 - y0):.2f}%'></div>"
        for (x0, y0, x1, y1), colour, text in outlines
    )
    width = min(_CARD_WIDTH, rgb.shape[1])
    picture = f"<img src='{source}' alt='' style='display:block;width:100%;margin:0'>"
    return f"<div style='position:relative;width:{width}px;max-width:100%;line-height:0'>{picture}{boxes}</div>"


def html_gallery(tiles: Sequence[Tile], left_out: int) -> str:
    """Write small pictures side by side, with names and verdicts, in the colours of the page around them."""
    side, clip = round(1.5 * _TILE_SIDE), "white-space:nowrap;overflow:hidden;text-overflow:ellipsis"
    written = []
    for name, verdict, colour, rgb in tiles:
        address = "" if rgb is None else _picture_address(rgb, (side, side), "WEBP", 60)
        picture = f"<img src='{address}' alt='' style='max-width:100%;max-height:100%;margin:0'>" if address else ""
        written.append(
            f"<div style='width:{_TILE_SIDE}px' title='{escape(name, quote=True)}'>"
            f"<div style='height:{_TILE_SIDE}px;display:flex;align-items:end'>{picture}</div>"
            f"<div style='{clip}'>{escape(name)}</div>"
            f"<div style='{clip}'><span style='color:{colour}'>●</span> {escape(verdict)}</div></div>"
        )
    more = f"<div>and {left_out:,} more</div>" if left_out else ""
    return f"<div style='display:flex;flex-wrap:wrap;gap:12px;font-size:smaller'>{''.join(written)}</div>{more}"


def _picture_address(rgb: UInt8, most: tuple[int, int], kind: str, quality: int) -> str:
    """Return a picture, made no larger than `most` px wide and high, as a data address."""
    from PIL import Image

    image, data = Image.fromarray(rgb), io.BytesIO()
    image.thumbnail(most)
    image.save(data, kind, quality=quality)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(data.getvalue()).decode()}"


def figure(rgb: UInt8, outlines: Sequence[Outline] = (), title: str = "") -> Figure:
    """Draw a (H, W, 3) uint8 picture with outlines, as large as a page is wide at most.

    Raises SetupError: ``no_matplotlib``
    """
    try:
        from matplotlib.figure import Figure
        from matplotlib.patches import Rectangle
    except ImportError as error:
        message = "a plot needs matplotlib: pip install 'mediaan[notebook]', or pip install matplotlib"
        raise SetupError(message, code="no_matplotlib") from error
    height, width = rgb.shape[:2]
    scale = 7 / max(height, width)  # inches
    drawn = Figure(figsize=(max(2.0, width * scale), max(2.0, height * scale)), layout="constrained")
    axes = drawn.add_subplot()
    axes.imshow(rgb, extent=(0, width, height, 0))
    axes.set_axis_off()
    axes.set_title(title, fontsize="medium")
    for (x0, y0, x1, y1), colour, text in outlines:
        place, sides = (x0 * width, y0 * height), ((x1 - x0) * width, (y1 - y0) * height)
        axes.add_patch(Rectangle(place, *sides, fill=False, edgecolor="#000000", alpha=0.6, linewidth=3))
        axes.add_patch(Rectangle(place, *sides, fill=False, edgecolor=colour, linewidth=1.5))
        if sides[0] * scale < _FITS * len(text):  # it would hide its neighbours
            continue
        label = {"facecolor": colour, "edgecolor": "none", "pad": 1, "alpha": 0.9}
        axes.text(*place, text, fontsize="x-small", color="black", verticalalignment="bottom", bbox=label)
    return drawn


def text_card(title: str, rows: Mapping[str, str]) -> str:
    """Write a title and rows with their labels, empty ones left out.

    >>> print(text_card("Result: ad.png", {"verdict": "works", "areas": "", "focus": "44 (15–67)"}))
    Result: ad.png
      verdict  works
      focus    44 (15–67)
    """
    filled = {label: text for label, text in rows.items() if text}
    width = max(map(len, filled), default=0)
    return "\n".join([title, *(f"  {label:{width}}  {text}" for label, text in filled.items())])


def html_card(title: str, rows: Mapping[str, str]) -> str:
    """Write the same as a table of HTML, in the colours of the page around it."""
    cells = "".join(
        f'<tr><th style="text-align:left;vertical-align:top">{escape(label)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for label, text in rows.items()
        if text
    )
    return f"<table><caption style='text-align:left;font-weight:bold'>{escape(title)}</caption>{cells}</table>"
