"""Hold one score of two media, or of two groups of media, compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mediaan.run.tables.schema import COMPARISONS
from mediaan.types.densities import Window
from mediaan.types.metrics import Interval

ComparisonSide = Literal["a", "b"]
ComparisonVerdict = Literal["a_higher", "b_higher", "not_distinguishable", "undefined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Interval):
    """The difference of one score between A and B: A minus B."""

    value: float | None = None

    a: str
    b: str
    """a, b: Path of a medium, or name of a group."""
    aoi_type: str | None
    aoi_label: str | None
    """aoi_type, aoi_label: Of an AOI that both have; None for a score of the media."""
    metric: str
    metric_time: Window
    unit: str
    value_a: float | None
    value_b: float | None
    """value_a, value_b: Scores; of groups their means."""
    n_a: int
    n_b: int
    """n_a, n_b: Media with a value on each side."""
    probability: float | None = None
    """That A's true score is the higher one, 0-1."""
    p: float | None = None
    p_corrected: float | None = None
    """p, p_corrected: Two-sided probability of such a difference by chance where there is none, and the same corrected
    for the number of comparisons."""
    n_comparisons: int = 0
    """How many were made together."""
    headline: bool = True
    """Whether it is one of the few scores that a comparison is decided by, which are corrected together; all others are
    detail, and corrected among themselves."""
    verdict: ComparisonVerdict = "undefined"
    better: ComparisonSide | None = None
    """Which side is better for the objective; None where neither can be told, or neither end is good."""
    lean: ComparisonSide | None = None
    """Where nothing is proven, the side that is better with a probability of at least `LEAN`; None where neither is, or
    neither end is good."""
    reason: str | None = None
    """Why it is undefined, or what to know of it."""

    @property
    def difference(self) -> float | None:
        """A minus B; None where it is undefined."""
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Return a row of the table ``comparisons``, and of ``compare.json``."""
        return {name: getattr(self, name) for name in COMPARISONS.names}
