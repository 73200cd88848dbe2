"""Join a table of results to the ads of a run, and measure these by the names that rules use."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mediaan.aoi.scoring.film_scores import APPEARS, ON_SCREEN, Film
from mediaan.aoi.scoring.main_area import main_area
from mediaan.aoi.scoring.specs import ATTENTION, LIFT, TIME_SPENT, ZERO_IF_ABSENT
from mediaan.config.attributes import (
    FOLDER_KEYS,
    OBJECTIVE_KEYS,
    Cells,
    RowsByFile,
    attribute_of,
    check_column,
    load_attributes,
)
from mediaan.errors import UsageError, did_you_mean
from mediaan.judge.rules.derived import needed_tables, with_derived_scores
from mediaan.judge.rules.evaluate import is_meant, joint_score
from mediaan.judge.rules.rule import AOI_SCORES, CONTRAST, COUNT, LEGIBLE, MEDIUM_SCORES, Expression, usual_time
from mediaan.run import Run, read_run
from mediaan.storage.input_file import open_table, plain_number
from mediaan.types.aoi import AOI_TYPES, TEXT_TYPES, aoi_words
from mediaan.types.arrays import Float64
from mediaan.types.result import Result

NO_GROUP = "(none)"
"""Group of ads whose cell is empty."""

_CODE = "results_invalid"
_EMPTY = frozenset({"", "-", "–", "n/a", "na", "nan", "null", "none", "#n/a"})
_UNIT = re.compile(r"^([$€£¥]|[A-Z]{3}(?=[\s\d]))?(.*?)([%$€£¥]|(?<=[\s\d])[A-Z]{3})?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class AdRow:
    """A row of the table, and the ad that it is about."""

    path: str
    medium_id: str
    name: str
    """What the table calls it."""
    cells: Mapping[str, str]
    group: str | None
    """None where no groups are given."""


@dataclass(frozen=True)
class JoinedResults:
    """Ads with their results, and what found no partner."""

    run: Run
    table: Path
    ads: tuple[AdRow, ...]
    rows_without_ad: tuple[tuple[str, str], ...]
    """Name in the table, and why."""
    ads_without_row: tuple[str, ...]
    numbers: Mapping[str, Float64]
    """KPIs and weights by column, one for each ad; NaN where a cell is empty."""


def join_results(
    run: str | Path, table: str | Path, kpis: Sequence[str], weight: str | None = None, group: str | None = None
) -> JoinedResults:
    """Join the rows of a table to the analyzed ads of a run, by file name, path or medium id.

    `weight`, `group`: columns; a group may also be a folder, such as ``folder1``, or a setting of objectives.
    Raises UsageError: no run, no such table or column, a cell that is no number, or no row that is about an ad of the
        run.
    """
    opened, attributes = read_run(run), load_attributes(Path(table))
    for column in (*kpis, *([weight] if weight else [])):
        if column not in attributes.columns:
            guess = did_you_mean(column, attributes.columns) or f"; there are {', '.join(attributes.columns)}"
            raise UsageError(f"{table}: has no column {column!r} of numbers{guess}", code="unknown_column")
    if group:
        check_column(attributes, group, (*OBJECTIVE_KEYS, *FOLDER_KEYS))
    matches, without_row = _match(opened, attributes)
    ads, without_ad = [], []
    for name in attributes.rows:
        media = matches.get(name, {})
        if len(media) == 1:
            ((medium_id, path),) = media.items()
            value = None
            if group:
                value = attribute_of(path, group, opened.metadata.objective(path), attributes) or NO_GROUP
            ads.append(AdRow(path, medium_id, name, attributes.rows[name], value))
        elif media:
            where = " or ".join(sorted(media.values())[:3])
            without_ad.append((name, f"may be {where}: write its folder, too"))
        else:
            without_ad.append((name, "is no analyzed file of the run"))
    if not ads:
        name, reason = without_ad[0]
        example = next(iter(opened.media["path"]), "none")
        raise UsageError(
            f"{table}: no row is about a file of {run}; its column {attributes.file_column!r} says {name!r}, which "
            f"{reason}; files of the run are called like {example!r}",
            code="not_joined",
        )
    delimiter = open_table(table, _CODE).delimiter
    columns = dict.fromkeys((*kpis, *([weight] if weight else [])))
    numbers = {column: _numbers(attributes, ads, column, delimiter) for column in columns}
    return JoinedResults(opened, Path(table), tuple(ads), tuple(without_ad), tuple(without_row), numbers)


def _match(run: Run, attributes: RowsByFile[Cells]) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return the media that each name of the table means, as paths by id, and paths that it does not name.

    The ids of media go first; files with the same bytes are one ad, at its first path.
    """
    matches: dict[str, dict[str, str]] = {}
    first: dict[str, str] = {}
    unnamed: dict[str, str] = {}
    named: set[str] = set()
    done = run.media[run.media["status"] == "done"]
    for medium_id, path in zip(done["medium_id"].astype(str), done["path"].astype(str), strict=True):
        first.setdefault(medium_id, path)
        names = [medium_id] if medium_id in attributes.rows else attributes.names.find(path)
        for name in names:
            matches.setdefault(name, {}).setdefault(medium_id, first[medium_id])
        if names:
            named.add(medium_id)
        else:
            unnamed.setdefault(medium_id, path)
    return matches, [path for medium_id, path in unnamed.items() if medium_id not in named]


def _numbers(attributes: RowsByFile[Cells], ads: Sequence[AdRow], column: str, delimiter: str) -> Float64:
    """Read a column; a unit is dropped where all cells with a number have the same one."""
    values, units = [], dict[str, str]()
    for ad in ads:
        cell = ad.cells.get(column, "").strip()
        if cell.lower() in _EMPTY:
            values.append(math.nan)
            continue
        match = _UNIT.fullmatch(cell)
        assert match is not None
        before, number, behind = match.groups()
        units.setdefault((before or "") + (behind or ""), cell)
        try:
            values.append(float(plain_number(number, delimiter)))
        except ValueError:
            values.append(math.nan)
        if not math.isfinite(values[-1]):
            line = attributes.lines[ad.name]
            raise UsageError(
                f"{attributes.path}: line {line}, column {column!r}: {cell!r} is not a number; write it like 1234.5, "
                "or leave the cell empty",
                code=_CODE,
            )
    if len(units) > 1:
        first, second = list(units.values())[:2]
        raise UsageError(
            f"{attributes.path}: column {column!r} holds {first!r} and {second!r}, which are not in one unit",
            code=_CODE,
        )
    return np.array(values, np.float64)


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
    tables, metrics = needed_tables(measured)
    values: dict[str, list[float | None]] = {}
    for result in joined.run.results(tables, metrics=metrics, media={ad.medium_id for ad in joined.ads}):
        film = Film.of(result)
        scored = with_derived_scores(result, film, measured)
        values[str(result.medium.medium_id)] = [value_of(expression, scored, film) for expression in measured]
    nothing = [None] * len(measured)
    rows = np.array([values.get(ad.medium_id, nothing) for ad in joined.ads], np.float64)
    return tuple(Measure(expression, rows[:, place]) for place, expression in enumerate(measured))


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
