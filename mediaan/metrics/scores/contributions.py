"""Say what has moved a score: contributions, in order and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from mediaan.metrics.drivers.specs import DRIVER_SPECS
from mediaan.types.metrics import Contribution

if TYPE_CHECKING:
    from mediaan.metrics.scales import Scales

_FEWEST, _MOST, _SMALL = 3, 5, 1.0

ENCODER_PHRASES: Mapping[str, tuple[str, str]] = {
    "seen_complexity": (
        "its content looks less complex than the measures above suggest",
        "its content looks more complex than the measures above suggest",
    ),
    "seen_clarity": ("it looks like ads that are called unclear", "it looks like ads that are called simple"),
    "seen_engagement": ("it looks like ads that are called boring", "it looks like ads that are called entertaining"),
    "seen_design": ("it looks like ads whose design is called bad", "it looks like ads whose design is called good"),
}
"""Words for features of the attention network's encoder, which are no single number: lowering, raising."""


def contribution(driver: str, value: float, points: float, scales: Scales) -> Contribution:
    """Put a measured driver's effect on a score in words.

    `value`: as measured.
    `points`: its effect on the score, score points.
    `scales`: with the median image.
    """
    spec = DRIVER_SPECS[driver]
    return Contribution(driver, value, spec.unit, points, spec.words(value, median(scales.drivers[driver])))


def encoder_contribution(driver: str, points: float) -> Contribution:
    """Say what the encoder's features, beyond measured drivers, have done to a score."""
    return Contribution(driver, None, "", points, ENCODER_PHRASES[driver][points >= 0])


def largest_contributions(contributions: Iterable[Contribution]) -> tuple[Contribution, ...]:
    """Return the three to five largest; a fourth and fifth only if they move the score by a point."""
    ordered = sorted(contributions, key=lambda part: (-abs(part.points), part.driver))
    return tuple(part for i, part in enumerate(ordered[:_MOST]) if i < _FEWEST or abs(part.points) >= _SMALL)


@dataclass(slots=True)
class _Sum:
    points: float = 0.0
    value: float = 0.0
    seconds: float = 0.0


@dataclass(slots=True)
class MeanContributions:
    """Contributions averaged over time; a driver that is not among the largest at some instant counts as 0 there."""

    sums: dict[str, _Sum] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, drivers: Iterable[Contribution], weight_s: float) -> None:
        """Add those of an instant that stands for so many seconds."""
        self.seconds += weight_s
        for part in drivers:
            total = self.sums.setdefault(part.driver, _Sum())
            total.points += part.points * weight_s
            if part.value is not None:
                total.value += part.value * weight_s
                total.seconds += weight_s

    def means(self, scales: Scales) -> tuple[Contribution, ...]:
        """Return the largest of the means."""
        if self.seconds <= 0:
            return ()
        means = []
        for driver, total in self.sums.items():
            points = total.points / self.seconds
            if total.seconds > 0:
                means.append(contribution(driver, total.value / total.seconds, points, scales))
            else:
                means.append(encoder_contribution(driver, points))
        return largest_contributions(means)
