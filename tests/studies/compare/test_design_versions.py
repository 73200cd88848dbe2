"""Versions of one design: the interval is that of one more look."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
from compared_results import area_of, result_of

from mediaan.analysis.differences import AugmentedScores
from mediaan.studies.compare.differences import Estimate, ScoreKey
from mediaan.studies.compare.pairs import Looks, media_rows, repeatability_difference
from mediaan.types.densities import Densities
from mediaan.types.metrics import Score
from mediaan.types.result import Result

FOCUS, COUNT, LOGO = (
    ScoreKey("focus", "total"),
    ScoreKey("hotspot_count", "total"),
    ScoreKey("attention", "total", "branding"),
)
EVEN = Densities({"total": np.full((2, 2), 0.25, np.float32)})


def version(
    name: str, number: int, focus: list[float], logo: list[float] | None = None
) -> tuple[Result, AugmentedScores]:
    """A medium with wide intervals against people, and how it looks in each view."""
    aoi_id = UUID(int=number)
    views = [
        {
            (None, "focus", "total"): Score(f, metric="focus", basis="learned", unit="score"),
            (None, "hotspot_count", "total"): Score(2.0, metric="hotspot_count", basis="measured", unit="count"),
        }
        | ({(aoi_id, "attention", "total"): Score(s, metric="attention", basis="measured", unit="%")} if s else {})
        for f, s in zip(focus, logo or [0.0] * len(focus), strict=True)
    ]
    area = area_of("branding", "", {("attention", "total"): Estimate((logo or [0.0])[0], 0.0, 90.0)}, aoi_id)
    scores = {("focus", "total"): Estimate(focus[0], 0.0, 100.0), ("hotspot_count", "total"): Estimate(2.0)}
    result = result_of(name, scores, *([area] if logo else []), looked_for=("branding",))
    return result, AugmentedScores(EVEN, tuple(views), ())


def made(*versions: tuple[Result, AugmentedScores]) -> tuple[list[Result], Looks]:
    return [medium for medium, _ in versions], {medium.path: looks for medium, looks in versions}


def test_what_both_share_cancels_out() -> None:
    wobble = np.array([0.0, 9.0, -7.0, 4.0])
    media, versions = made(
        version("a", 1, (60 + wobble).tolist(), [20.0, 24.0, 18.0, 21.0]),
        version("b", 2, (50 + wobble + [0, 0.5, -0.5, 0.2]).tolist(), [10.0, 14.2, 7.9, 11.0]),
    )
    focus, count, logo = media_rows(media[0], media[1], [FOCUS, COUNT, LOGO], versions)
    apart, _, _ = media_rows(media[0], media[1], [FOCUS, COUNT, LOGO])
    assert focus.difference == apart.difference == 10.0
    assert (focus.hi - focus.lo) < 4 < 90 < (apart.hi - apart.lo)
    assert focus.probability > 0.99
    assert (count.p, count.difference) == (None, 0.0)
    assert 8 < logo.lo < 10 < logo.hi < 12


def test_an_area_that_one_version_lacks_decides_nothing() -> None:
    media, versions = made(
        version("a", 1, [60.0] * 4, [20.0, 24.0, 18.0, 21.0]), version("b", 2, [50.0, 49.0, 51.0, 50.5])
    )
    (row,) = media_rows(media[0], media[1], [LOGO], versions)
    assert (row.difference, row.p, row.n_b) == (20.0, None, 0)


def test_the_interval_holds_one_more_look_in_nine_of_ten() -> None:
    rng = np.random.default_rng(0)
    held, stated, came = [], [], []
    for _ in range(4000):
        views = rng.normal(rng.uniform(-3, 3), 1.0, 5)
        found = repeatability_difference(float(views[0]), views[:4].tolist())
        held.append(found.lo <= views[4] <= found.hi)
        stated.append(found.probability)
        came.append(views[4] > 0)
    assert np.mean(held) == pytest.approx(0.91, abs=0.02)  # widened a little, to hold the pictures as they are
    sure = np.array(stated) > 0.95
    assert np.array(came)[sure].mean() > 0.95
