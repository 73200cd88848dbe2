"""One advertisement of our own drawing whose properties can be changed one at a time.

    python tests/metrics/controlled.py

prints the scores at every step of every change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFont

from mediaan.analysis.models import Models
from mediaan.media import view_size
from mediaan.metrics import DRIVER_VIEW, measure_drivers, score_all
from mediaan.metrics.scores.memory import measures
from mediaan.types.arrays import UInt8
from mediaan.types.media import ViewSpec
from mediaan.types.metrics import Score

SOURCE = Path(__file__).parents[1] / "sample_ads" / "source"
WIDTH, HEIGHT = 1200, 900
GROUND, INK = (247, 243, 236), (24, 32, 58)
PHOTO_SIDE = 520
COPY = (
    "Six grinders, one switch,",
    "and a hopper that holds a",
    "week of mornings. Made to",
    "be repaired, sold with its",
    "spare parts in one box and",
    "a handbook that you can",
    "read before breakfast, or",
    "leave on the shelf for good.",
)


@dataclass(frozen=True, slots=True)
class Ad:
    """A headline, copy, a button and a photograph on a plain ground.

    Attributes
    ----------
    text : float
        Size of all type, 1 as designed.
    ink : float
        Contrast of type with its ground, 1 as designed, 0 invisible.
    lines : int
        Of copy.
    litter : int
        Small coloured shapes strewn all over the ground.
    colour, contrast : float
        Saturation and contrast of the whole, 1 as designed, 0 none.
    photo : str
        File of the photograph.
    """

    text: float = 1.0
    ink: float = 1.0
    lines: int = 3
    litter: int = 0
    colour: float = 1.0
    contrast: float = 1.0
    photo: str = "coffee.jpg"

    def draw(self) -> UInt8:
        """The advertisement, (900, 1200, 3) uint8."""
        page = Image.new("RGB", (WIDTH, HEIGHT), GROUND)
        page.paste(photograph(self.photo), (WIDTH - PHOTO_SIDE - 50, 190))
        pen = ImageDraw.Draw(page)
        strew(pen, self.litter)
        self._set_type(pen)
        page = ImageEnhance.Color(page).enhance(self.colour)
        return np.asarray(ImageEnhance.Contrast(page).enhance(self.contrast))

    def _set_type(self, pen: ImageDraw.ImageDraw) -> None:
        ink = tuple(round(g + self.ink * (i - g)) for g, i in zip(GROUND, INK, strict=True))
        pen.text((60, 70), "Morning, ground", fill=ink, font=font(700, 92 * self.text))
        for i in range(self.lines):
            pen.text((60, 240 + 58 * i), COPY[i], fill=ink, font=font(400, 40 * self.text))
        pen.rounded_rectangle((60, 770, 330, 850), 40, outline=ink, width=3)
        pen.text((195, 810), "Order one", fill=ink, font=font(600, 38 * self.text), anchor="mm")


class Change(NamedTuple):
    """A property in steps, and what must follow: +1 rises, -1 falls."""

    start: Ad
    key: str
    steps: tuple[Any, ...]
    drivers: dict[str, int]
    scores: dict[str, int]

    @property
    def ads(self) -> list[Ad]:
        return [replace(self.start, **{self.key: step}) for step in self.steps]


GREY = Ad(colour=0.0)
CHANGES = {
    "smaller text": Change(Ad(lines=6), "text", (0.65, 0.5, 0.4, 0.3), {"text_height": -1}, {}),
    "fainter text": Change(
        Ad(), "ink", (1.0, 0.6, 0.35, 0.2), {"text_contrast": -1, "attended_contrast": -1}, {"design": -1}
    ),
    "more words": Change(
        Ad(),
        "lines",
        (1, 3, 5, 8),
        {"letter_count": 1, "contour_congestion": 1, "white_space": -1, "concentration": -1},
        {"clarity": -1, "design": -1, "memory": -1, "cognitive_demand": 1},
    ),
    "more clutter": Change(
        Ad(),
        "litter",
        (0, 20, 60, 150),
        {
            "feature_congestion": 1,
            "ground_congestion": 1,
            "white_space": -1,
            "concentration": -1,
            "early_concentration": -1,
        },
        {"clarity": -1, "cognitive_demand": 1},
    ),
    "less colour": Change(
        Ad(),
        "colour",
        (1.0, 0.6, 0.3, 0.0),
        {"colourfulness": -1, "vividness": -1, "warmth": -1},
        {"design": -1, "memory": -1},
    ),
    "less contrast": Change(
        Ad(),
        "contrast",
        (1.0, 0.7, 0.45, 0.25),
        {"luminance_sd": -1, "attended_contrast": -1, "text_contrast": -1},
        {"design": -1},
    ),
    # contours that outlast the highest threshold do not count: where they abound, only the weak ones speak
    "fading": Change(Ad(), "contrast", (0.7, 0.45, 0.25, 0.15), {"contour_weakness": 1}, {"clarity": -1, "design": -1}),
    "no person": Change(  # without colour, in which the photographs differ
        GREY,
        "photo",
        ("astronaut.jpg", "coffee.jpg"),
        {"person_presence": -1, "face_presence": -1},
        {"engagement": -1, "memory": -1},
    ),
}


@cache
def photograph(name: str) -> Image.Image:
    picture = Image.open(SOURCE / "photos" / name).convert("RGB")
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    square = picture.crop((left, top, left + side, top + side))
    return square.resize((PHOTO_SIDE, PHOTO_SIDE), Image.Resampling.LANCZOS)


@cache
def font(weight: int, size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(SOURCE / "fonts" / f"poppins-{weight}.woff2"), size)


def strew(pen: ImageDraw.ImageDraw, number: int) -> None:
    """Small shapes at places that do not change when there are more of them."""
    rng = np.random.default_rng(3)
    for _ in range(number):
        x, y, side = rng.integers(0, WIDTH), rng.integers(0, HEIGHT), rng.integers(14, 46)
        colour = tuple(int(c) for c in rng.integers(0, 256, 3))
        shape = pen.rectangle if rng.random() < 0.5 else pen.ellipse
        shape((int(x), int(y), int(x + side), int(y + side)), fill=colour)


@cache
def models() -> Models:
    return Models("attention", "cpu", threads=1)


@dataclass(frozen=True, slots=True)
class Look:
    """Properties and scores of one picture."""

    values: Mapping[str, float | None]
    scores: Mapping[str, Score]

    def points(self, metric: str, driver: str) -> float:
        """What a property has done to a score; 0 where it is not among the largest."""
        return sum(one.points for one in self.scores[metric].drivers if one.driver == driver)


def look(rgb: UInt8) -> Look:
    """Measure and score a picture as an analysis does."""
    small, shown = (at_view(rgb, spec) for spec in (DRIVER_VIEW, models().still.view))
    drivers = measure_drivers(small, models().appearance.read(small))
    densities = models().still.predict(shown[None])[0]
    return Look(measures(drivers, densities), {score.metric: score for score in score_all(drivers, densities)})


def at_view(rgb: UInt8, spec: ViewSpec) -> UInt8:
    size = view_size(rgb.shape[1], rgb.shape[0], spec)
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


SHOWN = ("clarity", "engagement", "design", "memory", "cognitive_demand")
DESIGNED = Change(Ad(lines=6), "text", (1.0, 0.8, *CHANGES["smaller text"].steps), {}, {})
"""Smaller text all the way from the designed size, on which clarity does not fall at every step."""


def main() -> None:
    for name, change in {**CHANGES, "smaller text, from the designed size": DESIGNED}.items():
        print(f"{name} ({change.key}): {', '.join(map(str, change.steps))}")
        found = [look(ad.draw()).scores for ad in change.ads]
        for metric in SHOWN:
            print(f"  {metric:17s}" + "".join(f"{scores[metric].value:6.1f}" for scores in found))


if __name__ == "__main__":
    main()
