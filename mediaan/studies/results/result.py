"""Hold what goes with the results of ads."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from mediaan.types.metrics import Interval

FALSE_DISCOVERIES = 0.10
"""Share of claims that are expected to be false, over all that was tried."""


@dataclass(frozen=True, slots=True)
class ResultTarget(Interval):
    """The end of the range in which three quarters of the best fifth of ads lie."""

    value: float

    minimum: bool = field(kw_only=True)
    """Whether it is the lower end of the range: the best ads have more."""
    n: int = field(kw_only=True)
    """Ads of the best fifth with a value."""


@dataclass(frozen=True, slots=True)
class Association(Interval):
    """The rank correlation of one measure with one KPI: above 0 where more of it goes with better results."""

    value: float

    kpi: str = field(kw_only=True)
    measure: str = field(kw_only=True)
    """Name, as in rules."""
    title: str = field(kw_only=True)
    unit: str = field(kw_only=True)
    n: int = field(kw_only=True)
    """Ads with both."""
    p: float = field(kw_only=True)
    """Two-sided probability of such a correlation by chance alone."""
    q: float = field(kw_only=True)
    """False discovery rate at which it would be claimed."""
    target: ResultTarget | None = field(default=None, kw_only=True)

    @property
    def claimed(self) -> bool:
        """True if more than chance shows, with `FALSE_DISCOVERIES` over all that was tried."""
        return self.q <= FALSE_DISCOVERIES


@dataclass(frozen=True, slots=True)
class LeftOut(Interval):
    """The rank correlation of results with what all measures together predict of ads that were left out."""

    value: float

    kpi: str = field(kw_only=True)
    n: int = field(kw_only=True)
    p: float = field(kw_only=True)
    """Probability of so good a prediction by chance alone, corrected for the number of KPIs."""
    folds: str = field(kw_only=True)
    """What was left out together, in words."""

    @property
    def predicts(self) -> bool:
        """True if the prediction is better than chance."""
        return self.p <= FALSE_DISCOVERIES and self.value > 0


@dataclass(frozen=True)
class Results:
    """Which measures go with the results of ads."""

    run: str
    table: str
    kpis: tuple[str, ...]
    lower_is_better: tuple[str, ...]
    weight: str | None
    group: str | None
    groups: dict[str, int]
    """Ads by group, the largest first; empty without groups."""
    n: int
    """Ads with a row."""
    left_out: tuple[LeftOut, ...]
    """One for each KPI."""
    associations: tuple[Association, ...] = field(repr=False)
    """All that was tried, by KPI, the least probable by chance first."""
    untried: tuple[tuple[str, str], ...] = field(repr=False)
    """Measures that could not be tried, and why."""
    rows_without_ad: tuple[tuple[str, str], ...] = field(repr=False)
    """Names in the table that mean no ad of the run, and why."""
    ads_without_row: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def claims(self) -> tuple[Association, ...]:
        """Those that are claimed."""
        return tuple(association for association in self.associations if association.claimed)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        facts = asdict(self)
        for written, association in zip(facts["associations"], self.associations, strict=True):
            written["claimed"] = association.claimed
        for written, left_out in zip(facts["left_out"], self.left_out, strict=True):
            written["predicts"] = left_out.predicts
        return facts
