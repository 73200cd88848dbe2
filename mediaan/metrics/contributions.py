"""Say what has moved a score: drivers with their names and values in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from mediaan.types.metrics import Contribution

if TYPE_CHECKING:
    from mediaan.metrics.scales import Scales


@dataclass(frozen=True, slots=True)
class DriverSpec:
    """A measured property of an image that moves scores."""

    name: str
    """snake_case, as in tables."""
    less: str
    more: str
    """less, more: Words for an image whose value is below, or not below, that of the median image."""
    measure: str
    """Name of the number."""
    unit: str = ""
    """As shown behind the number; ``%`` for a share, which is stored as 0-1."""
    of: str = ""
    """Object of the share."""
    digits: int = 0
    """Decimals."""
    chance: bool = False
    """It is the chance that something is there, which is called so from one half on, whatever the median."""

    def words(self, value: float, median: float) -> str:
        """Say a value in plain words, beside that of the median image of the reference population.

        >>> DRIVER_SPECS["text_height"].words(0.011, 0.03)
        'small text: smaller lines 1.1 % of the height (typical: 3.0 %)'
        """
        if self.chance:
            return f"{self.more if value >= 0.5 else self.less}: {self.measure} {self._number(value)}"
        called = self.more if value >= median else self.less
        return f"{called}: {self.measure} {self._number(value)}{self.of} (typical: {self._number(median)})"

    def _number(self, value: float) -> str:
        number = 100 * value if self.unit == "%" else value
        return f"{number:.{self.digits}f}" + (f" {self.unit}" if self.unit else "")


_SPECS = (
    DriverSpec("feature_congestion", "little clutter", "a lot of clutter", "feature congestion", digits=1),
    DriverSpec("ground_congestion", "little clutter", "a lot of clutter", "feature congestion outside text", digits=1),
    DriverSpec("contour_density", "few edges", "many edges", "edge pixels", "%", digits=1),
    DriverSpec("contour_weakness", "clear edges", "faint edges", "edge weakness", digits=2),
    DriverSpec("contour_congestion", "uncrowded edges", "crowded edges", "edges close to others", "%"),
    DriverSpec("region_count", "few colour regions", "many colour regions", "regions of even colour"),
    DriverSpec("colour_count", "few colours", "many colours", "distinct colours"),
    DriverSpec("coded_bits", "little detail", "a lot of detail", "JPEG size", "bits per pixel", digits=2),
    DriverSpec("colourfulness", "pale colours", "strong colours", "colourfulness"),
    DriverSpec("vividness", "muted colours", "vivid colours", "vividness", "%"),
    DriverSpec("warmth", "cool colours", "warm colours", "share of red and yellow", "%"),
    DriverSpec("luminance_sd", "low overall contrast", "high overall contrast", "spread of lightness"),
    DriverSpec("white_space", "little empty space", "a lot of empty space", "empty space", "%"),
    DriverSpec("symmetry", "asymmetric layout", "symmetric layout", "similarity to its mirror image", "%"),
    DriverSpec("text_share", "little text", "a lot of text", "text covers", "%", " of the image", 1),
    DriverSpec("text_height", "small text", "large text", "smaller lines", "%", " of the height", 1),
    DriverSpec("letter_count", "few words", "many words", "estimated letters"),
    DriverSpec("text_contrast", "low-contrast text", "high-contrast text", "text contrast", "of 255"),
    DriverSpec(
        "text_lightness",
        "text on a dark or coloured background",
        "text on a light background",
        "lightness around text",
        "of 255",
    ),
    DriverSpec(
        "attended_contrast",
        "attention falls on low-contrast parts",
        "attention falls on high-contrast parts",
        "local contrast there",
        "of 255",
    ),
    DriverSpec("face_presence", "no face", "a face", "estimated probability", "%", chance=True),
    DriverSpec("person_presence", "no person", "a person", "estimated probability", "%", chance=True),
    DriverSpec(
        "gathered_share", "many places compete for attention", "attention on few places",
        "the three strongest places hold", "%", " of attention",
    ),
    DriverSpec(
        "gathered_area", "attention spots are small", "attention spots are wide", "on average", "%",
        " of the image each", 1,
    ),
    DriverSpec("concentration", "scattered attention", "concentrated attention", "concentration", digits=2),
    DriverSpec(
        "early_concentration", "scattered attention at first", "concentrated attention at first",
        "concentration in the first 2 s", digits=2,
    ),
)  # fmt: skip

DRIVER_SPECS: dict[str, DriverSpec] = {spec.name: spec for spec in _SPECS}


_FEWEST, _MOST, _SMALL = 3, 5, 1.0

TYPICAL = 0.5
"""Rank of the median image: contributions are counted from here."""

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
