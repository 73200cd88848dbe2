"""Scores of a medium, its frames and its scenes, and the specifications of their metrics."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from statistics import NormalDist
from typing import Literal, Self

from mediaan.types.densities import Window
from mediaan.types.media import Transition


@dataclass(frozen=True, slots=True)
class Interval:
    """A number with its 90 % interval; every class of a number with bounds derives from it.

    `value` is None where the number is undefined; `lo` and `hi` are None where no interval is known or wanted.
    """

    value: float | None
    lo: float | None = None
    hi: float | None = None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both ends of the interval; None unless both are known."""
        return None if self.lo is None or self.hi is None else (self.lo, self.hi)


def repeatability(metric: str, value: float) -> float | None:
    """Return the half-width within which nine in ten scores lie when a still image is seen a little differently.

    Mirroring, a slight crop, another size and a slight blur leave an image the same to its viewers. How far a score
    moves under them depends mostly on the metric and on the score itself; `models/training/repeatability.py` measures
    it. It says how exact a number is, not how well it agrees with people.

    `value`: the score, in the metric's unit.
    Returns: in the metric's unit. None for metrics of which it was not measured, such as counts.

    >>> repeatability("percentage_seen", 97.0) < repeatability("percentage_seen", 50.0)
    True
    >>> repeatability("hotspot_count", 3.0) is None
    True
    """
    import numpy as np  # here, so that who reads specifications need not load it

    curve = repeatability_curves().get(metric)
    return None if curve is None else Z90 * float(np.interp(value, curve["value"], curve["sd"]))


@cache
def repeatability_curves() -> Mapping[str, Mapping[str, Sequence[float]]]:
    """Load the standard deviation of what each metric moves (``sd``) at some of its values (``value``), by metric."""
    text = files("mediaan.types").joinpath("repeatability.json").read_text(encoding="utf-8")
    curves: dict[str, dict[str, list[float]]] = json.loads(text)["metrics"]
    return curves


Z90 = NormalDist().inv_cdf(0.95)
"""Standard deviations on either side of a value that make a 90 % interval of a normal distribution."""

Basis = Literal["measured", "learned", "proxy"]
Direction = Literal["higher", "lower", "middle"]

DIRECTION_WORDS: dict[Direction, str] = {
    "higher": "higher is better",
    "lower": "lower is better",
    "middle": "neither extreme is best",
}
"""Directions in words for people."""


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """The meaning of a metric, beside the function that computes it."""

    name: str
    """snake_case, as in tables."""
    title: str
    """As in the report."""
    unit: str
    """``score`` for 0-100 scores, otherwise an SI or plain unit."""
    low: float
    high: float
    """low, high: Range of possible values."""
    direction: Direction
    """Which way is better for most objectives."""
    basis: Basis
    """measured: follows from the predicted density or the pixels by definition; learned: fitted to human judgements or
    gaze; proxy: a documented function of measured drivers without human ground truth."""
    caption: str
    """One or two sentences for the reader of a report."""
    reference: str
    """Paper or standard behind it."""
    frame_name: str | None = None
    """Name of its series over the frames of a video, where that is another one."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """Effect of one measured property of a medium on one of its scores."""

    driver: str
    """Name of the property, snake_case."""
    value: float | None
    """As measured; None for what is not a single number."""
    unit: str
    """Of `value`."""
    points: float
    """Score points, signed: the score less what it would be with this property of the median image of the reference
    population, all else equal."""
    text: str
    """The same in words with numbers."""


@dataclass(frozen=True, slots=True)
class Score(Interval):
    """One value of one metric of a medium, or of one of its areas, in one window.

    `reason` says why `value` is None; `drivers` are the contributions to it, the largest first.
    """

    metric: str = field(kw_only=True)
    time: Window = field(default="total", kw_only=True)
    basis: Basis = field(kw_only=True)
    unit: str = field(kw_only=True)
    reason: str | None = field(default=None, kw_only=True)
    drivers: tuple[Contribution, ...] = field(default=(), kw_only=True)

    @classmethod
    def of(
        cls,
        spec: MetricSpec,
        value: float | None,
        bounds: tuple[float | None, float | None] = (None, None),
        *,
        time: Window = "total",
        reason: str | None = None,
        drivers: tuple[Contribution, ...] = (),
    ) -> Self:
        """Return the score of a metric, with the basis and unit of its specification."""
        return cls(
            value,
            *bounds,
            metric=spec.name,
            time=time,
            basis=spec.basis,
            unit=spec.unit,
            reason=reason,
            drivers=drivers,
        )


def range_text(low: float, high: float | None, unit: str) -> str:
    """Format a range with its unit, in words where there is no upper end.

    >>> range_text(0, 60, "1/min"), range_text(0, None, "s"), range_text(0, float("inf"), "ratio")
    ('0–60 1/min', 'from 0 s', 'from 0 times')
    """
    suffix = {"score": "", "count": "", "ratio": " times"}.get(unit, f" {unit}")
    if high is None or high == float("inf"):
        return f"from {low:g}{suffix}"
    return f"{low:g}–{high:g}{suffix}"


@dataclass(frozen=True, slots=True)
class FrameScores:
    """Scores at one sampled instant; None where one is undefined."""

    t_s: float
    weight_s: float
    """t_s, weight_s: Time from the first frame and duration that the sample stands for, s."""
    scene_id: int
    """Scene it belongs to, from 0."""
    x: float
    y: float
    """x, y: Point of largest attention, unit coordinates, origin top-left."""
    scores: Mapping[str, float | None]
    """Mapping of str to float or None. By metric: each that has a value at frames (`mediaan.metrics.METRICS`)."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The scores of one shot of a video."""

    scene_id: int
    """From 0, in order."""
    start_s: float
    end_s: float
    """start_s, end_s: Half-open, s from the first frame."""
    cut_type: Transition
    """How it begins."""
    scores: Mapping[str, float | None]
    """Mapping of str to float or None. Time-weighted means of the frames' scores, by metric."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One screen of a tall page that was judged fold by fold."""

    fold: int
    """From 1, the first screen."""
    y0: float
    y1: float
    """y0, y1: Upper and lower edge, as shares of the page's height; the last fold may be shorter or a little taller."""
    viewers: float
    """Estimated share of viewers who scroll as far as its middle, %."""
    attention: float
    """Share of the page's attention that lies in it, %."""
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """Of the fold alone, by metric; None where one is undefined, or where no scores were computed."""
