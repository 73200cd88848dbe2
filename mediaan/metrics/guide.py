"""Explain in short what each number says and which way is good; docs/metrics.md is the long version."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import get_args

from mediaan.types.media import Purpose
from mediaan.types.metrics import Direction

PURPOSES: Mapping[str, str] = {"brand_building": "brand building", "conversion": "conversion"}
"""Purposes in readers' words."""

HEADLINE_SCORES: Mapping[Purpose | None, tuple[str, ...]] = {
    None: ("focus", "clarity", "design", "cognitive_demand"),
    "brand_building": ("focus", "engagement", "design"),
    "conversion": ("focus", "clarity", "cognitive_demand"),
}
"""Scores of media that decide, as far as there are any, by what the media are for."""

SUBSTITUTES = {"design": "engagement"}
"""What decides where a score is not there."""

_ANY = "any"


@dataclass(frozen=True, slots=True)
class Aim:
    """The direction in which a metric is good, and why."""

    direction: Direction
    reason: str
    """One sentence."""
    source: str
    """Publication that shows it; empty where it follows from what the number is."""


@dataclass(frozen=True, slots=True)
class Guide:
    """A metric in words that need no statistics, two sentences each at most."""

    meaning: str
    formula: str
    """meaning, formula: Its statement; its computation."""
    ends: str
    """Ends of its range."""
    evidence: str
    limits: str
    """evidence, limits: Reason to believe it; what it does not say."""
    aims: Mapping[str, Aim]
    """Mapping of purpose or 'any' to Aim."""

    def aim(self, purpose: str | None = None) -> Aim:
        """Return the aim for a purpose; that of most where it is None or has no aim of its own."""
        return self.aims.get(purpose or _ANY) or self.aims[_ANY]


@cache
def guides() -> Mapping[str, Guide]:
    """Load the guide to every metric, by name."""
    from mediaan.metrics.catalogue import METRICS  # here, so that the file of a metric can hold its guide

    content = tomllib.loads(files("mediaan.metrics").joinpath("guide.toml").read_text(encoding="utf-8"))
    by_name = {name: metric.guide for name, metric in METRICS.items() if metric.guide is not None}
    for name, entry in content.items():
        texts = {key: entry[key] for key in ("meaning", "formula", "ends", "evidence", "limits")}
        by_name[name] = Guide(**texts, aims={purpose: Aim(**aim) for purpose, aim in entry["aim"].items()})
    for name, guide in by_name.items():
        if _ANY not in guide.aims or guide.aims.keys() - {_ANY, *get_args(Purpose)}:
            raise ValueError(f"the guide to {name} must have an aim for any objective, and none for other purposes")
    if missing := METRICS.keys() - by_name.keys():
        raise ValueError(f"there is no guide to {', '.join(sorted(missing))}")
    return by_name


def good_direction(metric: str, purpose: Purpose | None = None) -> Direction:
    """Return which way of a metric is good for an objective.

    `metric`: name, as in tables.
    `purpose`: of the medium, as in its objective.

    >>> good_direction("cognitive_demand", "brand_building"), good_direction("cognitive_demand", "conversion")
    ('middle', 'lower')
    >>> good_direction("focus")
    'higher'
    """
    return guides()[metric].aim(purpose).direction
