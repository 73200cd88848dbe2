"""One comparison of a score with a limit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from mediaan.rules.scores import AOI_SCORES, MEDIUM_SCORES, TOGETHER, of_videos_only, usual_time
from mediaan.types.aoi import AoiType
from mediaan.types.metrics import MetricSpec, Time

Operator = Literal[">=", ">", "<=", "<", "=="]
OPERATORS: tuple[Operator, ...] = get_args(Operator)

Which = Literal["strongest", "all", "any"]
"""Which of several areas of a type is looked at: the one that scores best stands for all; every one; one will do."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A rule's comparison, understood; `mediaan.rules.parse` makes it from text.

    Attributes
    ----------
    metric : str
        As tables call it.
    time : {'total', 'start', 'end'}
    operator : {'>=', '>', '<=', '<', '=='}
    limit : float or None
        In the score's unit; None where the limit is a percentile.
    percent : int or None
        Percentile of the medium's population, 1-99.
    aoi_type : AoiType or None
        None for a score of the medium.
    label : str or None
        Only areas of this label, whatever the case.
    which : {'strongest', 'all', 'any'}
        Of several areas.
    text : str
        As it was written.
    """

    metric: str
    time: Time
    operator: Operator
    limit: float | None
    percent: int | None = None
    aoi_type: AoiType | None = None
    label: str | None = None
    which: Which = "strongest"
    text: str = field(default="", compare=False)

    @property
    def spec(self) -> MetricSpec:
        """What is known of the score: unit, range, direction."""
        return (AOI_SCORES if self.aoi_type else MEDIUM_SCORES)[self.metric]

    @property
    def takes_together(self) -> bool:
        """Whether it asks what all areas have together: how many there are, for how long any is on screen."""
        return self.aoi_type is not None and self.metric in TOGETHER

    @property
    def wants_more(self) -> bool:
        """Whether values above the limit pass."""
        return self.operator in (">=", ">")

    @property
    def wants_better(self) -> bool:
        """Whether the score has to be good, and not only limited: more of what is better, or less of what is worse."""
        return self.wants_more == (self.spec.direction == "higher")

    @property
    def videos_only(self) -> bool:
        """Whether still pictures have no such score."""
        return of_videos_only(self.metric, self.time)

    @property
    def subject(self) -> str:
        """The score that it speaks of, such as ``branding.percentage_seen.start``."""
        time = "" if self.time == usual_time(self.metric) else f".{self.time}"
        return f"{self._area()}{self.metric}{time}"

    def __str__(self) -> str:
        limit = f"p{self.percent}" if self.limit is None else number_text(self.limit)
        limit += " %" if self.limit is not None and looks_like_share(self.limit, self.spec) else ""
        return f"{self.subject} {self.operator} {limit}"

    def _area(self) -> str:
        if self.aoi_type is None:
            return ""
        label = self.label or ""
        mark = "'" if '"' in label else '"'
        area = self.aoi_type + (f"({mark}{label}{mark})" if label else "")
        return f"{area}." if self.which == "strongest" else f"{self.which}({area})."

    def holds(self, value: float, limit: float) -> bool:
        """Whether a value is on the right side of the limit."""
        return {
            ">=": value >= limit,
            ">": value > limit,
            "<=": value <= limit,
            "<": value < limit,
            "==": value == limit,
        }[self.operator]

    def margin(self, value: float, limit: float) -> float:
        """How far a value is on the right side of the limit; negative: by how much it is on the wrong one."""
        if self.operator == "==":
            return 0.0 - abs(value - limit)
        return value - limit if self.wants_more else limit - value


def looks_like_share(limit: float, spec: MetricSpec) -> bool:
    """Whether a limit in per cent may have been meant as a share: 0.4 for 40 %."""
    return spec.unit == "%" and 0 < limit < 1


def number_text(number: float) -> str:
    """A number as short as it can be written without losing anything.

    Examples
    --------
    >>> number_text(40.0), number_text(0.25)
    ('40', '0.25')
    """
    return np.format_float_positional(number, trim="-")
