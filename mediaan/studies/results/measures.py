"""Measure ads: scores, areas, legibility, placements and films, by the names that rules use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mediaan.aoi.scoring.film_scores import APPEARS, ON_SCREEN, Film
from mediaan.aoi.scoring.main_area import main_area
from mediaan.aoi.scoring.specs import ATTENTION, LIFT, TIME_SPENT, ZERO_IF_ABSENT
from mediaan.judge.rules.derived import needed_tables, with_derived_scores
from mediaan.judge.rules.evaluate import is_meant, joint_score
from mediaan.judge.rules.rule import AOI_SCORES, CONTRAST, COUNT, LEGIBLE, MEDIUM_SCORES, Expression, usual_time
from mediaan.run import Run
from mediaan.studies.results.join import JoinedResults
from mediaan.types.aoi import AOI_TYPES, TEXT_TYPES, aoi_words
from mediaan.types.arrays import Float64
from mediaan.types.result import Result

_OF_AREAS = (COUNT, ATTENTION, TIME_SPENT, LIFT, ON_SCREEN, APPEARS)
_OF_TEXTS = (LEGIBLE, CONTRAST)
_AS_PLACED = ("placement.covered", "placement.cropped")

LEAST_VALUES = 10
LEAST_OTHERS = 5
"""LEAST_VALUES, LEAST_OTHERS: Ads with a value that a measure needs to be tried, and ads that differ from the most
frequent value. Both look at the measure alone, never at results, so that nothing is chosen by its outcome."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of all ads."""

    expression: Expression
    values: Float64
    """Of n ads; NaN where an ad lacks it."""

    @property
    def name(self) -> str:
        """As in rules: ``branding.attention``."""
        return self.expression.subject

    @property
    def title(self) -> str:
        """As on pages: ``branding: Attention``."""
        title = self.expression.spec.title
        return f"{aoi_words(self.expression.aoi_type)}: {title.lower()}" if self.expression.aoi_type else title

    @property
    def too_little(self) -> str | None:
        """Why it cannot be tried; None where it can."""
        there = self.values[np.isfinite(self.values)]
        if len(there) < LEAST_VALUES:
            return f"ads with a value: {len(there)}"
        others = len(there) - int(np.unique(there, return_counts=True)[1].max())
        return f"the same in all ads but {others}" if others < LEAST_OTHERS else None


def expressions() -> Iterator[Expression]:
    """Yield what is measured, as the left side of a rule."""

    def ask(metric: str, aoi_type: str | None = None) -> Expression:
        return Expression(metric, usual_time(metric), ">=", 0.0, aoi_type=aoi_type)

    yield from map(ask, MEDIUM_SCORES)
    for aoi_type in AOI_TYPES:
        if aoi_type != "other":
            metrics = (*_OF_AREAS, *(_OF_TEXTS if aoi_type in TEXT_TYPES else ()))
            yield from (ask(spec.name, aoi_type) for spec in metrics if spec.name in AOI_SCORES)
            yield from (ask(name, aoi_type) for name in _AS_PLACED)


def measure_ads(joined: JoinedResults) -> tuple[Measure, ...]:
    """Measure the ads of a run, in the order in which they are joined."""
    measured = list(expressions())
    ids = {ad.medium_id for ad in joined.ads}
    values = dict(_values(joined.run, measured, ids))
    nothing = [None] * len(measured)
    rows = np.array([values.get(ad.medium_id, nothing) for ad in joined.ads], np.float64)
    return tuple(Measure(expression, rows[:, place]) for place, expression in enumerate(measured))


def _values(run: Run, asked: Sequence[Expression], ids: set[str]) -> Iterator[tuple[str, list[float | None]]]:
    tables, metrics = needed_tables(asked)
    for result in run.results(tables, metrics=metrics, media=ids):
        film = Film.of(result)
        measured = with_derived_scores(result, film, asked)
        yield str(result.medium.medium_id), [value_of(expression, measured, film) for expression in asked]


def value_of(expression: Expression, result: Result, film: Film | None) -> float | None:
    """Return a score of a medium, or of its main area of a type: 0 where that is what an absent area has."""
    if expression.aoi_type is None:
        score = result.score(expression.metric, expression.time)
        return score.value if score else None
    if expression.aoi_type not in result.looked_for or (expression.metric == ON_SCREEN.name and film is None):
        return None
    areas = [aoi for aoi in result.aois or () if is_meant(aoi, expression, film)]
    if expression.is_joint:
        return joint_score(expression, areas, film).value
    area = main_area(areas, expression.aoi_type)
    if area is None:
        return 0.0 if expression.metric in ZERO_IF_ABSENT else None
    return area.value(expression.key, expression.time)
