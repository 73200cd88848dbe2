"""Format numbers, words and outlines as the page and the sheets show them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal

from mediaan.types.aoi import Aoi, Point
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.checks import VERDICT_WORDS
from mediaan.types.metrics import MetricSpec, Score

WORDS: Mapping[str, Mapping[str, str]] = {
    "verdicts": {name: VERDICT_WORDS[name].capitalize() for name in ("attention", "open", "works", "unknown")},
    "verdict_signs": {"attention": "✕", "open": "~", "works": "✓", "unknown": "–"},
    "target_signs": {"within": "✓", "close_to": "≈", "below": "↓", "above": "↑"},
    "rule_signs": {"passed": "✓", "failed": "✕", "warned": "!", "skipped": "–"},
    "directions": {
        "higher": "higher is better",
        "lower": "lower is better",
        "middle": "a middle value is best",
    },
    "units": {"%": " %", "s": " s", "1/min": " a minute", "ratio": " times"},  # after a number
}
"""By kind and name; verdicts in the order of urgency. Keys are read in `views/**/*.js`."""


def digits(value: float, decimals: int) -> str:
    """Round half away from zero, as the page's script does, so that table and detail agree.

    >>> digits(72.5, 0), digits(0.126, 2)
    ('73', '0.13')
    """
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def plus_minus(moves: float | None, decimals: int) -> str:
    """Format how far a number moves; empty where that is not known, or too small to be written.

    >>> plus_minus(12.4, 0), plus_minus(0.26, 1), plus_minus(0.2, 0), plus_minus(None, 0)
    ('± 12', '± 0.3', '', '')
    """
    text = "0" if moves is None else digits(moves, decimals)
    return f"± {text}" if float(text) else ""


def format_number(value: float | None, unit: str, *, signed: bool = False) -> str:
    """Format a number for a table, – for none.

    >>> format_number(0.126, "s"), format_number(3.0, "score", signed=True), format_number(-0.04, "%", signed=True)
    ('0.13', '+3.0', '0.0')
    >>> format_number(None, "%")
    '–'
    """
    if value is None:
        return "–"
    decimals = 2 if unit in ("s", "ratio") else 1
    rounded = round(value, decimals) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''}.{decimals}f}"


def duration(seconds: float) -> str:
    """Format the length of a medium, as the page's script does.

    >>> duration(0.44), duration(59.6), duration(3725)
    ('0.4 s', '1:00', '1:02:05')
    """
    if seconds < 1:
        return f"{digits(seconds, 1)} s"
    minutes, rest = divmod(int(digits(seconds, 0)), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"


def position(value: float, spec: MetricSpec) -> float:
    """Return the position of a value on the metric's range, %; outside values sit on the border.

    >>> position(25, MetricSpec("t", "T", "s", 0, 50, "higher", "measured", "", ""))
    50.0
    """
    share = (value - spec.low) / (spec.high - spec.low)
    return round(100 * min(max(share, 0.0), 1.0), 2)


_UNIT = re.compile(r"(\d) (?=[%s×])")


def unbroken(text: str) -> str:
    """Keep each number on one line with its unit."""
    return _UNIT.sub("\\1\u00a0", text)


_ONE_DECIMAL_BELOW = 9.95  # %


def area_name(aoi: Aoi) -> str:
    """Return its own words in one line, else the title of its type."""
    title = AREA_TYPES[aoi.type].title
    words = " ".join((aoi.words or aoi.label).split())
    return words if words and words.lower() != title.lower() else title


def area_title(aoi: Aoi) -> str:
    """Return the title of its type, or what an area of another type is.

    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box
    >>> area_title(Aoi(UUID(int=1), "other", "platform", Box(0, 0, 1, 1), 0.9, "text"))
    'Platform'
    """
    label = aoi.label.split("\n")[0]
    if aoi.type != "other" or not label:
        return AREA_TYPES[aoi.type].title
    return "Offer or date" if label == "offer" else label[0].upper() + label[1:]


def percent_text(score: Score | None, moves: float | None = None) -> str:
    """Return a value in % with how far it moves, where that is known; – for none.

    >>> from mediaan.aoi.scoring.specs import ATTENTION
    >>> percent_text(Score.of(ATTENTION, 37.4), 5.8), percent_text(Score.of(ATTENTION, 3.24)), percent_text(None)
    ('37 ± 6 %', '3.2 %', '–')
    """
    if score is None or score.value is None:
        return "–"
    decimals = 1 if 0 < score.value < _ONE_DECIMAL_BELOW else 0
    return f"{f'{digits(score.value, decimals)} {plus_minus(moves, decimals)}'.rstrip()} %"


def first_seen_text(aoi: Aoi) -> str:
    """Return when it is first seen, – where that is unknown."""
    first = aoi.value("first_seen_s")
    return "–" if first is None else f"{digits(first, 1)} s"


def area_label(number: int, aoi: Aoi) -> str:
    """Return the percentage beside its outline; its number where no percentage is known."""
    seen = aoi.value("percentage_seen")
    if seen is None:
        return f"{number}"
    return "<1 %" if 0 < seen < 0.5 else f"{digits(seen, 0)} %"


def outline(aoi: Aoi) -> tuple[Point, ...]:
    """Return the corners of its outline, in unit coordinates."""
    x0, y0, x1, y1 = aoi.box
    return aoi.polygon or ((x0, y0), (x1, y0), (x1, y1), (x0, y1))


def svg_points(aoi: Aoi) -> str:
    """Return its outline as an SVG polygon in the unit square has it."""
    return " ".join(f"{x:.4f},{y:.4f}" for x, y in outline(aoi))
