"""Score areas: share of attention, share of viewers who see them, time spent, time to first fixation."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

import numpy as np

from mediaan.aoi.region import PolygonOutline, Region, sums_to_the_right
from mediaan.aoi.scoring.fixation_hazard import (
    MIN_SHARE_SEEN,
    FixationHazardModel,
    built_in_hazard_model,
    window_span,
)
from mediaan.aoi.scoring.specs import (
    AOI_METRICS,
    ATTENTION,
    AVAILABILITY,
    FIRST_SEEN,
    LIFT,
    PERCENTAGE_SEEN,
    RELATIVE_ATTENTION,
    TIME_SPENT,
)
from mediaan.errors import UsageError
from mediaan.saliency.density import GridShape
from mediaan.saliency.folds import share_reaching
from mediaan.types.aoi import Aoi, Box
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import WINDOWS, Densities, Window
from mediaan.types.metrics import MetricSpec, Score

SAME_INSTANT_S = 1e-3
"""A sighting belongs to the sample whose time differs by no more, s."""

HARDLY_ANYBODY = "Fewer than 5 % of the viewers are predicted to see it."
"""Reason why it is not said when an AOI is first seen."""
NO_AREA = "The AOI covers no part of the image."
"""Reason why there is no lift."""
_NOT_VISIBLE = "The AOI is not visible in this window."


@dataclass(slots=True)
class WindowTotals:
    """Sums over one window for one AOI."""

    span: tuple[float, float]
    """(float, float). The window, s."""
    covered_s: float = 0.0
    visible_s: float = 0.0
    """covered_s, visible_s: Seconds of the window that samples cover, and during which the AOI was visible."""
    share_s: float = 0.0
    area_s: float = 0.0
    """share_s, area_s: Share of attention, and of area, each times the seconds."""
    hazard: float = 0.0
    gaze_s: float = 0.0
    """hazard, gaze_s: Of being fixated, and expected gaze as far as shares of attention go, s."""

    def clip(self, t0_s: float, t1_s: float) -> tuple[float, float]:
        """Clip a period to the window; it ends where it begins if nothing is left."""
        t0 = max(t0_s, self.span[0])
        return t0, max(t0, min(t1_s, self.span[1]))

    def add_gaze(
        self,
        model: FixationHazardModel,
        share: float,
        t0_s: float,
        t1_s: float,
        since_s: float = 0.0,
        screen: float = 1.0,
    ) -> None:
        """Add gaze between two times on what is shown since `since_s`; `share` is that of the sharpened density.

        `screen` is the share of those seconds, in the mean over viewers, in which the AOI's screen of a page is shown.
        """
        t0, t1 = self.clip(t0_s, t1_s)
        self.hazard += screen * float(model.hazard(share / screen, t0, t1, since_s))
        self.gaze_s += model.gaze * share * float(model.time_for_gaze(t0, t1))


@dataclass(slots=True)
class HazardCurve:
    """Cumulative hazard of fixating an AOI over time, 16 bytes for each visible period."""

    times: array[float] = field(default_factory=lambda: array("d"))
    hazards: array[float] = field(default_factory=lambda: array("d"))

    def add(
        self,
        model: FixationHazardModel,
        share: float,
        t0_s: float,
        t1_s: float,
        since_s: float = 0.0,
        screen: float = 1.0,
    ) -> None:
        """Add gaze between two times after all earlier ones; there is none during the latency."""
        t0, before = max(t0_s, model.latency_s), self.hazards[-1] if self.hazards else 0.0
        if t1_s <= t0:
            return
        if not self.times or self.times[-1] < t0:
            self.times.append(t0)
            self.hazards.append(before)
        self.times.append(t1_s)
        self.hazards.append(before + screen * float(model.hazard(share / screen, t0, t1_s, since_s)))


class AttentionShares(NamedTuple):
    """Shares from which the scores of an AOI in an image follow, however long it is looked at."""

    area: float
    """Share of the image that it covers, 0-1."""
    total: float | None
    start: float | None
    end: float | None
    """total, start, end: Share of attention in each window, 0-1; None where the model predicts no such window."""
    periods: tuple[float, ...]
    """Share of gaze in each of `FixationHazardModel.period_densities`, 0-1."""
    screens: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    """Of a tall page, the share of gaze in the screen around the AOI in each of these periods, above 0; 1 otherwise."""
    reach: float = 1.0
    """Share of the viewers of a tall page who scroll to the AOI; 1 otherwise."""


class DensitySample(NamedTuple):
    """One sampled instant of a medium that moves."""

    t_s: float
    """Time at which it comes on display, s from the first frame."""
    weight_s: float
    """Duration for which it stands, s."""
    shot: int
    """Number of its shot."""
    density: Float32
    """(h, w) float32. Mean over that time; sums to 1."""


class SampledDensities:
    """The density of a sample and its sharpened one, with the sums that all polygons of the sample share."""

    def __init__(self, sample: DensitySample, model: FixationHazardModel) -> None:
        self._sample, self._model = sample, model

    @property
    def shape(self) -> GridShape:
        """Rows and columns."""
        rows, columns = self._sample.density.shape
        return rows, columns

    @cached_property
    def _pair(self) -> tuple[Float32, Float32]:
        return self._sample.density, self._model.sharpen(self._sample.density)

    @cached_property
    def _sums(self) -> tuple[Float64, Float64]:
        plain, sharp = self._pair
        return sums_to_the_right(plain), sums_to_the_right(sharp)

    def shares(self, region: Region, outline: PolygonOutline | None) -> tuple[float, float]:
        """Return the share of a region in both, 0-1; `outline` where it is a polygon."""
        if outline is None:
            plain, sharp = self._pair
            return region.share(plain), region.share(sharp)
        plain_sums, sharp_sums = self._sums
        return outline.share(plain_sums), outline.share(sharp_sums)


def score_still(
    aois: Sequence[Aoi],
    densities: Densities,
    exposure_s: float,
    *,
    model: FixationHazardModel | None = None,
) -> tuple[Aoi, ...]:
    """Score the AOIs of an image.

    `aois`: they may overlap.
    `densities`: at least the window total. Its domain says which intervals are taken.
    `exposure_s`: seconds for which the image is looked at, above 0.
    `model`: of viewers of one's own; by default the one that ships.
    Returns: the same areas with their scores: each of `AOI_METRICS` in each window; `first_seen_s` in total only.
    Raises UsageError: the exposure is not a positive number.

    >>> import numpy as np
    >>> from mediaan.types.aoi import Box
    >>> everywhere = np.full((8, 8), 1 / 64, np.float32)
    >>> left = Aoi(UUID(int=1), "other", "left half", Box(0, 0, 0.5, 1), None, "drawn")
    >>> (scored,) = score_still([left], Densities({"total": everywhere}), 5.0)
    >>> round(scored.attention)
    50
    """
    model = (model or built_in_hazard_model()).of_domain(densities.domain)
    return tuple(
        replace(aoi, scores=tuple(score_shares(shares, exposure_s, model)))
        for aoi, shares in zip(aois, attention_shares(aois, densities, model), strict=True)
    )


def shares_seen(
    aois: Sequence[Aoi], densities: Densities, exposure_s: float, model: FixationHazardModel | None = None
) -> dict[UUID, float]:
    """Return the percentage of viewers who see each AOI of an image in the whole exposure, 0-100.

    It is `percentage_seen` of `score_still` in the window total, without all else: where an edit is tried, nothing else
    is needed.
    """
    model = (model or built_in_hazard_model()).of_domain(densities.domain)
    spans = model.period_spans(exposure_s)
    shares_of = {}
    for aoi, shares in zip(aois, attention_shares(aois, densities, model), strict=True):
        hazard = sum(
            screen * float(model.hazard(share / screen, *span))
            for share, screen, span in zip(shares.periods, shares.screens, spans, strict=False)
        )
        shares_of[aoi.aoi_id] = 100 * shares.reach * float(model.share_seen(hazard / shares.reach))
    return shares_of


def attention_shares(
    aois: Sequence[Aoi], densities: Densities, model: FixationHazardModel
) -> Iterator[AttentionShares]:
    """Yield the shares from which scores of AOIs of an image follow at any exposure, for each AOI in turn."""
    periods = model.period_densities(densities)
    for aoi in aois:
        region = Region(aoi.box, aoi.polygon)
        total, start, end = (
            region.share(densities[window]) if window in densities.maps else None
            for window in ("total", "start", "end")
        )
        gaze = tuple(region.share(density) for density in periods)
        shares = AttentionShares(region.area, total, start, end, gaze)
        yield shares if densities.screen is None else _on_page(shares, aoi.box, periods, densities.screen)


def _on_page(shares: AttentionShares, box: Box, periods: Sequence[Float32], screen: float) -> AttentionShares:
    """Add the share of gaze on the screen around an AOI of a tall page, and the share of viewers who reach it.

    Whoever scrolls to it looks there for longer than viewers do in the mean, and all others do not see it at all.
    """
    middle = (box.y0 + box.y1) / 2
    top = min(max(0.0, middle - screen / 2), 1 - screen)
    around = Region(Box(0.0, min(top, box.y0), 1.0, max(top + screen, box.y1)), None)
    # at least the AOI's own: rounding must not leave it more than the screen that holds it
    screens = tuple(
        max(around.share(density), gaze) or 1.0 for density, gaze in zip(periods, shares.periods, strict=True)
    )
    return shares._replace(screens=screens, reach=float(share_reaching(middle / screen)))


def score_shares(
    shares: AttentionShares,
    exposure_s: float,
    model: FixationHazardModel,
    relative_sd: float = 0.0,
) -> Iterator[Score]:
    """Score one AOI of an image by its shares of attention.

    `shares`: as `attention_shares` measured them with the same model.
    `exposure_s`: seconds for which the image is looked at, above 0.
    `relative_sd`: of the shares, by which they are more uncertain than those of any image.
    Yields: each of `AOI_METRICS` in each window; `first_seen_s` in total only.
    Raises UsageError: the exposure is not a positive number.
    """
    gaze = [
        (share, *span, 0.0, screen)
        for share, screen, span in zip(shares.periods, shares.screens, model.period_spans(exposure_s), strict=False)
    ]
    curve = HazardCurve()
    for period in gaze:
        curve.add(model, *period)
    of_window = {"start": shares.start, "end": shares.end, "total": shares.total}
    for window in WINDOWS:
        share = of_window[window]
        if share is None:
            yield from _undefined(window, window_missing(window))
            continue
        # visible throughout; the window's own density says its share
        span = window_span(window, exposure_s)
        seconds = span[1] - span[0]
        totals = WindowTotals(span, seconds, seconds, share * seconds, shares.area * seconds)
        for period in gaze:
            totals.add_gaze(model, *period)
        yield from _scores(window, totals, model, relative_sd, shares.reach)
    yield _first_seen(curve, model, exposure_s, relative_sd, shares.reach)


def score_moving(
    aois: Sequence[Aoi],
    samples: Iterable[DensitySample],
    duration_s: float,
    *,
    model: FixationHazardModel | None = None,
    domain: str | None = None,
) -> tuple[Aoi, ...]:
    """Score the AOIs of a medium that moves, in one pass over its samples.

    `aois`: one with a track is where its sightings say, each for as long as the sample at that instant stands; one
        without is at its place from `t0_s` to `t1_s`, None being the beginning and the end.
    `samples`: in order of time; none is kept.
    `duration_s`: of the medium, s, above 0; start and end are its first and last 2 s.
    `model`: of viewers of one's own; by default the one that ships.
    `domain`: `Densities.domain` of the medium, by which intervals are taken.
    Returns: as of `score_still`. Shares of the time are shares of the time that the samples cover.
    Raises UsageError: the duration is not a positive number, or samples go back in time.
    """
    if not 0 < duration_s < float("inf"):
        raise UsageError(f"the duration must be a number of seconds above 0, not {duration_s}")
    model = (model or built_in_hazard_model()).of_domain(domain)
    followed = [MovingAoiScorer(aoi, duration_s) for aoi in aois]
    last, shot, since_s = float("-inf"), None, 0.0
    for sample in samples:
        if sample.t_s < last:
            raise UsageError(f"samples must be in order of time; {sample.t_s} s comes after {last} s")
        if sample.shot != shot:
            shot, since_s = sample.shot, sample.t_s
        last = sample.t_s
        densities = SampledDensities(sample, model)
        for scorer in followed:
            if scorer.locate(sample):
                scorer.add(densities, model, since_s)
    return tuple(replace(aoi, scores=tuple(scorer.scores(model))) for aoi, scorer in zip(aois, followed, strict=True))


class MovingAoiScorer:
    """Score one AOI of a moving medium as samples go by.

    `duration_s`: of the medium, s.
    """

    def __init__(self, aoi: Aoi, duration_s: float) -> None:
        self._aoi, self._duration_s = aoi, duration_s
        self._totals = {window: WindowTotals(window_span(window, duration_s)) for window in WINDOWS}
        self._curve = HazardCurve()
        self._next = 0  # sighting
        self._visible: tuple[Region, float, float] | None = None  # from, to, s
        self._outlines: dict[GridShape, PolygonOutline] = {}

    def locate(self, sample: DensitySample) -> bool:
        """Count the time that the next sample covers, and tell whether the AOI is visible in it."""
        for totals in self._totals.values():
            t0, t1 = totals.clip(sample.t_s, sample.t_s + sample.weight_s)
            totals.covered_s += t1 - t0
        begins, ends = sample.t_s, min(sample.t_s + sample.weight_s, self._duration_s)
        aoi, self._visible = self._aoi, None
        if not aoi.track:
            t0 = max(begins, aoi.t0_s if aoi.t0_s is not None else 0.0)
            t1 = min(ends, aoi.t1_s if aoi.t1_s is not None else self._duration_s)
            self._visible = (Region(aoi.box, aoi.polygon), t0, t1) if t1 > t0 else None
            return self._visible is not None
        while self._next < len(aoi.track) and aoi.track[self._next].t_s < begins - SAME_INSTANT_S:
            self._next += 1
        sighted = self._next < len(aoi.track) and aoi.track[self._next].t_s <= begins + SAME_INSTANT_S
        if sighted and ends > begins:
            self._visible = Region(aoi.track[self._next].box, None), begins, ends
        return self._visible is not None

    def add(self, densities: SampledDensities, model: FixationHazardModel, since_s: float) -> None:
        """Add the densities of the sample in which it was just located; the shot began at `since_s`."""
        assert self._visible is not None
        region, t0_s, t1_s = self._visible
        outline = None
        if region.polygon is not None:
            outline = self._outlines.get(densities.shape) or PolygonOutline(region.polygon, densities.shape)
            self._outlines[densities.shape] = outline
        share, sharp_share = densities.shares(region, outline)
        area = region.area if outline is None else outline.area
        for totals in self._totals.values():
            t0, t1 = totals.clip(t0_s, t1_s)
            totals.visible_s += t1 - t0
            totals.share_s += share * (t1 - t0)
            totals.area_s += area * (t1 - t0)
            totals.add_gaze(model, sharp_share, t0_s, t1_s, since_s)
        self._curve.add(model, sharp_share, t0_s, t1_s, since_s)

    def scores(self, model: FixationHazardModel) -> Iterator[Score]:
        """Yield the scores, once all samples have gone by."""
        for window, totals in self._totals.items():
            yield from _scores(window, totals, model)
        yield _first_seen(self._curve, model, None)


def window_missing(window: Window) -> str:
    """Return the reason why an AOI has no scores of a window of an image."""
    return f"The model predicts no {window} window."


def _scores(
    window: Window,
    totals: WindowTotals,
    model: FixationHazardModel,
    relative_sd: float = 0.0,
    reach: float = 1.0,
) -> Iterator[Score]:
    """Yield all metrics of a window but `first_seen_s`.

    `relative_sd` is as of `score_shares`; `reach` is the share of viewers who come to its place.
    """
    if totals.covered_s <= 0:
        yield from _undefined(window, "Nothing was on screen in this window.")
        return
    there = totals.visible_s > 0
    share = min(1.0, totals.share_s / totals.visible_s) if there else 0.0
    available = min(1.0, totals.visible_s / totals.covered_s)
    hazard = totals.hazard / reach
    seen = reach * float(model.share_seen(hazard))
    spent = min(totals.gaze_s / totals.covered_s, seen)
    low, high = model.attention.bounds(share, share * relative_sd) if there else (0.0, 0.0)
    area = totals.area_s / totals.visible_s if there else 0.0

    def score(spec: MetricSpec, value: float, bounds: tuple[float, float], scale: float) -> Score:
        return Score.of(spec, value * scale, (bounds[0] * scale, bounds[1] * scale), time=window)

    yield score(ATTENTION, share * available, (low * available, high * available), 100)
    seen_sd = reach * model.share_seen_sd(hazard, relative_sd)
    yield score(PERCENTAGE_SEEN, seen, model.seen.bounds(seen, seen_sd) if there else (0.0, 0.0), 100)
    spent_bounds = model.spent.bounds(spent, spent * relative_sd) if there else (0.0, 0.0)
    yield score(TIME_SPENT, spent, spent_bounds, totals.covered_s)
    # measured, not predicted: without an interval
    yield Score.of(AVAILABILITY, 100 * available, time=window)
    if not there:
        yield from (Score.of(spec, None, time=window, reason=_NOT_VISIBLE) for spec in (RELATIVE_ATTENTION, LIFT))
        return
    yield score(RELATIVE_ATTENTION, share, (low, high), 100)
    if area > 0:
        yield score(LIFT, share, (low, high), 1 / area)
    else:
        yield Score.of(LIFT, None, time=window, reason=NO_AREA)


def _first_seen(
    curve: HazardCurve,
    model: FixationHazardModel,
    exposure_s: float | None,
    relative_sd: float = 0.0,
    reach: float = 1.0,
) -> Score:
    """Score the time to first fixation, with an interval for an image looked at for `exposure_s`, else without."""
    if reach < 1 and curve.hazards:
        curve = HazardCurve(curve.times, array("d", [hazard / reach for hazard in curve.hazards]))
        if reach * float(model.share_seen(curve.hazards[-1])) < MIN_SHARE_SEEN:
            return Score.of(FIRST_SEEN, None, reason=HARDLY_ANYBODY)
    value = model.first_seen_s(curve.times, curve.hazards)
    if value is None:
        return Score.of(FIRST_SEEN, None, reason=HARDLY_ANYBODY)
    if exposure_s is None:
        return Score.of(FIRST_SEEN, value)
    sd = 0.0
    if relative_sd:  # standard deviation of the time, from that of the log of the hazard
        hazards = np.frombuffer(curve.hazards, np.float64)
        times = (model.first_seen_s(curve.times, hazards * math.exp(step)) for step in (-relative_sd, relative_sd))
        late, early = (value if time is None else time for time in times)
        sd = abs(late - early) / 2 / exposure_s
    low, high = model.first.bounds(value / exposure_s, sd)
    return Score.of(FIRST_SEEN, value / exposure_s * exposure_s, (low * exposure_s, high * exposure_s))


def _undefined(window: Window, reason: str) -> list[Score]:
    return [Score.of(spec, None, time=window, reason=reason) for spec in AOI_METRICS if spec is not FIRST_SEEN]
