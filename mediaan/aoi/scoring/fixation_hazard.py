"""Predict who fixates a region, when and for how long: a hazard model fitted to the fixations of real viewers.

A viewer's fixations come at a steady rate once gaze has left the place where it was before. Each may land in the
region, and does so with odds that grow with the region's share of predicted attention. Viewers differ in what draws
them, so the hazard is multiplied by a gamma distributed frailty of mean 1 (Vaupel, Manton & Stallard 1979, Demography
16; Hougaard 2000, "Analysis of multivariate survival data"). The share of viewers with at least one fixation is then
in closed form. `docs/aoi_scores.md` says how well all this agrees with people; `models/training/fixation_hazard.py`
fits it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError, UsageError
from mediaan.saliency.density import PRIOR_CENTRE
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import BASE_DOMAIN, Densities, Window
from mediaan.types.eye_tracking import Pace
from mediaan.types.metrics import Z90

WINDOW_S = 2.0
"""Length of the windows start and end, s."""

TRAINED_EXPOSURE_S = 5.0
"""Exposure on which the windows of the attention model rest, s: its end is the time from 3 to 5 s."""

MIN_SHARE_SEEN = 0.05
"""Share of viewers below which nothing is said about when a region is first seen."""

BAND_NAMES = ("attention", "seen", "spent", "first")

LARGEST_SHARE = 1 - 1e-9
"""Of attention, where odds are made of it: a share that is 1 but for rounding is all of it."""


@dataclass(frozen=True, slots=True)
class PredictionBand:
    """90 % interval of the truth around a prediction."""

    at: tuple[float, ...]
    """Predictions, ascending."""
    low: tuple[float, ...]
    high: tuple[float, ...]
    """low, high: 5 % and 95 % quantiles of the truth near each; low is nowhere above the prediction, high nowhere
    below."""

    def bounds(self, value: float, sd: float = 0.0) -> tuple[float, float]:
        """Return the interval of a prediction, around it and within 0-1; beyond the ends of `at` its width stays.

        `value`: the prediction, 0-1.
        `sd`: standard deviation of what else makes it uncertain, which is added in quadrature.

        >>> PredictionBand((0.0, 0.5), (0.0, 0.25), (0.0, 0.75)).bounds(0.25)
        (0.125, 0.375)
        >>> PredictionBand((0.0, 0.5), (0.0, 0.25), (0.0, 0.75)).bounds(0.625)
        (0.375, 0.875)
        """
        below, above = self.sides(value)
        below, above = (math.hypot(side, Z90 * sd) for side in (below, above))
        return max(0.0, value - below), min(1.0, value + above)

    def sides(self, value: float) -> tuple[float, float]:
        """Return the widths of the band below and above a prediction, both at least 0."""
        at = min(max(value, self.at[0]), self.at[-1])
        below = max(0.0, at - float(np.interp(at, self.at, self.low)))
        return below, max(0.0, float(np.interp(at, self.at, self.high)) - at)

    @classmethod
    def widest(cls, all_of: Sequence[PredictionBand]) -> PredictionBand:
        """Return a band whose intervals are nowhere narrower than those of any of these.

        >>> one, other = PredictionBand((0.25, 0.5), (0.25, 0.5), (0.5, 0.75)), PredictionBand((0.5,), (0.25,), (0.5,))
        >>> PredictionBand.widest([one, other])
        PredictionBand(at=(0.25, 0.5), low=(0.0, 0.25), high=(0.5, 0.75))
        """
        at = sorted({knot for band in all_of for knot in band.at})
        reach = [[band.sides(knot) for band in all_of] for knot in at]
        low = tuple(knot - max(below for below, _ in sides) for knot, sides in zip(at, reach, strict=True))
        high = tuple(knot + max(above for _, above in sides) for knot, sides in zip(at, reach, strict=True))
        return cls(tuple(at), low, high)


@dataclass(frozen=True, slots=True)
class FixationHazardModel:
    """Fitted constants of the hazard model."""

    rate: float
    """Fixations per s and unit of odds, 1/s."""
    latency_s: float
    """Since onset, before gaze leaves the place where it was."""
    late_pace: float
    """Rate from two seconds after an image comes on, as a share of `rate`: by then gaze goes back to where it has been,
    and stays longer."""
    frailty: float
    """Variance of the frailty between viewers; 0 would be viewers all alike."""
    sharpness: float
    sharpness_moving: float
    """sharpness, sharpness_moving: Power of the attention model's density, of an image and of a moving medium: the
    model says the mean over what it is unsure of, and people agree with each other more than with it."""
    center_bias_duration_s: float
    """For so long after onset gaze is still near the middle, s."""
    centre_sd: float
    """Width of the window around the middle during that time, share of each side."""
    gaze: float
    """Share of the time since latency that a viewer spends in fixations rather than between them."""
    attention: PredictionBand
    seen: PredictionBand
    spent: PredictionBand
    first: PredictionBand
    """attention, seen, spent, first: Intervals of a share of attention, of the share of viewers, of gaze seconds
    as a share of the window, and of the time of the first fixation as a share of the exposure; all 0-1. On
    photographs."""
    by_domain: Mapping[str, Mapping[str, PredictionBand]] = field(default_factory=dict)
    """Mapping of domain to mapping of name to PredictionBand. Intervals for other domains of media, as far as eye
    tracking tells: of viewers who were pooled only shares of attention are known."""

    def of_domain(self, domain: str | None) -> FixationHazardModel:
        """Return the model with the intervals of a domain of media.

        What has no interval of its own in a domain takes the widest of those that were measured: all of them in graphic
        designs, of which there is no eye tracking, and all but that of attention in advertisements.

        `domain`: such as 'photo', 'ad', 'design' or 'page'; None where the model does not tell: the intervals of
            photographs.
        """
        if domain is None or domain == BASE_DOMAIN or not self.by_domain:
            return self
        of_domain = self.by_domain.get(domain, {})
        bands = {
            name: of_domain.get(name)
            or PredictionBand.widest([getattr(self, name), *(t[name] for t in self.by_domain.values() if name in t)])
            for name in BAND_NAMES
        }
        return replace(self, **dict[str, Any](bands))

    def share_seen_sd(self, hazard: float, relative_sd: float) -> float:
        """Return the standard deviation of the share of viewers who fixate, from that of the log of the hazard."""
        few, many = self.share_seen([hazard * math.exp(-relative_sd), hazard * math.exp(relative_sd)])
        return float(many - few) / 2

    def paced(self, pace: Pace) -> FixationHazardModel:
        """Return the model of other viewers, as `mediaan calibrate` found them; intervals stay the usual ones."""
        return replace(
            self,
            rate=self.rate * pace.rate,
            sharpness=self.sharpness * pace.agreement,
            sharpness_moving=self.sharpness_moving * pace.agreement,
            gaze=self.gaze if pace.gaze is None else pace.gaze,
        )

    def time_for_gaze(self, t0_s: npt.ArrayLike, t1_s: npt.ArrayLike) -> Float64:
        """Return the seconds between two times that lie after the latency, when gaze can move.

        >>> model = built_in_hazard_model()
        >>> float(model.time_for_gaze(0, model.latency_s)), float(model.time_for_gaze(1, 3))
        (0.0, 2.0)
        """
        t0, t1 = np.asarray(t0_s, np.float64), np.asarray(t1_s, np.float64)
        return np.asarray(np.maximum(t1, self.latency_s) - np.maximum(t0, self.latency_s), np.float64)

    def hazard(
        self, share: npt.ArrayLike, t0_s: npt.ArrayLike, t1_s: npt.ArrayLike, shown_since_s: float = 0.0
    ) -> Float64:
        """Return the cumulative hazard of a fixation in a region; hazards of successive periods add up.

        `share` (array_like): of the density of the period that lies in the region, 0-1.
        `t0_s`, `t1_s` (array_like): the period, s since onset.
        `shown_since_s`: time at which the image, or the shot, came on, s since onset.
        Returns float64 array: at least 0; broadcast.
        """
        inside = np.clip(np.asarray(share, np.float64), 0.0, LARGEST_SHARE)
        turn = shown_since_s + WINDOW_S
        early = self.time_for_gaze(np.minimum(t0_s, turn), np.minimum(t1_s, turn))
        late = self.time_for_gaze(np.maximum(t0_s, turn), np.maximum(t1_s, turn))
        return np.asarray(self.rate * (early + self.late_pace * late) * inside / (1 - inside), np.float64)

    def share_seen(self, hazard: npt.ArrayLike) -> Float64:
        """Return the share of viewers with a fixation: 1 - (1 + frailty * hazard) ** (-1 / frailty).

        >>> built_in_hazard_model().share_seen([0.0, 1e12]).round(3).tolist()
        [0.0, 1.0]
        """
        return np.asarray(-np.expm1(-np.log1p(self.frailty * np.asarray(hazard, np.float64)) / self.frailty))

    def hazard_of(self, seen: npt.ArrayLike) -> Float64:
        """Return the hazard at which a share of viewers, below 1, has fixated: the inverse of `share_seen`."""
        return np.asarray(np.expm1(-self.frailty * np.log1p(-np.asarray(seen, np.float64))) / self.frailty)

    def first_seen_s(self, times: npt.ArrayLike, hazards: npt.ArrayLike) -> float | None:
        """Return the median time of the first fixation in a region, among the viewers who have one.

        `times` (n,) array_like: s since onset, ascending.
        `hazards` (n,) array_like: cumulative hazard by each of them, not descending; linear in between.
        Returns: s; None where fewer than 5 % of the viewers see it.
        """
        at, cumulative = np.asarray(times, np.float64), np.asarray(hazards, np.float64)
        seen = float(self.share_seen(cumulative[-1])) if cumulative.size else 0.0
        if seen < MIN_SHARE_SEEN:
            return None
        half = float(self.hazard_of(seen / 2))
        after = int(np.searchsorted(cumulative, half, "left"))  # past any pause at just this hazard, not into it
        if after == 0:
            return float(at[0])
        rise = cumulative[after] - cumulative[after - 1]
        return float(at[after - 1] + (at[after] - at[after - 1]) * (half - cumulative[after - 1]) / rise)

    def sharpen(self, density: Float32) -> Float32:
        """Sharpen the density of a moving medium's sample as `hazard` takes it, (h, w) float32."""
        return sharpen_density(density, self.sharpness_moving)

    def period_spans(self, exposure_s: float) -> tuple[tuple[float, float], ...]:
        """Return first and last second of the periods into which gaze over an image is divided, in order of time.

        Until gaze has settled, from then to two seconds, the time in between, the last two seconds; looking for less
        than five seconds is the first part of looking for five, so that the last of these four can be missing.

        Raises UsageError: the exposure is not a positive number.
        """
        if not 0 < exposure_s < float("inf"):
            raise UsageError(f"the exposure must be a number of seconds above 0, not {exposure_s}")
        until = max(exposure_s, TRAINED_EXPOSURE_S)
        turns = (0.0, self.center_bias_duration_s, WINDOW_S, until - WINDOW_S, until)
        return tuple((t0, min(t1, exposure_s)) for t0, t1 in pairwise(turns) if t0 < exposure_s)

    def period_densities(self, densities: Densities) -> tuple[Float32, ...]:
        """Return the density of fixations in each of the four periods, each (h, w) float32.

        The first two go by the window start, the third by total and the last by end; total stands in for a window that
        is absent. Of a tall page each screen is sharpened by itself, and gaze begins in the middle of the first.
        """
        total, screen = densities["total"], densities.screen
        start, end = densities.maps.get("start", total), densities.maps.get("end", total)
        if screen is None:
            sharp = {id(raw): sharpen_density(raw, self.sharpness) for raw in (start, total, end)}
        else:
            sharp = {id(raw): _sharpen_screens(raw, self.sharpness, screen) for raw in (start, total, end)}
        early = apply_center_bias(sharp[id(start)], self.centre_sd, screen or 1.0)
        return early, sharp[id(start)], sharp[id(total)], sharp[id(end)]


