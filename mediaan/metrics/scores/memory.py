"""Score memory: a proxy of how likely an image is recognised later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import cv2
import numpy as np

from mediaan.metrics.contributions import TYPICAL, contribution, largest_contributions
from mediaan.metrics.scales import Scales, percentile
from mediaan.metrics.scores.concentration import concentration
from mediaan.types.arrays import Float32
from mediaan.types.densities import Densities
from mediaan.types.metrics import MetricSpec, Score

if TYPE_CHECKING:
    from mediaan.metrics.drivers import Drivers

MEMORY = MetricSpec(
    "memory", "Memory", "score", 0, 100, "higher", "proxy",
    "An estimate of how well people recognize it later: colourful images of people, with attention on a few "
    "uncrowded objects, are remembered better.",
    "Isola et al. (2014), IEEE PAMI 36, 1469-1482; Khosla et al. (2015), ICCV, 2390-2398; Mancas & Le Meur "
    "(2013), ICIP, 196-200; Borkin et al. (2013), IEEE TVCG 19, 2306-2315.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CompositeTerm:
    """One property that moves a score."""

    driver: str
    toward: Literal["more", "less"]
    """Amount of it that raises the score."""
    weight: float
    """Above 0."""
    evidence: str
    """Reason for the term and its direction."""


@dataclass(frozen=True, slots=True)
class Composite:
    """A score made of properties: the weighted mean of their ranks in the population, turned where less is more."""

    terms: tuple[CompositeTerm, ...]

    def ranks(self, values: Mapping[str, float | None], scales: Scales) -> dict[str, float]:
        """Return the rank of each term, 0-1, by driver."""
        ranks: dict[str, float] = {}
        for term in self.terms:
            value = values[term.driver]
            assert value is not None
            rank = scales.rank(term.driver, value)
            ranks[term.driver] = rank if term.toward == "more" else 1 - rank
        return ranks

    def raw(self, ranks: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
        """Return the mean of ranks, 0-1, with other weights than the terms' own where they are given."""
        weights = weights or {term.driver: term.weight for term in self.terms}
        return sum(weights[driver] * rank for driver, rank in ranks.items()) / sum(weights[driver] for driver in ranks)


MEMORY_COMPOSITE = Composite(
    (
        CompositeTerm(
            "concentration", "more", 0.4,
            "Viewers agree on where to look in memorable images: Mancas & Le Meur (2013), ICIP, 196-200; "
            "landscapes without a centre are forgotten: Isola et al. (2014), IEEE PAMI 36.",
        ),
        CompositeTerm(
            "person_presence", "more", 0.25,
            "People are what makes an image memorable most: Isola et al. (2014); Borkin et al. (2013) of charts.",
        ),
        CompositeTerm(
            "colourfulness", "more", 0.2,
            "Scenes in colour are recognised better than in grey: Wichmann, Sharpe & Gegenfurtner (2002), J. Exp. "
            "Psychol. Learn. 28, 509-520; charts of many colours too: Borkin et al. (2013), IEEE TVCG 19.",
        ),
        CompositeTerm(
            "contour_congestion", "less", 0.15,
            "What is crowded is seen less well and so kept less well: Whitney & Levi (2011), Trends Cogn. Sci. 15.",
        ),
    )
)  # fmt: skip


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


def memory(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score memory, 0-100, a proxy, with what moved it; 0 and 100 are the ends of the reference population."""
    model, knots, values = MEMORY_COMPOSITE, scales.scores[MEMORY.name], measures(drivers, densities)
    ranks = model.ranks(values, scales)
    value = percentile(model.raw(ranks), knots)
    moved = [
        contribution(
            driver, values[driver] or 0.0, value - percentile(model.raw({**ranks, driver: TYPICAL}), knots), scales
        )
        for driver in ranks
    ]
    return Score.of(MEMORY, value, drivers=largest_contributions(moved))
