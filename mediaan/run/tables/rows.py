"""Convert results to rows of tables, and back."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from mediaan.aoi.scoring.main_area import brand_attention
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.metrics.contributions import DRIVER_SPECS
from mediaan.run.tables.schema import FRAME_COLUMNS, SCENE_METRICS, SCREEN_METRICS
from mediaan.types.aoi import Aoi, AoiType, Box, BrandSearch, Candidate, Sighting, TextFacts
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.edits import Edit, Suggestion
from mediaan.types.media import Problem
from mediaan.types.metrics import Basis, Contribution, Fold, FrameScores, Scene, Score
from mediaan.types.result import Failed, Outcome, Result
from mediaan.types.scanpath import AoiLook, OrderOfLooks, PathFixation

Row = dict[str, Any]
Columns = dict[str, list[Any]]
"""Rows of one table, column by column, all of one length."""

# columns that are called as the attributes whose values they hold
_AOI = ("type", "label", "source", "method", "confidence", "t0_s", "t1_s", "legible")
_SCORE = ("value", "lo", "hi", "metric", "unit", "reason")
_DRIVER = ("driver", "value", "points", "text")
_FRAME = ("t_s", "weight_s", "scene_id", "x", "y")
_SCENE = ("scene_id", "start_s", "end_s", "cut_type")
_FOLD = ("fold", "y0", "y1", "viewers", "attention")
_PROPOSAL = ("type", "label", "method", "confidence")
_SUGGESTION = ("purpose", "metric", "before", "after", "gain", "lo", "hi", "unit", "text")
_FIXATION = ("x", "y", "onset_s", "duration_s")
MEDIUM_COLUMNS = ("name", "width", "height", "codec", "duration_s")
_RESULT = ("share_read", "novelty", "domain", "domain_probability", "brand_found", "brand_attention")

RANGE_COLUMNS = tuple(field.name for field in fields(BenchmarkRange))
RANGE_LISTS = ("target", "edges", "edges_lo", "edges_hi")
"""Empty without a population; null in the table."""

_AOI_BASES: Mapping[str, Basis] = {spec.name: spec.basis for spec in AOI_METRICS}


def _cells(item: object, names: Iterable[str]) -> Row:
    return {name: getattr(item, name) for name in names}


def _pick(row: Mapping[str, Any], names: Iterable[str]) -> Row:
    return {name: row[name] for name in names}


def _box(row: Mapping[str, Any]) -> Box:
    return Box(**_pick(row, Box._fields))


def aoi_row(medium_id: UUID, aoi: Aoi) -> Row:
    """Return a row of the table ``aois``."""
    text = aoi.text
    return {
        "medium_id": str(medium_id),
        "aoi_id": str(aoi.aoi_id),
        **_cells(aoi, _AOI),
        **aoi.box._asdict(),
        "polygon": None if aoi.polygon is None else [list(point) for point in aoi.polygon],
        "text": aoi.words,
        "line_height_pct": text.line_height_pct if text else None,
        "contrast_ratio": text.contrast_ratio if text else None,
    }


def track_rows(medium_id: UUID, aoi: Aoi) -> Iterator[Row]:
    """Yield rows of the table ``aoi_tracks``."""
    about = {"medium_id": str(medium_id), "aoi_id": str(aoi.aoi_id)}
    for sighting in aoi.track:
        yield {**about, "t_s": sighting.t_s, **sighting.box._asdict(), "confidence": sighting.confidence}


def aois_of(
    rows: Iterable[Mapping[str, Any]],
    tracks: Iterable[Mapping[str, Any]] = (),
    scores: Iterable[Mapping[str, Any]] = (),
) -> Iterator[Aoi]:
    """Yield AOIs from rows of the tables ``aois``, ``aoi_tracks`` and ``aoi_scores``."""
    sightings = defaultdict[str, list[Sighting]](list)
    for row in tracks:
        sightings[row["aoi_id"]].append(Sighting(row["t_s"], _box(row), row["confidence"]))
    by_aoi = defaultdict[str, list[Score]](list)
    for row in scores:
        basis = _AOI_BASES.get(row["metric"], "measured")  # of a metric of another version
        by_aoi[row["aoi_id"]].append(_score_of(row, basis))
    for row in rows:
        text = None
        if row["line_height_pct"] is not None:
            text = TextFacts(row["text"], row["line_height_pct"], row["contrast_ratio"], row["legible"])
        aoi_id = row["aoi_id"]
        yield Aoi(
            aoi_id=UUID(aoi_id),
            **_pick(row, ("type", "label", "confidence", "method", "t0_s", "t1_s")),
            box=_box(row),
            polygon=None if row["polygon"] is None else tuple((x, y) for x, y in row["polygon"]),
            text=text,
            track=tuple(sightings[aoi_id]),
            scores=tuple(by_aoi[aoi_id]),
            confirmed=row["source"] == "confirmed",
        )


AREA_TABLES = ("aois", "aoi_tracks", "aoi_scores", "absent_aois", "suggestions", "looks", "scanpaths")
"""Tables on the areas of media, which `area_rows` writes and `ScoredAois.of` reads."""


class ScoredAois(NamedTuple):
    """Scored AOIs of one medium."""

    aois: tuple[Aoi, ...] = ()
    brand: BrandSearch | None = None
    """Whether its brand is among them; None: nobody knows."""
    suggestions: tuple[Suggestion, ...] = ()
    looks: OrderOfLooks | None = None
    absent: frozenset[AoiType] = frozenset()
    """Types of which a person answered that there are none."""
    answer: str | None = None
    """Id of the last answer of a review that they hold."""

    @classmethod
    def of(cls, rows: Callable[[str], Sequence[Row]]) -> ScoredAois:
        """Read them from the rows of the medium, by name of the table."""
        return cls(
            tuple(aois_of(rows("aois"), rows("aoi_tracks"), rows("aoi_scores"))),
            suggestions=tuple(map(suggestion_of, rows("suggestions"))),
            looks=looks_of(rows("looks"), rows("scanpaths")),
            absent=frozenset(row["type"] for row in rows("absent_aois")),
        )

    @property
    def brand_found(self) -> bool | None:
        """Value in the table of media."""
        return self.brand.found if self.brand else None

    @property
    def brand_attention(self) -> float | None:
        """Share of attention on the brand of an image, %; value in the table of media."""
        return brand_attention(self.aois, self.brand.spellings if self.brand else ())


def area_rows(
    medium_id: UUID,
    aois: Sequence[Aoi],
    absent: Iterable[AoiType],
    suggestions: Iterable[Suggestion],
    looks: OrderOfLooks | None,
) -> dict[str, list[Row]]:
    """Return the rows about the areas of one medium, by table."""
    about = {"medium_id": str(medium_id)}
    return {
        "aois": [aoi_row(medium_id, aoi) for aoi in aois],
        "aoi_tracks": [row for aoi in aois for row in track_rows(medium_id, aoi)],
        "aoi_scores": [
            _score_row(medium_id, score) | {"aoi_id": str(aoi.aoi_id)} for aoi in aois for score in aoi.scores
        ],
        "absent_aois": [about | {"type": aoi_type} for aoi_type in sorted(absent)],
        "suggestions": list(_suggestion_rows(medium_id, suggestions)),
        "looks": [
            about | {"aoi_id": str(look.aoi_id), "rank": look.rank, "share": look.share}
            for look in (looks.areas if looks else ())
        ],
        "scanpaths": [
            {**about, "index": index, **look._asdict(), "aoi_id": look.aoi_id and str(look.aoi_id)}
            for index, look in enumerate(looks.path if looks else (), 1)
        ],
    }


def _score_row(medium_id: UUID, score: Score) -> Row:
    return {"medium_id": str(medium_id), "metric_time": score.time, **_cells(score, _SCORE)}


def _score_of(row: Mapping[str, Any], basis: Basis, drivers: Iterable[Mapping[str, Any]] = ()) -> Score:
    contributions = (Contribution(unit=_driver_unit(driver["driver"]), **_pick(driver, _DRIVER)) for driver in drivers)
    return Score(**_pick(row, _SCORE), time=row["metric_time"], basis=basis, drivers=tuple(contributions))


def _driver_unit(name: str) -> str:
    spec = DRIVER_SPECS.get(name)
    return spec.unit if spec else ""


def scores_of(rows: Iterable[Mapping[str, Any]], drivers: Iterable[Mapping[str, Any]] = ()) -> Iterator[Score]:
    """Yield scores of a medium from rows of the tables ``metrics`` and ``drivers``."""
    by_score = defaultdict[tuple[str, str], list[Mapping[str, Any]]](list)
    for row in drivers:
        by_score[row["metric"], row["metric_time"]].append(row)
    for row in rows:
        yield _score_of(row, row["basis"], by_score[row["metric"], row["metric_time"]])


def frame_row(medium_id: UUID, frame: FrameScores) -> Row:
    """Return a row of the table ``frames``."""
    scores = {FRAME_COLUMNS[name]: value for name, value in frame.scores.items()}
    return {"medium_id": str(medium_id), **_cells(frame, _FRAME), **scores}


def frame_of(row: Mapping[str, Any]) -> FrameScores:
    """Return the scores of a row of the table ``frames``."""
    scores = {name: row[column] for name, column in FRAME_COLUMNS.items() if column in row}
    return FrameScores(**_pick(row, _FRAME), scores=scores)


def scene_row(medium_id: UUID, scene: Scene) -> Row:
    """Return a row of the table ``scenes``."""
    return {"medium_id": str(medium_id), **_cells(scene, _SCENE), **scene.scores}


def scene_of(row: Mapping[str, Any]) -> Scene:
    """Return the scene of a row of the table ``scenes``."""
    return Scene(**_pick(row, _SCENE), scores=_pick(row, filter(row.__contains__, SCENE_METRICS)))


def fold_of(row: Mapping[str, Any]) -> Fold:
    """Return the fold of a row of the table ``folds``."""
    return Fold(**_pick(row, _FOLD), scores=_pick(row, filter(row.__contains__, SCREEN_METRICS)))


def proposal_of(row: Mapping[str, Any]) -> Candidate:
    """Return the proposal of a row of the table ``proposals``."""
    return Candidate(box=_box(row), **_pick(row, _PROPOSAL))


def _proposal_rows(medium_id: UUID, proposals: Iterable[Candidate]) -> Iterator[Row]:
    """Yield rows of the table ``proposals``; those of a type come the surest first."""
    ranks: Counter[str] = Counter()
    for candidate in proposals:
        ranks[candidate.type] += 1
        about = {"medium_id": str(medium_id), "rank": ranks[candidate.type]}
        yield {**about, **_cells(candidate, _PROPOSAL), **candidate.box._asdict()}


def _suggestion_rows(medium_id: UUID, suggestions: Iterable[Suggestion]) -> Iterator[Row]:
    ranks: Counter[str | None] = Counter()
    for suggestion in suggestions:
        ranks[suggestion.purpose] += 1
        yield {
            "medium_id": str(medium_id),
            "rank": ranks[suggestion.purpose],
            "action": suggestion.action,
            "aoi_id": str(suggestion.aoi_id),
            "gains_aoi_id": str(suggestion.gains_aoi_id),
            "edits": json.dumps([edit.to_dict() for edit in suggestion.edits]),
            **_cells(suggestion, _SUGGESTION),
        }


def suggestion_of(row: Mapping[str, Any]) -> Suggestion:
    """Return the suggestion that a row of the table holds."""
    edits = tuple(
        Edit(edit["action"], edit["aoi"], edit.get("factor"), tuple(edit["to"]) if "to" in edit else None)
        for edit in json.loads(row["edits"])
    )
    aoi_id, gains_aoi_id = UUID(row["aoi_id"]), UUID(row["gains_aoi_id"])
    return Suggestion(aoi_id=aoi_id, gains_aoi_id=gains_aoi_id, edits=edits, **_pick(row, _SUGGESTION))


def looks_of(areas: Iterable[Mapping[str, Any]], path: Iterable[Mapping[str, Any]]) -> OrderOfLooks | None:
    """Return the order of looks at an image from its rows of the tables ``looks`` and ``scanpaths``; None without."""
    fixations = tuple(
        PathFixation(**_pick(row, _FIXATION), aoi_id=row["aoi_id"] and UUID(row["aoi_id"])) for row in path
    )
    if not fixations:
        return None
    return OrderOfLooks(fixations, tuple(AoiLook(UUID(row["aoi_id"]), row["rank"], row["share"]) for row in areas))


def range_of(row: Mapping[str, Any]) -> BenchmarkRange:
    """Return the range of a row of the table ``benchmark_ranges``, of the `RANGE_COLUMNS`."""
    return BenchmarkRange(**{**row, **{name: tuple(row[name] or ()) for name in RANGE_LISTS}})


def columns_of(rows: Iterable[Row]) -> Columns:
    """Convert rows to columns; what a row lacks is None.

    >>> columns_of([{"a": 1}, {"a": 2, "b": 3}])
    {'a': [1, 2], 'b': [None, 3]}
    """
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    return {name: [row.get(name) for row in listed] for name in names}


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[Row]:
    """Convert columns to rows.

    >>> rows_of({"a": [1, 2], "b": [None, 3]})
    [{'a': 1, 'b': None}, {'a': 2, 'b': 3}]
    """
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def outcome_rows(outcome: Outcome, files: Mapping[str, str], seconds: float, at: datetime) -> dict[str, list[Row]]:
    """Return rows by table, without tables that are derived from others.

    `files`: path of each written map, by name, relative to the run directory.
    `seconds`: time that the analysis took, s.
    `at`: when it ended, UTC without zone.
    """
    head = {"path": outcome.path, "size_bytes": outcome.size_bytes, "created_at": at, "seconds": seconds}
    if isinstance(outcome, Failed):
        message = outcome.message
        failed = {"status": "failed", "error_code": outcome.code, "error_message": message}
        problem = _problem_row(
            outcome.path, outcome.medium_id, "error", Problem(outcome.code, outcome.trace or message)
        )
        return {"media": [head | failed | _cells(outcome, ("medium_id", "name"))], "problems": [problem]}
    medium_id = outcome.medium.medium_id
    about = {"medium_id": str(medium_id)}
    drivers = [
        {**about, "metric": score.metric, "metric_time": score.time, "rank": rank, **_cells(driver, _DRIVER)}
        for score in outcome.scores
        for rank, driver in enumerate(score.drivers, 1)
    ]
    return {
        "media": [head | about | _done_row(outcome)],
        "metrics": [_score_row(medium_id, score) | {"basis": score.basis} for score in outcome.scores],
        "drivers": drivers,
        "frames": [frame_row(medium_id, frame) for frame in outcome.frames],
        "scenes": [scene_row(medium_id, scene) for scene in outcome.scenes],
        # the rest of it follows from the other tables
        "film": [about | {"has_audio": outcome.medium.has_audio}] if outcome.frames else [],
        **area_rows(medium_id, outcome.aois or (), outcome.absent, outcome.suggestions, outcome.looks),
        "proposals": list(_proposal_rows(medium_id, outcome.proposals)),
        "folds": [{**about, **_cells(fold, _FOLD), **fold.scores} for fold in outcome.folds],
        "maps": [about | {"map": name, "path": path} for name, path in files.items()],
        "problems": [warning_row(outcome.path, str(medium_id), problem) for problem in outcome.problems],
    }


def _done_row(outcome: Result) -> Row:
    medium = outcome.medium
    return {
        **_cells(medium, MEDIUM_COLUMNS),
        **_cells(outcome, _RESULT),
        "type": medium.kind,
        "status": "done",
        "frame_rate": None if medium.frame_rate is None else float(medium.frame_rate),
        "domain_stated": None if outcome.domain is None else outcome.stated_domain is not None,
    }


def warning_row(path: str, medium_id: str, problem: Problem) -> Row:
    """Return a row of the table of problems about a medium that has a result."""
    return _problem_row(path, medium_id, "warning", problem)


def _problem_row(path: str, medium_id: str | None, severity: str, problem: Problem) -> Row:
    about = {"path": path, "medium_id": medium_id, "severity": severity}
    return {**about, "code": problem.code, "message": problem.message}