def window_span(window: Window, duration_s: float) -> tuple[float, float]:
    """Return first and last second of a window in an exposure or a medium, clipped where that is shorter.

    >>> window_span("end", 5.0), window_span("start", 1.5)
    ((3.0, 5.0), (0.0, 1.5))
    """
    if window == "start":
        return 0.0, min(WINDOW_S, duration_s)
    return (max(0.0, duration_s - WINDOW_S), duration_s) if window == "end" else (0.0, duration_s)


def hazard_model_from_dict(content: Mapping[str, Any]) -> FixationHazardModel:
    """Read the model from the content of its JSON file."""
    bands = {name: _band(item) for name, item in content["bands"].items()}
    by_domain = {
        domain: {name: _band(item) for name, item in items.items()}
        for domain, items in content.get("bands_by_domain", {}).items()
    }
    return FixationHazardModel(**dict[str, Any](content["constants"]), **dict[str, Any](bands), by_domain=by_domain)


@cache
def built_in_hazard_model() -> FixationHazardModel:
    """Return the model that ships with the package.

    Raises SetupError: its file is missing or damaged.
    """
    path = files("mediaan.aoi.scoring").joinpath("fixation_hazard.json")
    try:
        return hazard_model_from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"{path} cannot be read ({error!r}); reinstall mediaan.") from error


