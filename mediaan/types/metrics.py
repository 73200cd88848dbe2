"""Scores of a medium, its frames and its scenes, and the specifications of their metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

from mediaan.types.densities import Window
from mediaan.types.media import Transition

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
    """The meaning of a metric, beside the function that computes it.

    Attributes
    ----------
    name : str
        snake_case, as in tables.
    title : str
        As in the report.
    unit : str
        ``score`` for 0-100 scores, otherwise an SI or plain unit.
    low, high : float
        Range of possible values.
    direction : {'higher', 'lower', 'middle'}
        Which way is better for most objectives.
    basis : {'measured', 'learned', 'proxy'}
        measured: follows from the predicted density or the pixels by definition; learned: fitted to human
        judgements or gaze; proxy: a documented function of measured drivers without human ground truth.
    caption : str
        One or two sentences for the reader of a report.
    reference : str
        Paper or standard behind it.
    """

    name: str
    title: str
    unit: str
    low: float
    high: float
    direction: Direction
    basis: Basis
    caption: str
    reference: str


@dataclass(frozen=True, slots=True)
class Contribution:
    """Effect of one measured property of a medium on one of its scores.

    Attributes
    ----------
    driver : str
        Name of the property, snake_case.
    value : float or None
        As measured; None for what is not a single number.
    unit : str
        Of `value`.
    points : float
        Score points, signed: the score less what it would be with this property of the median image of the reference
        population, all else equal.
    text : str
        The same in words with numbers.
    """

    driver: str
    value: float | None
    unit: str
    points: float
    text: str


@dataclass(frozen=True, slots=True)
class Score:
    """One value of one metric for one medium.

    `value` is None where the metric is undefined for this medium; `reason` then says why. `lo` and `hi` bound the 90 %
    interval, None where none is known or wanted. `drivers` are its contributions, the largest first.
    """

    metric: str
    time: Window
    value: float | None
    lo: float | None
    hi: float | None
    basis: Basis
    unit: str
    reason: str | None = None
    drivers: tuple[Contribution, ...] = ()


def range_text(low: float, high: float | None, unit: str) -> str:
    """Format a range with its unit, in words where there is no upper end.

    Examples
    --------
    >>> range_text(0, 60, "1/min"), range_text(0, None, "s"), range_text(0, float("inf"), "ratio")
    ('0–60 1/min', 'from 0 s', 'from 0 times')
    """
    shown = {"score": "", "count": "", "ratio": " times"}.get(unit, f" {unit}")
    if high is None or high == float("inf"):
        return f"from {low:g}{shown}"
    return f"{low:g}–{high:g}{shown}"


@dataclass(frozen=True, slots=True)
class FrameScores:
    """Scores at one sampled instant; None where one is undefined.

    Attributes
    ----------
    t_s, weight_s : float
        Time from the first frame and duration that the sample stands for, s.
    scene_id : int
        Scene it belongs to, from 0.
    focus, cognitive_demand, clarity, engagement_frt, design, memory : float or None
        0-100. `engagement_frt` is the frame-level series behind engagement.
    x, y : float
        Point of largest attention, unit coordinates, origin top-left.
    """

    t_s: float
    weight_s: float
    scene_id: int
    focus: float | None
    cognitive_demand: float | None
    clarity: float | None
    engagement_frt: float | None
    design: float | None
    memory: float | None
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Scene:
    """The scores of one shot of a video.

    Attributes
    ----------
    scene_id : int
        From 0, in order.
    start_s, end_s : float
        Half-open, s from the first frame.
    cut_type : {'start', 'cut', 'fade'}
        How it begins.
    scores : mapping of str to float or None
        Time-weighted means of the frames' scores, by metric.
    """

    scene_id: int
    start_s: float
    end_s: float
    cut_type: Transition
    scores: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Fold:
    """One screen of a tall page that was judged fold by fold.

    Attributes
    ----------
    fold : int
        From 1, the first screen.
    y0, y1 : float
        Upper and lower edge, as shares of the page's height; the last fold may be shorter or a little taller.
    viewers : float
        Estimated share of viewers who scroll as far as its middle, %.
    attention : float
        Share of the page's attention that lies in it, %.
    focus, cognitive_demand, clarity : float or None
        Scores of the fold alone, 0-100; None where undefined, or where no scores were computed.
    """

    fold: int
    y0: float
    y1: float
    viewers: float
    attention: float
    focus: float | None = None
    cognitive_demand: float | None = None
    clarity: float | None = None
