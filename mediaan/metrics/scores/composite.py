"""Score composites: measured properties, weighted as the evidence suggests, ranked in a reference population."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import cv2
import numpy as np

from mediaan.metrics.scales import Scales, percentile
from mediaan.metrics.scores.concentration import concentration
from mediaan.metrics.scores.contributions import contribution, largest_contributions
from mediaan.types.arrays import Float32
from mediaan.types.densities import Densities
from mediaan.types.metrics import Contribution, MetricSpec, Score

if TYPE_CHECKING:
    from mediaan.metrics.drivers.measure import Drivers

Values = Mapping[str, float | None]
TYPICAL = 0.5
"""Rank of the median image: contributions are counted from here."""


def measures(drivers: Drivers, densities: Densities) -> dict[str, float | None]:
    """Measure all properties of an image that scores are made of, by the names of `DRIVER_SPECS`.

    `densities`: total at least; what needs the window start is None without it.
    """
    start = densities.maps.get("start")
    return {
        **drivers.scalars(),
        "attended_contrast": attention_weighted_mean(drivers.contrast_map, densities["total"]),
        "concentration": concentration(densities["total"], drivers.content),
        "early_concentration": None if start is None else concentration(start, drivers.content),
    }


def attention_weighted_mean(plane: Float32, density: Float32) -> float:
    """Return the mean of a map weighted by a density, which is brought to its size."""
    height, width = plane.shape
    attention = cv2.resize(density, (width, height), interpolation=cv2.INTER_LINEAR)
    return float((attention * plane).sum(dtype=np.float64) / attention.sum(dtype=np.float64))


@dataclass(frozen=True, slots=True)
class CompositeTerm:
    """One property that moves a score."""

    driver: str
    toward: Literal["more", "less"]
    """Amount of it that raises the score."""
    weight: float
    """Within its group, above 0."""
    evidence: str
    """Reason for the term and its direction."""


@dataclass(frozen=True, slots=True)
class Composite:
    """A score made of properties: the geometric mean of groups, each the weighted mean of its terms' ranks.

    A weak group is not made good by a strong one; within a group, terms make up for each other. A term whose property
    an image does not have (the height of text that is not there) leaves its weight to the rest of its group.
    """

    groups: tuple[tuple[CompositeTerm, ...], ...]

    @property
    def terms(self) -> tuple[CompositeTerm, ...]:
        """All terms, group by group."""
        return tuple(term for group in self.groups for term in group)

    def ranks(self, values: Values, scales: Scales) -> dict[str, float]:
        """Return the goodness of each defined term, 0-1: its rank in the population, turned where less is more."""
        goodness: dict[str, float] = {}
        for term in self.terms:
            value = values[term.driver]
            if value is not None:
                rank = scales.rank(term.driver, value)
                goodness[term.driver] = rank if term.toward == "more" else 1 - rank
        return goodness

    def raw(self, ranks: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float | None:
        """Return the composite of terms' ranks, 0-1; None where a group has no term that is defined.

        `ranks`: mapping of driver to float.
        `weights` (mapping of driver to float): other weights than the terms' own.
        """
        means = []
        for group in self.groups:
            defined = [((weights or {}).get(t.driver, t.weight), ranks[t.driver]) for t in group if t.driver in ranks]
            total = sum(weight for weight, _ in defined)
            if not total:
                return None
            means.append(sum(weight * rank for weight, rank in defined) / total)
        return math.prod(means) ** (1 / len(means))

    def contributions(self, values: Values, scales: Scales, knots: tuple[float, ...]) -> tuple[Contribution, ...]:
        """Return the points that each term has given to the score, the largest first.

        `values`: mapping of driver to float or None.
        `knots`: quantiles of the composite in the reference population, which make it a score.
        """
        ranks = self.ranks(values, scales)
        raw = self.raw(ranks)
        if raw is None:
            return ()
        score = percentile(raw, knots)
        parts = []
        for driver in ranks:
            without, value = self.raw({**ranks, driver: TYPICAL}), values[driver]
            assert without is not None
            assert value is not None
            parts.append(contribution(driver, value, score - percentile(without, knots), scales))
        return largest_contributions(parts)


def composite_score(
    spec: MetricSpec, model: Composite, drivers: Drivers, densities: Densities, scales: Scales
) -> Score:
    """Score an image by a composite, with what moved it; 0 and 100 are the ends of the reference population.

    None, with the reason, where the image lacks all properties of one of the composite's groups.
    """
    values = measures(drivers, densities)
    raw = model.raw(model.ranks(values, scales))
    if raw is None:
        reason = "The image has none of the properties that this score is made of."
        return Score.of(spec, None, reason=reason)
    knots = scales.scores[spec.name]
    moved = model.contributions(values, scales, knots)
    return Score.of(spec, percentile(raw, knots), drivers=moved)
