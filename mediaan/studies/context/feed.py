"""Draw a neutral feed of posts: grey header, avatar, name and action row around each picture; no platform's artwork."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from mediaan.studies.context.composition import ComposedPicture, crop_to_aspect, scale_image
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8

_PAGE, _CARD, _LINE, _GREY, _DARK = "#eceef1", "#ffffff", "#dde0e5", "#c9cdd4", "#a5abb5"

_HEADER, _NAME_ROW, _ACTION_ROW, _TEXT_ROWS, _GAP = 52, 56, 44, 40, 10
"""Heights in CSS px: bar at the top of the screen; above and below a picture; between posts."""

_MARGIN = 12
"""Space between the edge of a post and what is in it, CSS px."""

_TALLEST = 1.25
"""Most height over width of the pictures around the ad: taller ones are cropped, as feeds do (4:5)."""


@dataclass(frozen=True, slots=True)
class FeedScreen:
    """A screen on which a feed is shown.

    Attributes
    ----------
    name : str
        ``phone`` or ``desktop``.
    width, height : int
        CSS px.
    column : int
        Width of the pictures, CSS px.
    """

    name: str
    width: int
    height: int
    column: int


PHONE = FeedScreen("phone", 390, 844, 390)
DESKTOP = FeedScreen("desktop", 1440, 900, 500)
VIEWPORTS = {view.name: view for view in (PHONE, DESKTOP)}


def draw_feed(view: FeedScreen, ad: UInt8, aspect: float, place: float, neighbours: Sequence[UInt8]) -> ComposedPicture:
    """Draw a screen of a feed.

    Parameters
    ----------
    view : FeedScreen
    ad : (H, W, 3) uint8
        The picture of the post that is looked at; cropped to `aspect`.
    aspect : float
        Width over height in which it is shown.
    place : float
        0: its post begins below the bar at the top; 1: it ends where the screen ends; others lie in between.
    neighbours : sequence of (H, W, 3) uint8
        At least one. The first stands below the ad, the last above it, whatever the ad is; they are repeated where the
        screen needs more.

    Returns
    -------
    ComposedPicture
        Its box is the part of the ad's picture that is on the screen.
    """
    image = Image.new("RGB", (view.width, view.height), _PAGE)
    screen = _FeedDrawing(view, image, ImageDraw.Draw(image))
    free = view.height - _HEADER - _GAP - screen.post_height(aspect)
    top = round(_HEADER + _GAP + place * free)
    picture_top = screen.draw_post(top, crop_to_aspect(ad, aspect))
    others = [crop_to_aspect(one, max(one.shape[1] / one.shape[0], 1 / _TALLEST)) for one in neighbours]
    heights = [screen.post_height(one.shape[1] / one.shape[0]) + _GAP for one in others]
    below, number = top + screen.post_height(aspect) + _GAP, 0
    while below < view.height:
        screen.draw_post(below, others[number % len(others)])
        below, number = below + heights[number % len(others)], number + 1
    above, number = top, -1
    while above - _GAP > _HEADER:
        above -= heights[number % len(others)]
        screen.draw_post(above, others[number % len(others)])
        number -= 1
    screen.draw_header()
    left = (view.width - view.column) / 2
    y0, y1 = max(picture_top, _HEADER), min(picture_top + view.column / aspect, view.height)
    box = Box(left / view.width, y0 / view.height, (left + view.column) / view.width, y1 / view.height)
    return ComposedPicture(np.asarray(image), box)


@dataclass(frozen=True, slots=True)
class _FeedDrawing:
    """A screen that is being drawn; all lengths in CSS px."""

    view: FeedScreen
    image: Image.Image
    pen: ImageDraw.ImageDraw

    def post_height(self, aspect: float) -> int:
        """Return the height of a post with a picture of this width over height."""
        return _NAME_ROW + round(self.view.column / aspect) + _ACTION_ROW + _TEXT_ROWS

    def draw_post(self, top: int, picture: UInt8) -> int:
        """Draw a post and return where its picture begins."""
        column, left = self.view.column, (self.view.width - self.view.column) / 2
        height = round(column * picture.shape[0] / picture.shape[1])
        self._bar(left, top, column, _NAME_ROW + height + _ACTION_ROW + _TEXT_ROWS, _CARD)
        self._bar(left + _MARGIN, top + 10, 36, 36, _GREY, radius=18)
        self._bar(left + _MARGIN + 48, top + 16, 130, 9, _GREY, radius=4)
        self._bar(left + _MARGIN + 48, top + 32, 80, 7, _LINE, radius=3)
        y = top + _NAME_ROW
        self.image.paste(Image.fromarray(scale_image(picture, column, height)), (round(left), y))
        for i in range(3):
            self._bar(left + _MARGIN + 40 * i, y + height + 11, 22, 22, _LINE, radius=7)
        for i, share in enumerate((0.7, 0.45)):
            self._bar(left + _MARGIN, y + height + _ACTION_ROW + 4 + 15 * i, share * column, 7, _LINE, radius=3)
        return y

    def draw_header(self) -> None:
        """Draw the bar at the top, and on a wide screen what stands beside the feed."""
        width, column = self.view.width, self.view.column
        self._bar(0, 0, width, _HEADER, _CARD)
        self._bar(0, _HEADER - 1, width, 1, _LINE)
        self._bar(_MARGIN, 17, 96, 18, _GREY, radius=6)
        for i in range(3):
            self._bar(width - 38 - 40 * i, 14, 24, 24, _LINE, radius=12)
        side = (width - column) / 2 - 80
        if side < 120:
            return
        for i in range(7):
            y = _HEADER + 30 + 46 * i
            self._bar(40, y, 26, 26, _GREY if i == 0 else _LINE, radius=13)
            self._bar(80, y + 9, min(side - 80, (110, 140, 90, 120, 100, 150, 80)[i]), 8, _LINE, radius=4)
            if i < 5:
                x = (width + column) / 2 + 60
                self._bar(x, y, 26, 26, _LINE, radius=13)
                self._bar(x + 40, y + 9, min(side - 60, (130, 90, 150, 110, 120)[i]), 8, _LINE, radius=4)

    def _bar(self, x: float, y: float, width: float, height: float, colour: str, radius: int = 0) -> None:
        left, top = round(x), round(y)
        corners = left, top, max(left, round(x + width) - 1), max(top, round(y + height) - 1)
        self.pen.rounded_rectangle(corners, radius, fill=colour)
