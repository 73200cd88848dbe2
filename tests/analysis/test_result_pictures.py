"""What a result shows of itself in a notebook: its picture with the heat, and its areas where they are."""

from __future__ import annotations

import base64
import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mediaan as mn

BOX = (0.25, 0.5, 0.75, 0.625)
FAST = {"model": "centre-prior", "aois": "none", "advice": "none"}


@pytest.fixture
def ad(tmp_path: Path) -> Path:
    """A white picture with a black area in `BOX`."""
    rgb = np.full((800, 400, 3), 255, np.uint8)
    rgb[400:500, 100:300] = 0
    Image.fromarray(rgb).save(tmp_path / "ad's <best>.png")
    return tmp_path / "ad's <best>.png"


def analyzed(ad: Path, maps: str) -> mn.Result:
    return mn.analyze(ad, maps=maps, drawings=[mn.Drawing("product", "", (BOX[:2], BOX[2:]))], **FAST)


def test_areas_lie_where_they_are_also_on_maps_with_a_legend(ad: Path) -> None:
    result = analyzed(ad, "heat,fog")
    for name in ("heat", "original"):
        figure = result.plot(name)
        (axes,) = figure.axes
        (image,) = axes.images
        outline = axes.patches[-1]
        picture = np.asarray(image.get_array())
        x0, y0 = outline.get_xy()
        x1, y1 = x0 + outline.get_width(), y0 + outline.get_height()
        assert picture.shape[0] > (800 if name == "heat" else 799)
        assert (x0, y0, x1, y1) == pytest.approx((100, 400, 300, 500), abs=1)
        inside, around = picture[405:495, 105:295], picture[405:495, 20:90]
        assert inside.mean() < around.mean() - 50
        assert Image.open(io.BytesIO(figure._repr_png_())).format == "PNG"  # what a notebook shows
    assert "heat" in result.plot().axes[0].get_title()
    assert not result.plot(areas=False).axes[0].patches


def test_the_card_holds_the_picture_and_escapes_names(ad: Path) -> None:
    card = analyzed(ad, "heat")._repr_html_()
    data = re.search(r"data:image/jpeg;base64,([^']+)'", card)
    assert Image.open(io.BytesIO(base64.b64decode(data[1]))).width == 400
    assert "left:25.00%" in card
    assert "<best>" not in card
    assert analyzed(ad, "none")._repr_html_().startswith("<table>")


def test_what_cannot_be_plotted(ad: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(mn.UsageError, match="maps='heat'"):
        analyzed(ad, "none").plot()
    result = analyzed(ad, "heat")
    with pytest.raises(mn.UsageError, match="it holds original, heat"):
        result.plot("fog")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(mn.SetupError, match="pip install matplotlib"):
        result.plot()
