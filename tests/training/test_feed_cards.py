"""Invented posts: areas lie where something was drawn, and the design in them keeps its own."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
SET_TYPE = ROOT / "tests" / "sample_ads" / "source" / "fonts"
sys.path.insert(0, str(ROOT / "models" / "training"))
feed_cards = pytest.importorskip("feed_cards")


@pytest.fixture
def fonts(tmp_path: Path) -> Path:
    for family in feed_cards.FONTS:
        for weight, ours in ((400, "poppins-400"), (700, "poppins-600")):
            found = next(SET_TYPE.glob(f"{ours}*"), next(SET_TYPE.glob("poppins*")))
            (tmp_path / f"{family}-latin-{weight}-normal.ttf").symlink_to(found)
    return tmp_path


@pytest.mark.parametrize("layout", dict.fromkeys(feed_cards.LAYOUTS), ids=lambda layout: layout.__name__)
def test_areas_are_where_something_is_drawn(layout: Callable[..., None], fonts: Path) -> None:
    picture = Image.new("RGB", (400, 500), (90, 140, 60))
    design = feed_cards.Design("x.jpg", Path(), [{"type": "headline_text", "box": [0.1, 0.2, 0.6, 0.3]}], [])
    drawn: set[str] = set()
    for seed in range(12):
        card = feed_cards.Card(np.random.default_rng(seed), fonts, "en", 700)
        layout(card, picture, design)
        image, areas, undecided = card.done()
        rgb = np.asarray(image)
        for area in (*areas, *undecided):
            x0, y0, x1, y1 = area["box"]
            assert 0 <= x0 < x1 <= 1.001
            assert 0 <= y0 < y1 <= 1.001
            if area["type"] != "headline_text":
                part = rgb[int(y0 * rgb.shape[0]) : int(y1 * rgb.shape[0]) + 1, int(x0 * rgb.shape[1]) :]
                assert np.ptp(part[:, : int((x1 - x0) * rgb.shape[1]) + 1], axis=(0, 1)).max() > 20
        drawn.update(area["label"] if area["type"] == "other" else area["type"] for area in areas)
        headlines = [area["box"] for area in areas if area["type"] == "headline_text"]
        if headlines:  # a story's interface may cover it
            (x0, y0, x1, y1) = headlines[0]
            shown = rgb[int((y0 + 0.01) * rgb.shape[0]) : int((y1 - 0.01) * rgb.shape[0]), int((x0 + 0.01) * 700) :]
            assert np.abs(shown[:, : int((x1 - x0) * 650)].astype(int) - (90, 140, 60)).max() <= 1
        assert len(headlines) <= 1
    assert {"platform", "body_text"} <= drawn


def test_a_picture_depends_on_its_seed_alone(fonts: Path) -> None:
    picture, design = Image.new("RGB", (300, 300), (10, 60, 90)), feed_cards.Design("x.jpg", Path(), [], [])
    cards = []
    for _ in range(2):
        card = feed_cards.Card(np.random.default_rng(7), fonts, "de", 500)
        feed_cards.post(card, picture, design)
        cards.append(card.done())
    assert np.array_equal(np.asarray(cards[0][0]), np.asarray(cards[1][0]))
    assert cards[0][1] == cards[1][1]
