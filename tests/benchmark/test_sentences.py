from __future__ import annotations

import re
from typing import get_args

import numpy as np
import pytest

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.judge.benchmark.ranges import format_rounded, population_words, score_title, subject_words
from mediaan.metrics import metric_specs
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.benchmark import Position
from mediaan.types.metrics import MetricSpec

POSITIONS = {"within": "within", "close_to": "close to", "above": "above", "below": "below"}
SPECS = metric_specs()
OF_MEDIA: list[tuple[MetricSpec, str | None]] = [(spec, None) for spec in SPECS]
OF_AOIS: list[tuple[MetricSpec, str | None]] = [(spec, aoi_type) for spec in AOI_METRICS for aoi_type in AOI_TYPES]
PEOPLE = population_words(51, "image", None, "Print and display advertisements", "industry=food")


def words_of(text: str) -> list[str]:
    return re.findall(r"\b(?:within|close to|above|below)\b", text, re.IGNORECASE)


def position_of(value: float, lower: float, upper: float, close: bool) -> Position:
    if lower <= value <= upper:
        return "within"
    return "close_to" if close else "below" if value < lower else "above"


@pytest.mark.parametrize(("spec", "aoi_type"), OF_MEDIA + OF_AOIS)
def test_every_sentence_holds_the_number_and_says_once_where_it_stands(spec: MetricSpec, aoi_type: str | None) -> None:
    rng = np.random.default_rng(len(spec.name))
    highest = spec.high if np.isfinite(spec.high) else 20.0
    for _ in range(200):
        value, lower, upper = (float(x) for x in (rng.uniform(0, highest), *np.sort(rng.uniform(0, highest, 2))))
        place = position_of(value, lower, upper, bool(rng.integers(2)))
        time = str(rng.choice(["total", "start", "end"]))
        segment = str(rng.choice(["all", "industry=food", "platform=x, usecase=story"]))
        text = score_title(
            subject=subject_words(spec.name, spec.title, time, aoi_type),
            value=value,
            position=place,
            ends=(lower, upper),
            unit=spec.unit,
            population=population_words(int(rng.integers(10, 500)), "image", aoi_type, "Our ads", segment),
            open_ended=bool(rng.integers(2)),
        )
        assert words_of(text) == [POSITIONS[place]]
        shown = re.search(r" is (-?[\d.]+)", text)
        assert shown, text
        assert format_rounded(value, spec.unit) in shown[1] or abs(float(shown[1]) - value) < 0.051, text
        assert text[0].isupper()
        assert text.endswith(".")
        assert not re.search(r"[<>{}]|\s\s|None|nan|_", text), text
        low = re.search(r"the target range of ([\d.]+)", text)
        assert low
        if place == "below":
            assert float(shown[1]) < float(low[1])
        if place == "above" and " or more" not in text:
            high = re.search(r"target range of (?:[\d.]+ to )?([\d.]+)", text)
            assert float(shown[1]) > float(high[1])


@pytest.mark.parametrize("position", get_args(Position))
def test_titles_of_norm_sets_cannot_say_where_a_score_stands(position: str) -> None:
    for title in (f"Ads {POSITIONS[position]} average", "Above The Line", "Close to home"):
        people = population_words(51, "image", None, title, "all")
        text = score_title(subject="focus", value=3, position=position, ends=(10, 20), unit="score", population=people)
        assert words_of(text) == [POSITIONS[position]]
        assert "51 images" in text


@pytest.mark.parametrize(
    ("value", "position", "expected"),
    [
        (64.4, "within", "Focus is 64, within the target range of 30 to 70 ("),
        (64.5, "within", "Focus is 65, within the target range of 30 to 70 ("),
        (70.4, "above", "Focus is 70.4, above the target range of 30 to 70 ("),
        (69.96, "below", "Focus is 69.96, below the target range of 70 to 100 ("),
        (12.0, "below", "Focus is 12, below the target range of 30 to 70 ("),
    ],
)
def test_numbers_are_as_fine_as_they_must_be(value: float, position: Position, expected: str) -> None:
    lower, upper = (70, 100) if "100" in expected else (30, 70)
    text = score_title(
        subject="focus", value=value, position=position, ends=(lower, upper), unit="score", population=PEOPLE
    )
    assert text.startswith(expected)
    assert text.endswith('51 images, "Print and display advertisements", industry: food).')


@pytest.mark.parametrize(
    ("value", "lower", "upper", "unit", "open_ended", "expected"),
    [
        (0.07, 0.0031, 1.2, "s", True, "0.070 s, within the target range of 0.003 s or more ("),
        (0.5, 0.0, 1.43, "s", False, "0.50 s, within the target range of 0 to 1.43 s ("),
        (100.0, 100.0, 100.0, "%", False, "100 %, within the target range of 100 % ("),
        (31.2, 8.81, 100.0, "%", False, "31 %, within the target range of 8.8 to 100 % ("),
        (3.0, 1.0, 3.6, "count", False, "3, within the target range of 1 to 3.6 ("),
        (12.0, 3.25, 40.0, "1/min", False, "12.0 a minute, within the target range of 3.3 to 40 a minute ("),
    ],
)
def test_units(value: float, lower: float, upper: float, unit: str, open_ended: bool, expected: str) -> None:
    text = score_title(
        subject="it",
        value=value,
        position="within",
        ends=(lower, upper),
        unit=unit,
        population=PEOPLE,
        open_ended=open_ended,
    )
    assert text.startswith(f"It is {expected}")
