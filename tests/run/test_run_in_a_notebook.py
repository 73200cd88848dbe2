"""What a run shows of itself in a notebook: small pictures with the heat, names and verdicts."""

from __future__ import annotations

import base64
import io
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mediaan as mn

FAST = {"model": "centre-prior", "aois": "none", "advice": "none", "workers": 1}
HOSTILE = "ad's <best> & 'x'.png"
PICTURE = re.compile(r"data:image/webp;base64,([^']+)'")


@pytest.fixture
def ads(tmp_path: Path) -> Path:
    """26 pictures, one twice, one of them six times as high as wide."""
    folder = tmp_path / "ads"
    folder.mkdir()
    for i in range(25):
        Image.new("RGB", (300, 200), (10 * i, 90, 90)).save(folder / f"b{i:02}.png")
    Image.fromarray(np.full((1200, 200, 3), 200, np.uint8)).save(folder / HOSTILE)
    shutil.copy(folder / HOSTILE, folder / "again.png")
    return folder


def test_a_run_shows_its_first_files_each_once(ads: Path, tmp_path: Path) -> None:
    card = mn.analyze_folder(ads, tmp_path / "run", maps="heat", **FAST)._repr_html_()
    pictures = [Image.open(io.BytesIO(base64.b64decode(data))) for data in PICTURE.findall(card)]
    assert len(pictures) == card.count("no verdict</div>") == 24
    assert sorted({picture.size for picture in pictures}) == [(75, 225), (225, 150)]  # cut at the top, without legend
    assert "and 2 more" in card
    assert len(card) < 100_000
    assert "<best>" not in card
    assert "ad's" not in card  # inside an attribute


def test_a_run_without_maps_shows_names(ads: Path, tmp_path: Path) -> None:
    card = mn.analyze_folder(ads, tmp_path / "run", maps="none", limit=3, **FAST)._repr_html_()
    assert "<img" not in card
    assert "b00.png" in card
    assert "more" not in card.rpartition("</table>")[2]
