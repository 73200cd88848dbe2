"""Colours that must be told apart, as people see them who lack a kind of cone; or a second cue beside them."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from mediaan.types.area_types import AREA_TYPES

VIEWS = Path(__file__).parents[3] / "mediaan" / "report" / "web" / "views"
LEAST = 10.0
"""Distance in CIELAB (CIE 1976) of colours that nothing but colour tells apart."""
# Machado, Oliveira & Fernandes 2009, severity 1.0, on linear RGB.
VISION = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = XYZ.sum(axis=1)


def lab(colour: str, vision: str = "all cones") -> np.ndarray:
    digits = colour.removeprefix("#")
    rgb = np.array([int(digits[i : i + 2], 16) for i in (0, 2, 4)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = XYZ @ np.clip(np.asarray(VISION[vision]) @ linear, 0, 1) / WHITE
    fx, fy, fz = (np.cbrt(t) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


def distance(one: str, other: str, vision: str) -> float:
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


def rules(sheet: str, pattern: str) -> list[tuple[str, ...]]:
    return re.findall(pattern, (VIEWS / sheet).read_text("utf-8"), re.MULTILINE)


def test_the_reference_used_here_gives_the_published_lab_of_red() -> None:
    np.testing.assert_allclose(lab("#ff0000"), [53.24, 80.09, 67.20], atol=0.05)


@pytest.mark.parametrize("vision", VISION)
def test_types_of_areas_differ_in_colour_or_in_their_dashes(vision: str) -> None:
    types = [(area_type.name, area_type.colour, area_type.dash) for area_type in AREA_TYPES.values()]
    wide = dict(rules("areas/areas.css", r"^\.type-(\w+):is\(.area, .item\) \.line \{ stroke-width: ([\d.]+)px"))
    for (a, colour_a, dash_a), (b, colour_b, dash_b) in combinations(types, 2):
        cue = dash_a != dash_b or wide.get(a) != wide.get(b)
        assert cue or distance(colour_a, colour_b, vision) >= LEAST, (a, b)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", [0, 1])
def test_two_sides_of_a_comparison(vision: str, theme: int) -> None:
    a, b = (rules("studies/compare.css", rf"--{name}: light-dark\((#\w{{6}}), (#\w{{6}})\)")[0] for name in "ab")
    assert distance(a[theme], b[theme], vision) >= 2 * LEAST


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", [0, 1])
def test_good_and_bad_are_told_by_more_than_their_colours(vision: str, theme: int) -> None:
    good, bad = (
        rules("core/page.css", rf"--{name}: light-dark\((#\w{{6}}), (#\w{{6}})\)")[0] for name in ("good", "bad")
    )
    signs = dict(rules("core/verdicts.js", r"^  (\w+): \{ words: \"[^\"]+\", sign: \"(.)\" \}"))
    assert len(set(signs.values())) == 4 or distance(good[theme], bad[theme], vision) >= 2 * LEAST


def test_lines_of_trends_have_a_mark_each() -> None:
    from mediaan.studies.trend.page import MARKS

    colours = rules("studies/trend.css", r"^\.c(\d) \{ --hue: light-dark\((#\w{6}), (#\w{6})\)")
    assert len(colours) == len(set(MARKS)) == len(MARKS)
