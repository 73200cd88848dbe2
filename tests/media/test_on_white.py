"""Transparent pixels lie on white: media of which nothing is seen there say so, and no others."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from make_media import encode_frames
from PIL import Image, ImageDraw, ImageFont

from mediaan.media.open import open_medium
from mediaan.media.source import Sampling
from mediaan.types.media import ViewSpec

VIEW = ViewSpec("view", long_side=320)
SIZE = (320, 160)
WHITE, INK, RED = (255, 255, 255, 255), (20, 30, 60, 255), (200, 30, 30, 255)
FONT, SMALL = ImageFont.load_default(72), ImageFont.load_default(12)


def text(fill: tuple[int, ...], page: Image.Image | None = None, words: str = "BRAND", font: Any = FONT) -> Image.Image:
    page = page or Image.new("RGBA", SIZE)
    ImageDraw.Draw(page).text((28, 30), words, fill=fill, font=font)
    return page


def card(page: Image.Image | None = None) -> Image.Image:
    page = page or Image.new("RGBA", SIZE)
    ImageDraw.Draw(page).rounded_rectangle((10, 10, 310, 150), 20, fill=WHITE)
    return page


def with_shape(page: Image.Image, fill: tuple[int, ...]) -> Image.Image:
    ImageDraw.Draw(page).ellipse((240, 10, 316, 150), fill=fill)
    return page


HIDDEN = {
    "white": text(WHITE),
    "nearly white": text((238, 238, 238, 255)),
    "cream": text((255, 250, 235, 255)),
    "half transparent": text((255, 255, 255, 128)),
    "grey and opacity": text(WHITE).convert("LA"),
    "palette": text(WHITE).quantize(16),
    "an empty card": card(),
    "icon": text(WHITE, Image.new("RGBA", (48, 48)), "I", SMALL),
}
SEEN = {
    "black": text((0, 0, 0, 255)),
    "red": text(RED),
    "yellow": text((255, 240, 0, 255)),
    "white and red": with_shape(text(WHITE), RED),
    "white on a red shape": text(WHITE, with_shape(Image.new("RGBA", SIZE), RED)),
    "card with a headline": text(INK, card()),
    "card with small print": text(INK, card(), "terms and conditions apply", SMALL),
    "nothing at all": Image.new("RGBA", SIZE),
    "opaque white": Image.new("RGBA", SIZE, WHITE),
    "white on black": text(WHITE, Image.new("RGBA", SIZE, (0, 0, 0, 255))),
    "no opacity": text(INK).convert("RGB"),
}


def codes(path: Path) -> list[str]:
    with open_medium(path, [VIEW], sampling=Sampling(threads=1)) as source:
        list(source.chunks())
        return [problem.code for problem in source.problems]


@pytest.mark.parametrize("name", [*HIDDEN, *SEEN])
def test_pictures(name: str, tmp_path: Path) -> None:
    (HIDDEN | SEEN)[name].save(tmp_path / "logo.png")
    assert codes(tmp_path / "logo.png") == ["hidden_on_white"] * (name in HIDDEN)


@pytest.mark.parametrize("codec", ["webp", "avif", "tiff"])
def test_formats(codec: str, tmp_path: Path) -> None:
    for page, hidden in ((text(WHITE), True), (text(RED), False)):
        page.save(tmp_path / f"logo.{codec}")
        assert codes(tmp_path / f"logo.{codec}") == ["hidden_on_white"] * hidden


@pytest.mark.parametrize("suffix", ["png", "webp"])
@pytest.mark.parametrize("ends_white", [True, False])
def test_animations_count_as_a_whole(suffix: str, ends_white: bool, tmp_path: Path) -> None:
    frames = [text(WHITE, words=words) for words in ("B", "BR", "BRA")] + [text(WHITE if ends_white else RED)]
    buffer = io.BytesIO()
    frames[0].save(
        buffer, suffix, save_all=True, append_images=frames[1:], duration=400, lossless=True, disposal=1, blend=0
    )
    (tmp_path / f"logo.{suffix}").write_bytes(buffer.getvalue())
    assert codes(tmp_path / f"logo.{suffix}") == ["hidden_on_white"] * ends_white


@pytest.mark.parametrize("fill", [WHITE, RED])
def test_videos(fill: tuple[int, ...], tmp_path: Path) -> None:
    pages = [Image.new("RGBA", SIZE), text(fill), text(fill)]
    encode_frames(
        tmp_path / "logo.mov", [av.VideoFrame.from_ndarray(np.asarray(page), "rgba") for page in pages], "png", rate=5
    )
    assert codes(tmp_path / "logo.mov") == ["hidden_on_white"] * (fill == WHITE)
