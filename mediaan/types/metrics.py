"""A score, and what is known about the metric behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Time = Literal["total", "start", "end"]
Basis = Literal["measured", "learned", "proxy"]
Direction = Literal["higher", "lower", "middle"]


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """What a metric means, beside the function that computes it.

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
class Score:
    """One value of one metric for one medium.

    `value` is None when the metric is undefined for this medium; `reason` then says why. `lo` and `hi` bound the
    value's interval, None where none is known.
    """

    metric: str
    time: Time
    value: float | None
    lo: float | None
    hi: float | None
    basis: Basis
    unit: str
    reason: str | None = None
