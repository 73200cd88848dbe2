"""Versions of one design: what the program gets wrong about people is largely the same in both, and left out.

What remains is how well a difference repeats: both pictures are looked at again under changes that should not matter,
and their differences in each view are taken, as `mediaan.analysis.paired` does for an edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mediaan.analysis.paired import Looks
from mediaan.comparison.difference import NO_INTERVAL, Difference, Estimate, two_sided
from mediaan.comparison.scored import ScoredArea, ScoredMedium, Wanted
from mediaan.comparison.t_distribution import t_cdf, t_quantile
from mediaan.metrics.repeatability import repeatability

FEWEST = 3
_TOO_FEW = "It is undefined in too many views of the pictures for an interval."


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of one design, each looked at in the same views.

    Attributes
    ----------
    looks : mapping of name to Looks
        By medium.
    """

    looks: Mapping[str, Looks]

    def subtract(
        self,
        media: tuple[ScoredMedium, ScoredMedium],
        areas: tuple[ScoredArea | None, ScoredArea | None],
        one: Wanted,
        estimates: tuple[Estimate, Estimate],
    ) -> Difference:
        """The difference of a score of two versions, with its repeatability."""
        a, b = estimates
        if a.value is None or b.value is None:
            return Difference(None, reason=a.reason or b.reason)
        value = a.value - b.value
        if (one.aoi_type and None in areas) or media[0].units[one.metric] == "count":
            return Difference(value, reason=a.reason or b.reason or NO_INTERVAL)
        seen = [self._views(medium, area, one) for medium, area in zip(media, areas, strict=True)]
        pairs = [x - y for x, y in zip(*seen, strict=True) if x is not None and y is not None]
        if len(pairs) < FEWEST:
            return Difference(value, reason=_TOO_FEW)
        return repeated(value, pairs)

    def _views(self, medium: ScoredMedium, area: ScoredArea | None, one: Wanted) -> list[float | None]:
        key = (area.aoi_id if area else None, one.metric, one.time)
        scores = (view.get(key) for view in self.looks[medium.name].views)
        return [score.value if score else None for score in scores]


def repeated(value: float, pairs: list[float]) -> Difference:
    """A difference with its 90 % interval over views, of which the first shows the pictures as they are.

    Parameters
    ----------
    value : float
        The difference, as the runs have it.
    pairs : list of float
        The same in each view.

    Returns
    -------
    Difference
        `probability` is that of one more view, by Student's t: that it would find the first one higher. Without an
        interval where all views agree to the last bit: that tells nothing of the next one.

    Examples
    --------
    >>> found = repeated(2.0, [2.0, 1.0, 3.0])  # 2 -+ 2.92 * 1 * sqrt(4 / 3)
    >>> round(found.lo, 2), round(found.hi, 2), round(found.probability, 3)
    (-1.37, 5.37, 0.887)
    """
    low, high = repeatability(pairs, pairs[0])
    below, above = pairs[0] - low, high - pairs[0]
    if value == 0:
        return Difference(value, -below, above, 0.5, 1.0)
    df = len(pairs) - 1
    arm = below if value > 0 else above
    if arm == 0:
        return Difference(value, reason=NO_INTERVAL)
    probability = t_cdf(t_quantile(0.95, df) * value / arm, df)
    return Difference(value, value - below, value + above, probability, two_sided(probability))
