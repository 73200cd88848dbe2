"""What each number of a page means: its facts beside the guide to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mediaan.metrics.guide import PURPOSES, Aim, Guide, guides
from mediaan.report.data.contents import Row
from mediaan.types.metrics import Basis, Direction, MetricSpec, range_text

__all__ = ["PURPOSES", "About", "about"]


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
        range=range_text(facts["low"], facts["high"], facts["unit"]),
        reference=facts["reference"],
        guide=guide,
        aims=guide.aims if guide else {"any": _unknown_aim(facts["direction"])},
    )


def _unknown_aim(direction: Direction) -> Aim:
    return Aim(direction, "", "")
