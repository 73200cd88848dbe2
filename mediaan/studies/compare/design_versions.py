"""Compare versions of one design, leaving out the errors about people that they share.

What remains is how well a difference repeats: both images are looked at again under changes that should not matter,
and their differences in each view are taken, as `mediaan.analysis.differences` does for an edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mediaan.analysis import Plan, load_models
from mediaan.analysis.differences import AugmentedScores, score_augmented
from mediaan.analysis.options import Device
from mediaan.analysis.plan import AOI_VIEW
from mediaan.errors import UsageError
from mediaan.media import file_medium_id, open_image
from mediaan.metrics.scales import repeatability_interval
from mediaan.studies.compare.differences import NO_INTERVAL, Estimate, ScoreDifference, two_sided_p
from mediaan.studies.compare.scored_media import ScoreKey
from mediaan.studies.statistics import t_cdf, t_quantile
from mediaan.types.aoi import Aoi
from mediaan.types.result import Result

if TYPE_CHECKING:
    from mediaan.studies.compare.media import RunMedium

MIN_VIEWS = 3

MAX_VERSIONS = 24
"""Versions that are looked at again: each takes some seconds of one core."""

_TOO_FEW = "It is undefined in too many views of the images for an interval."


@dataclass(frozen=True, slots=True)
class DesignVersions:
    """Versions of one design, each looked at in the same views."""

    scores: Mapping[str, AugmentedScores]
    """Mapping of str to AugmentedScores. By the path of each result."""

    def subtract(
        self,
        media: tuple[Result, Result],
        areas: tuple[Aoi | None, Aoi | None],
        score_key: ScoreKey,
        estimates: tuple[Estimate, Estimate],
    ) -> ScoreDifference:
        """Subtract a score of two versions, with the repeatability of the difference."""
        a, b = estimates
        if a.value is None or b.value is None:
            return ScoreDifference(None, reason=a.reason or b.reason)
        value = a.value - b.value
        if (score_key.aoi_type and None in areas) or score_key.unit == "count":
            return ScoreDifference(value, reason=a.reason or b.reason or NO_INTERVAL)
        in_views: list[list[float | None]] = []
        for medium, area in zip(media, areas, strict=True):
            key = (area.aoi_id if area else None, score_key.metric, score_key.time)
            scores = (view.get(key) for view in self.scores[medium.path].views)
            in_views.append([score.value if score else None for score in scores])
        pairs = [x - y for x, y in zip(*in_views, strict=True) if x is not None and y is not None]
        if len(pairs) < MIN_VIEWS:
            return ScoreDifference(value, reason=_TOO_FEW)
        return repeatability_difference(value, pairs)


def repeatability_difference(value: float, pairs: list[float]) -> ScoreDifference:
    """Give a difference its 90 % interval over views, of which the first shows the images as they are.

    `value`: the difference, as the runs have it.
    `pairs`: the same in each view.
    Returns: `probability` is that of one more view, by Student's t: that it would find the first one higher. Without an
        interval where all views agree to the last bit: that tells nothing of the next medium.

    >>> difference = repeatability_difference(2.0, [2.0, 1.0, 3.0])  # 2 -+ 2.92 * 1 * sqrt(4 / 3)
    >>> round(difference.lo, 2), round(difference.hi, 2), round(difference.probability, 3)
    (-1.37, 5.37, 0.887)
    """
    low, high = repeatability_interval(pairs, pairs[0])
    below, above = pairs[0] - low, high - pairs[0]
    if value == 0:
        return ScoreDifference(value, -below, above, 0.5, 1.0)
    df = len(pairs) - 1
    half_width = below if value > 0 else above
    if half_width == 0:
        return ScoreDifference(value, reason=NO_INTERVAL)
    probability = t_cdf(t_quantile(0.95, df) * value / half_width, df)
    return ScoreDifference(value, value - below, value + above, probability, two_sided_p(probability))


def score_versions(media: Sequence[RunMedium], results: Sequence[Result], device: Device = "auto") -> DesignVersions:
    """Score still images again in the views by which `mediaan.analysis.differences` tells differences.

    `results`: of the same media, with their areas: see `read_results`.
    Raises UsageError: media that move, that are not at hand as files, or too many (``bad_versions``).
    """
    if len(media) > MAX_VERSIONS:
        raise UsageError(f"--versions: {len(media)} files; at most {MAX_VERSIONS} are allowed", code="bad_versions")
    scores = {}
    for medium, result in zip(media, results, strict=True):
        if medium.type != "image":
            raise UsageError(
                f"--versions: {medium.name} is not a still image; only still images can be compared so",
                code="bad_versions",
            )
        files = [path for path in (medium.file, Path(medium.path)) if path is not None and path.is_file()]
        file = next((path for path in files if str(file_medium_id(path)) == medium.medium_id), None)
        if file is None:
            raise UsageError(
                f"--versions: the file of {medium.name} was not found; give a path that leads to it from here",
                code="bad_versions",
            )
        recipe = medium.run.metadata.recipe
        plan = Plan(
            model=recipe.model,
            detector=recipe.detector,
            device=device,
            exposure_s=medium.run.exposure_s(medium.path),
            max_megapixels=recipe.max_megapixels,
            intervals="none",  # of the differences alone
            calibration=recipe.calibration,
            domain=medium.run.stated_domain(medium.path),
        )
        opened = open_image(file, [AOI_VIEW], max_megapixels=plan.max_megapixels)
        rgb = opened.chunks[0].views[AOI_VIEW.name][0]
        scores[result.path] = score_augmented(rgb, opened.medium, result.aois or (), plan, load_models(*plan.models))
    return DesignVersions(scores)
