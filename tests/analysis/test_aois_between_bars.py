"""The search for areas looks at the picture between bars, with finders that see what was drawn for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from mediaan.analysis.aoi_detection import AoiDetector, find_content
from mediaan.analysis.aoi_tracking import VideoAoiDetector
from mediaan.analysis.plan import AOI_VIEW, DEFAULT_OPTIONS
from mediaan.types.aoi import Box, Detection, TextLine
from mediaan.types.media import ViewSpec

HIGH, WIDE, BAR = 216, 384, 30
RED = (230, 20, 20)


class Finder:
    """Finds a red block as a face, and reads whatever it is told to read over the whole of what it is shown."""

    view = ViewSpec("objects", long_side=384)

    def __init__(self, says: str | None = None) -> None:
        self.says, self.shown = says, list[tuple[int, int]]()

    def read(self, rgb: np.ndarray) -> tuple[TextLine, ...]:
        self.shown.append(rgb.shape[:2])
        everywhere = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
        return (TextLine(everywhere, self.says, 0.9),) if self.says else ()

    def detect(self, frames: np.ndarray) -> tuple[tuple[Detection, ...], ...]:
        (rgb,) = frames
        rows, columns = np.nonzero((np.abs(rgb.astype(int) - RED) < 60).all(axis=-1))
        if not rows.size:
            return ((),)
        high, wide = rgb.shape[:2]
        box = Box(columns.min() / wide, rows.min() / high, (columns.max() + 1) / wide, (rows.max() + 1) / high)
        return ((Detection("face", box, 0.9),),)


def search(finder: Finder) -> AoiDetector:
    models: Any = SimpleNamespace(text=finder, objects=finder, detect_objects=lambda rgb: finder.detect(rgb[None])[0])
    medium: Any = SimpleNamespace(medium_id=UUID(int=5), name="film.mp4")
    return AoiDetector("all", models, DEFAULT_OPTIONS, medium)


def frame(at: int = 0, *, light: float = 1.0, bars: bool = True) -> np.ndarray:
    """Coarse noise between bars, with a red block in it that moves to the right."""
    picture = np.random.default_rng(3).integers(60, 150, (27, 48, 3)).astype(np.uint8)
    picture = np.repeat(np.repeat(picture, 8, axis=0), 8, axis=1)
    picture[100:140, 100 + 4 * at : 150 + 4 * at] = RED
    picture = (picture * light).astype(np.uint8)
    if bars:
        picture[:BAR] = picture[-BAR:] = 0
    return picture


def test_finders_see_the_picture_and_say_where_on_the_whole() -> None:
    finder = Finder()
    (face,), _ = search(finder).detect_image(frame())
    assert finder.shown == [(HIGH - 2 * BAR, WIDE)]
    assert face.box == pytest.approx((100 / WIDE, 100 / HIGH, 150 / WIDE, 140 / HIGH), abs=0.006)


def test_a_picture_without_bars_is_seen_whole() -> None:
    finder = Finder()
    (face,), _ = search(finder).detect_image(frame(bars=False))
    assert finder.shown == [(HIGH, WIDE)]
    assert face.box == pytest.approx((100 / WIDE, 100 / HIGH, 150 / WIDE, 140 / HIGH), abs=0.006)


def test_a_caption_on_a_bar_is_looked_at() -> None:
    captioned = frame()
    captioned[194:204, 60:200:4] = 255
    finder = Finder()
    search(finder).detect_image(captioned)
    assert finder.shown == [(HIGH, WIDE)]
    assert find_content(captioned) == Box(0, 0, 1, 1)


@pytest.mark.parametrize(("says", "texts"), [("1", 0), ("Fresh bread today", 1)])
def test_one_glyph_over_the_whole_frame_is_no_text(says: str, texts: int) -> None:
    aois, _ = search(Finder(says)).detect_image(frame(bars=False))
    assert len([aoi for aoi in aois if aoi.text is not None]) == texts


def test_a_film_has_no_areas_in_its_bars_even_while_it_is_too_dark_to_see_them() -> None:
    """It fades in: at first edges of bars cannot be seen."""
    finder = Finder()
    follower = VideoAoiDetector(search(finder))
    for at in range(12):
        rgb = frame(at, light=min(1.0, 0.05 + 0.25 * at))
        follower.add(at / 5, 0.2, 0, True, {AOI_VIEW.name: rgb})
    aois, _ = follower.aois()
    assert finder.shown[-1] == (HIGH - 2 * BAR, WIDE)
    assert "face" in {aoi.type for aoi in aois}
    for aoi in aois:
        assert all(s.box.y0 >= BAR / HIGH - 1e-3 and s.box.y1 <= 1 - BAR / HIGH + 1e-3 for s in aoi.track)