def _band(item: Mapping[str, Any]) -> PredictionBand:
    return PredictionBand(tuple(item["at"]), tuple(item["low"]), tuple(item["high"]))


def sharpen_density(density: Float32, exponent: float) -> Float32:
    """Raise a density to a power and normalize it, (h, w) float32.

    >>> sharpen_density(np.array([[0.25, 0.75]], np.float32), 2.0).round(2).tolist()
    [[0.10000000149011612, 0.8999999761581421]]
    """
    raised = density.astype(np.float64) ** exponent
    return np.asarray(raised / raised.sum(), np.float32)


def _sharpen_screens(density: Float32, exponent: float, screen: float) -> Float32:
    """Raise a page's density to a power and give the screen around each row its attention back, (h, w) float32."""
    rows = density.shape[0]
    half = max(1, round(screen * rows / 2))
    first = np.clip(np.arange(rows) - half, 0, rows)
    last = np.clip(np.arange(rows) + half + 1, 0, rows)
    raised = density.astype(np.float64) ** exponent
    before, after = (
        np.concatenate([[0.0], np.cumsum(values.sum(axis=1, dtype=np.float64))]) for values in (density, raised)
    )
    around, sharpened = before[last] - before[first], after[last] - after[first]
    gain = np.divide(around, sharpened, out=np.zeros(rows), where=sharpened > 0)
    values = raised * gain[:, None]
    return np.asarray(values / values.sum(), np.float32)


def apply_center_bias(density: Float32, sd: float, screen: float = 1.0) -> Float32:
    """Weigh a density by a Gaussian around the place where gaze is centred; `sd` is a share of each side.

    Of a tall page `screen` is the height of its first screen, as a share of the page's, in whose middle gaze begins.
    """
    (rows, columns), (x, y) = density.shape, PRIOR_CENTRE
    down, across = (
        np.exp(-0.5 * ((np.arange(n) + 0.5) / n / side - c) ** 2 / sd**2)
        for n, c, side in ((rows, y, screen), (columns, x, 1.0))
    )
    windowed = density.astype(np.float64) * np.outer(down, across)
    return np.asarray(windowed / windowed.sum(), np.float32)
