"""Media of a group that resemble each other."""

from __future__ import annotations

import numpy as np
import pytest
from compared_results import result_of

from mediaan.studies.compare.differences import (
    Estimate,
    ScoreKey,
    cluster_mean,
    cluster_media,
    estimate,
    subtract_means,
)
from mediaan.types.result import Result

FOCUS = ScoreKey("focus", "total")


def medium(name: str, value: float | None) -> Result:
    return result_of(name, {("focus", "total"): Estimate(value, reason="dark")})


def test_media_are_put_together_by_their_cluster() -> None:
    media = [medium("a", 10.0), medium("b", 50.0), medium("c", 30.0), medium("d", 99.0)]
    found = cluster_media(media, {"a": "x", "c": "x", "b": "y"})
    assert [[medium.path for medium in cluster] for cluster in found] == [["a", "c"], ["b"]]
    assert [estimate(cluster, FOCUS).value for cluster in found] == [20.0, 50.0]


def test_groups_of_few_campaigns_are_told_apart_by_chance_as_seldom_as_stated() -> None:
    """Five campaigns of six media on each side, half of the variance in common, no difference: 10 % at most."""
    rng = np.random.default_rng(1)
    draws, media_told, clusters_told = 300, 0, 0
    for _ in range(draws):
        groups = [[[*map(Estimate, row)] for row in (rng.normal(size=(5, 1)) + rng.normal(size=(5, 6))).tolist()]
                  for _ in "ab"]  # fmt: skip
        media = subtract_means(*([one for campaign in group for one in campaign] for group in groups))
        clusters = subtract_means(*([cluster_mean(campaign) for campaign in group] for group in groups))
        media_told += (media.p or 0.0) < 0.1
        clusters_told += (clusters.p or 0.0) < 0.1
    assert clusters_told / draws == pytest.approx(0.1, abs=0.04)
    assert media_told / draws > 0.3
