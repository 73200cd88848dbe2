"""Explain each number: what it says, which way is good, how well it agrees with people; docs/metrics.md says more."""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

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


Grade = Literal["A", "B", "C", "D"]

LEAST: Mapping[Grade, float] = {"A": 0.8, "B": 0.6, "C": 0.3, "D": -1.0}
"""Least rank correlation of each grade, as figures are written, with two decimals."""

GRADES_TEXT = "A from r = .80, B from .60, C from .30, D below"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of one score with people on one kind of picture."""

    domain: str | None
    """Of the attention model, such as ``page``; None where pictures are of any."""
    compared: str
    """What was compared: the pictures, and what people did."""
    n: int
    """Pictures, or areas in them."""
    r: float
    """Spearman's rank correlation."""

    @property
    def grade(self) -> Grade:
        """Return the grade of the correlation."""
        return next(grade for grade, least in LEAST.items() if self.r >= least)

    @property
    def text(self) -> str:
        """Say it with its figures.

        >>> Agreement("page", "web pages, gaze", 48, 0.58).text
        'C (r = .58, n = 48: web pages, gaze)'
        """
        return f"{self.grade} (r = {self.r_text}, n = {self.n:,}: {self.compared})"

    @property
    def r_text(self) -> str:
        """Return the correlation as papers write it, such as ``.58``."""
        return f"{self.r:.2f}".replace("0.", ".", 1)


def agreements(metric: str) -> tuple[Agreement, ...]:
    """Return what is known of a score's agreement with people, by kind of picture; nothing where it was not compared.

    `models/training/agreement.py` measures it. Videos were not compared.

    >>> agreements("memory")
    ()
    >>> agreements("cognitive_demand")[0].grade
    'A'
    """
    return _by_metric().get(metric, ())


def agreement(metric: str, domain: str | None) -> Agreement | None:
    """Return the agreement of a score on still images of a domain; None where it was not compared there."""
    by_domain = {part.domain: part for part in agreements(metric)}
    return by_domain.get(domain, by_domain.get(None))


def agreement_text(metric: str) -> str:
    """Say how well a score agrees with people.

    >>> agreement_text("memory")
    'Not compared with people.'
    """
    parts = agreements(metric)
    return f"{'; '.join(part.text for part in parts)}." if parts else "Not compared with people."


@cache
def _by_metric() -> Mapping[str, tuple[Agreement, ...]]:
    text = files("mediaan.metrics").joinpath("agreement.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    by_metric: dict[str, list[Agreement]] = defaultdict(list)
    for row in content["agreements"]:
        by_metric[row.pop("metric")].append(Agreement(**row))
    return {metric: tuple(parts) for metric, parts in by_metric.items()}
