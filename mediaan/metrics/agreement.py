"""Say how well scores agree with people, on pictures that neither they nor the attention model were fitted to."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

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
