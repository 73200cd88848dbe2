"""Render the sample film and the sample GIF into ``../videos``: ``python film.py`` (PyAV, numpy, opencv, Pillow)."""

from __future__ import annotations

from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

UInt8 = npt.NDArray[np.uint8]
HERE = Path(__file__).parent
VIDEOS = HERE.parent / "videos"
SIZE, FPS = (960, 540), 25

INK, CREAM, TEAL, AMBER = (33, 26, 20), (248, 240, 226), (18, 92, 92), (247, 178, 52)


def photo(name: str) -> UInt8:
    return np.asarray(Image.open(HERE / "photos" / name).convert("RGB"))


def camera(picture: UInt8, left: float, top: float, width: float) -> UInt8:
    """What a camera sees that looks at a part of a picture, in shares of its width."""
    scale = SIZE[0] / (width * picture.shape[1])
    shift = (-left * picture.shape[1] * scale, -top * picture.shape[1] * scale)
    matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]], np.float32)
    seen = cv2.warpAffine(picture, matrix, SIZE, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def write(rgb: UInt8, text: str, size: int, place: tuple[int, int], ink: tuple[int, int, int]) -> UInt8:
    page = Image.fromarray(rgb)
    ImageDraw.Draw(page).text(place, text, font=ImageFont.load_default(size), fill=ink)
    return np.asarray(page)


def coffee(t: float) -> UInt8:
    """2.4 s: fades in from black over a cup; the headline comes up after a second."""
    rgb = camera(photo("coffee.jpg"), 0.05 + 0.02 * t, 0.05, 0.9 - 0.06 * t)
    if t >= 1.0:
        rgb = write(rgb, "Slow mornings,", 76, (56, 60), CREAM)
        rgb = write(rgb, "quick espresso.", 76, (56, 146), CREAM)
    return np.asarray(rgb * min(1.0, t / 0.6), np.uint8)


def product(t: float) -> UInt8:
    """2.4 s: the product slides in from the right and stays; a claim beside it."""
    rgb = np.full((SIZE[1], SIZE[0], 3), TEAL, np.uint8)
    bottle = cv2.resize(photo("bottle.jpg"), (420, 420), interpolation=cv2.INTER_AREA)
    x = round(490 + 500 * max(0.0, 1 - t / 0.8) ** 2)
    shown = bottle[:, : max(0, min(420, SIZE[0] - x))]
    rgb[60:480, x : x + shown.shape[1]] = shown
    rgb = write(rgb, "New: Tolma oil", 54, (56, 190), CREAM)
    return write(rgb, "cold pressed, one origin", 28, (60, 266), AMBER)


def face(t: float) -> UInt8:
    """2 s: a slow pan over a portrait."""
    return camera(photo("astronaut.jpg"), 0.12 + 0.03 * t, 0.02, 0.62)


def end_card(t: float) -> UInt8:
    """3.2 s: brand, offer and a button; nothing moves but the button, once."""
    rgb = np.full((SIZE[1], SIZE[0], 3), CREAM, np.uint8)
    rgb = write(rgb, "TOLMA", 130, (262, 110), TEAL)
    rgb = write(rgb, "20 % off until Sunday", 40, (282, 268), INK)
    grown = 8 if 0.8 <= t < 1.2 else 0
    rgb = rgb.copy()
    cv2.rectangle(rgb, (340 - grown, 370 - grown), (620 + grown, 446 + grown), AMBER, -1)
    return write(rgb, "Order now", 40, (388, 384), INK)


SCENES = ((coffee, 2.4), (product, 2.4), (face, 2.0), (end_card, 3.2))


def film(path: Path) -> None:
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": "25", "preset": "slow"})
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        for draw, seconds in SCENES:
            for index in range(round(seconds * FPS)):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(draw(index / FPS), "rgb24")))
        container.mux(stream.encode(None))


def banner(path: Path) -> None:
    """Three pictures of 300 x 250, shown for 1.2, 0.8 and 2 s."""
    pages = []
    for text, ground, ink in (("Sofas", TEAL, CREAM), ("-30 %", AMBER, INK), ("This week only", CREAM, TEAL)):
        page = Image.new("RGB", (300, 250), ground)
        font = ImageFont.load_default(64 if len(text) < 8 else 36)
        draw = ImageDraw.Draw(page)
        draw.text((150, 110), text, font=font, fill=ink, anchor="mm")
        draw.text((150, 210), "hallenhof.example", font=ImageFont.load_default(18), fill=ink, anchor="mm")
        pages.append(page)
    pages[0].save(path, save_all=True, append_images=pages[1:], duration=[1200, 800, 2000], loop=0, optimize=True)


if __name__ == "__main__":
    VIDEOS.mkdir(exist_ok=True)
    film(VIDEOS / "coffee_spot.mp4")
    banner(VIDEOS / "sofa_banner.gif")
