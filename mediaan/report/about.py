"""What each number of a page means: its facts beside the guide to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mediaan.metrics.guide import Aim, Guide, guides
from mediaan.report.contents import Row
from mediaan.types.metrics import Basis, Direction, MetricSpec

PURPOSES = {"brand_building": "brand building", "conversion": "conversion"}
"""Purposes in readers' words."""


@dataclass(frozen=True, slots=True)
class About:
    """One metric as the page explains it.

    Attributes
    ----------
    guide : Guide or None
        None for a metric that this version does not know; its caption then has to do.
    aims : mapping of purpose or 'any' to Aim
    """

    name: str
    title: str
    basis: Basis
    caption: str
    range: str
    reference: str
    guide: Guide | None
    aims: Mapping[str, Aim]

    def aim(self, purpose: str | None) -> Aim:
        """Which way is good for a purpose; for most where it has no aim of its own."""
        return self.aims.get(purpose or "any", self.aims["any"])

    @property
    def data(self) -> Mapping[str, Any]:
        """Which way is good, for the page's script."""
        return {purpose: {"direction": aim.direction, "reason": aim.reason} for purpose, aim in self.aims.items()}

    @property
    def by_purpose(self) -> Mapping[str, Aim]:
        """Purposes in readers' words, where they have an aim of their own."""
        return {words: self.aims[purpose] for purpose, words in PURPOSES.items() if purpose in self.aims}


def about(spec: MetricSpec | Row) -> About:
    """Put together what is known of a metric.

    Parameters
    ----------
    spec : MetricSpec or row
        As `run.json` describes it.
    """
    facts = asdict(spec) if isinstance(spec, MetricSpec) else spec
    guide = guides().get(facts["name"])
    return About(
        name=facts["name"],
        title=facts["title"],
        basis=facts["basis"],
        caption=facts["caption"],
        range=_range(facts),
        reference=facts["reference"],
        guide=guide,
        aims=guide.aims if guide else {"any": _unknown_aim(facts["direction"])},
    )


def _range(facts: Row) -> str:
    """Ends of the range with the unit, in words where there is no upper end.

    >>> _range({"low": 0, "high": 60, "unit": "1/min"}), _range({"low": 0, "high": None, "unit": "s"})
    ('0–60 1/min', 'from 0 s')
    """
    unit = {"score": "", "count": "", "ratio": " times"}.get(facts["unit"], f" {facts['unit']}")
    high = facts["high"]
    if high is None or high == float("inf"):
        return f"from {facts['low']:g}{unit}"
    return f"{facts['low']:g}–{high:g}{unit}"


def _unknown_aim(direction: Direction) -> Aim:
    return Aim(direction, "", "")
