"""Media of a group that resemble each other, such as those of one campaign: each cluster counts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot

from mediaan.comparison.difference import Estimate
from mediaan.comparison.scored import ScoredMedium, Wanted


@dataclass(frozen=True, slots=True)
class Cluster:
    """Media of one group that have something in common besides it.

    Attributes
    ----------
    name : str
    media : tuple of ScoredMedium
        At least one.
    """

    name: str
    media: tuple[ScoredMedium, ...]

    @property
    def units(self) -> Mapping[str, str]:
        """Units of all metrics."""
        return self.media[0].units

    def estimate(self, wanted: Wanted) -> Estimate:
        """Mean of a score of its media."""
        return mean_in_cluster([medium.estimate(wanted) for medium in self.media])


Example = ScoredMedium | Cluster
"""What a group has several of, each independent of the others."""


def clusters_of(media: Sequence[ScoredMedium], keys: Mapping[str, str]) -> list[Cluster]:
    """Media of one group by what they have in common, in the order in which it appears.

    Parameters
    ----------
    media : sequence of ScoredMedium
    keys : mapping of a medium's name to its cluster's
        Media without one are left out.
    """
    names = dict.fromkeys(keys[one.name] for one in media if one.name in keys)
    return [Cluster(name, tuple(one for one in media if keys.get(one.name) == name)) for name in names]


def mean_in_cluster(estimates: Sequence[Estimate]) -> Estimate:
    """Mean of scores with its 90 % interval, which holds the errors of these scores alone.

    How far the cluster is from others like it does not show in it, but in how far the means of clusters differ.

    Parameters
    ----------
    estimates : sequence of Estimate
        One of each medium; those that are undefined are left out.

    Examples
    --------
    >>> mean = mean_in_cluster([Estimate(40.0, 34.0, 48.0), Estimate(60.0, 52.0, 66.0), Estimate(None)])
    >>> mean.value, mean.lo, mean.hi, mean.n  # half of hypot(6, 8) down, half of hypot(8, 6) up
    (50.0, 45.0, 55.0, 1)
    """
    known = [one for one in estimates if one.value is not None]
    if not known:
        return Estimate(None, reason=next((one.reason for one in estimates if one.reason), None), n=0)
    mean = sum(one.value or 0.0 for one in known) / len(known)
    arms = [one.arms for one in known if one.arms is not None]
    if len(arms) < len(known):
        return Estimate(mean)
    below, above = (hypot(*side) / len(known) for side in zip(*arms, strict=True))
    return Estimate(mean, mean - below, mean + above)
