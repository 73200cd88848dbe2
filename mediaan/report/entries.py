"""Read the media of a run, one entry for each distinct one, with what is shown of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.aoi.scoring.film_scores import Film, score_film
from mediaan.config.placements import stored_placements
from mediaan.errors import UsageError
from mediaan.judge.verdict import CheckCounts
from mediaan.metrics.novelty import NOVELTY_THRESHOLD
from mediaan.report.areas import PlacementData, most_seen_first, placements_data
from mediaan.report.benchmarks import AREA_COLUMNS, EncodedRange, RangeEncoder
from mediaan.report.counts import Overview, check_tables, read_overview
from mediaan.report.formatting import digits, plus_minus
from mediaan.report.selection import PAGE_MEDIA, Selection, select_media
from mediaan.report.timeline import AreaTrack, ScoreTimeline, most_points, score_timeline
from mediaan.run.metadata import RUN_FILE, Objective
from mediaan.run.reader import Run
from mediaan.run.results import RESULT_TABLES, read_outcomes
from mediaan.run.tables.reading import table_rows
from mediaan.types.aoi import BRAND_NOT_FOUND, Aoi
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.checks import RuleResult
from mediaan.types.densities import Window
from mediaan.types.media import Problem
from mediaan.types.metrics import MetricSpec, Score
from mediaan.types.placement import platform_title
from mediaan.types.result import Failed, Result

_IMAGES = {".jpg", ".jpeg", ".webp", ".png"}  # densities are in the same table
_ANIMATIONS = {"gif", "webp", "apng", "png"}
_NO_WORDS = {"brand", "exposure_s", "viewport", "benchmark", "targets", "domain"}
"""Settings of an objective that are no words of what the medium is for; the exposure is put in a sentence."""
_SHOWN_ELSEWHERE = ("unlike_training", BRAND_NOT_FOUND)  # notes for which the page has places of their own
_FAILURES_FIRST = {("failed", "error"): 0, ("failed", "warning"): 1, ("skipped", "error"): 2, ("skipped", "warning"): 2}


@dataclass(slots=True)
class MediumEntry:
    """A medium as the report shows it: files with the same bytes are one."""

    outcome: Result | Failed
    """Areas of a result are the most seen first. It is without frames, tracks and ranges of areas, which take much
    memory: what is shown of them is below."""
    paths: list[str]
    """Every file with these bytes, as given; the first one names the entry."""
    objective: Objective
    """Of the first path."""
    maps: Mapping[str, str]
    """Map name to path, relative to the run directory."""
    rules: list[RuleResult] = field(default_factory=list)
    """Of all paths, failures first."""
    problems: list[Problem] = field(default_factory=list)
    """Of all paths."""
    scores: Mapping[str, Score] = field(default_factory=dict)
    """One by metric: that of the whole, or of the one window that the metric is about."""
    area_ranges: Mapping[str, Mapping[tuple[str, Window], EncodedRange]] = field(default_factory=dict)
    """By area id."""
    tracks: Mapping[UUID, AreaTrack] = field(default_factory=dict)
    """By area, of those that move."""
    timeline: ScoreTimeline | None = None
    film: Film | None = None
    """timeline, film: None of a still image."""
    film_scores: Mapping[str, Score] = field(default_factory=dict)
    """Of a video, each of `FILM_SCORES` by name."""
    placements: list[PlacementData] = field(default_factory=list)

    def add_path(self, outcome: Result | Failed) -> None:
        """Add what is known of a path; what rules and problems say alike of two paths counts once."""
        self.paths.append(outcome.path)
        if isinstance(outcome, Result):
            self.problems = list(dict.fromkeys((*self.problems, *outcome.problems)))
            statements = {_statement(rule) for rule in self.rules}
            self.rules += [rule for rule in outcome.rules if _statement(rule) not in statements]
            self.rules.sort(key=lambda rule: (_FAILURES_FIRST.get((rule.status, rule.severity), 3), rule.name))

    @property
    def result(self) -> Result | None:
        """None of a file that failed."""
        return self.outcome if isinstance(self.outcome, Result) else None

    @property
    def failure(self) -> Failed | None:
        """Why it failed; None of one that was analyzed."""
        return self.outcome if isinstance(self.outcome, Failed) else None

    @property
    def done(self) -> bool:
        """Whether it was analyzed."""
        return self.result is not None

    @property
    def medium_id(self) -> str | None:
        """None when a file could not even be read."""
        return _medium_id(self.outcome)

    @property
    def name(self) -> str:
        """Of the first file, without folder."""
        return self.outcome.name if isinstance(self.outcome, Failed) else self.outcome.medium.name

    @property
    def moves(self) -> bool:
        """True for anything but a still image."""
        return self.result is not None and self.result.moves

    @property
    def duration_s(self) -> float | None:
        """None for a still image."""
        return self.result.medium.duration_s if self.result else None

    @property
    def kind(self) -> str | None:
        """Its kind in the reader's word: image, video or animation; None when it could not be read."""
        if self.result is None:
            return None
        if not self.moves:
            return "image"
        return "animation" if self.result.medium.codec in _ANIMATIONS else "video"

    @property
    def areas(self) -> tuple[Aoi, ...]:
        """Its areas, the most seen first; an area's place here is the number that people are shown."""
        return (self.result.aois or ()) if self.result else ()

    @property
    def ranges(self) -> tuple[BenchmarkRange, ...]:
        """Where its own scores stand in their population."""
        return self.result.ranges if self.result else ()

    def moves_by(self, score: Score | None) -> float | None:
        """Return how far one of its scores moves (`Result.repeatability`); None where that is not known."""
        return self.result.repeatability(score) if self.result and score else None

    def plus_minus(self, score: Score, decimals: int) -> str:
        """Return the ± beside one of its scores, as the page's script does; empty where it is not known."""
        return plus_minus(self.moves_by(score), decimals)

    def range_of(self, score: Score) -> BenchmarkRange | None:
        """Return where one of its scores stands in its population; None where it has no category."""
        row = self.result.range(score.metric, time=score.time) if self.result else None
        return None if row is None or row.category is None else row

    @property
    def check_counts(self) -> CheckCounts:
        """Counts of its checks by outcome, and of failed rules."""
        return CheckCounts.of(self.result.checks if self.result else (), self.rules)

    @property
    def rule_counts(self) -> Mapping[str, int]:
        """Results of rules by look: passed, failed, warned (a failed warning) and skipped; empty without rules."""
        looks = ["warned" if _FAILURES_FIRST.get((r.status, r.severity)) == 1 else r.status for r in self.rules]
        return {look: looks.count(look) for look in ("passed", "failed", "warned", "skipped")} if looks else {}

    @property
    def notes(self) -> list[Problem]:
        """Problems but those that the page shows elsewhere."""
        return [problem for problem in self.problems if problem.code not in _SHOWN_ELSEWHERE]

    @property
    def brand_missing(self) -> str | None:
        """That the brand was not found, in a sentence; None where it was, or nobody looked for one."""
        return next((problem.message for problem in self.problems if problem.code == BRAND_NOT_FOUND), None)

    @property
    def brand_attention(self) -> str | None:
        """How much attention the brand of an image gets, in words; None where it has no area of it."""
        share = self.result.brand_attention if self.result else None
        return None if share is None else f"{digits(share, 1)} % of attention"

    @property
    def purpose(self) -> str | None:
        """As its objective states it: brand_building or conversion."""
        return self.objective.get("purpose")

    @property
    def brand(self) -> str | None:
        """As its objective names it."""
        return (self.objective.get("brand") or {}).get("name")

    @property
    def platform(self) -> str | None:
        """As its objective names it."""
        return self.objective.get("platform")

    @property
    def objective_words(self) -> str | None:
        """What it is for, in the words of the configuration; None where nothing is stated."""
        return _objective_words(self.objective, self.moves) if self.objective else None

    @property
    def unlike_training(self) -> bool:
        """True where it is unlike what the models have learned from."""
        novelty = self.result.novelty if self.result else None
        return novelty is not None and novelty > NOVELTY_THRESHOLD

    @property
    def thumbnail_source(self) -> str | None:
        """Path of the image from which the thumbnail is made, relative to the run directory."""
        return self.maps.get("thumb") or self.maps.get("original")

    @property
    def images(self) -> Mapping[str, str]:
        """Map name to address, relative to the page."""
        images = {name: path for name, path in self.maps.items() if PurePosixPath(path).suffix in _IMAGES}
        return {name: map_address(path) for name, path in images.items() if name != "thumb"}

    @property
    def videos(self) -> Mapping[str, str]:
        """Name of a preview or a rendered video to address, relative to the page."""
        return {name: map_address(path) for name, path in self.maps.items() if PurePosixPath(path).suffix == ".mp4"}


def _statement(rule: RuleResult) -> tuple[str, ...]:
    return rule.rule, rule.name, rule.severity, rule.status, rule.message


def read_entries(run: Run, overview: Overview, selection: Selection | None, encoder: RangeEncoder) -> list[MediumEntry]:
    """Read the media of a run, or those of a selection, in the order of first appearance."""
    moving = overview.moving
    if selection:
        shown = pc.is_in(overview.moving_ids, value_set=pa.array(selection.media, pa.string()))
        moving = pc.sum(shown).as_py() or 0
    points = most_points(moving)
    maps: dict[str, dict[str, str]] = defaultdict(dict)
    media = selection.media if selection else None
    chosen = [(["medium_id"], media)] if media else []
    for medium_id, name, path in table_rows(run.path, "maps", ("medium_id", "map", "path"), chosen):
        maps[medium_id][name] = path
    placements = cache(partial(stored_placements, run.facts))
    entries: dict[str, MediumEntry] = {}
    for outcome in read_outcomes(run, [name for name in RESULT_TABLES if name != "maps"], media=media):
        key = _medium_id(outcome) or f"path:{outcome.path}"
        if key not in entries:
            entries[key] = MediumEntry(outcome, [], run.metadata.objective(outcome.path), maps.get(key, {}))
            if isinstance(outcome, Result):
                _fill(entries[key], outcome, encoder, points)
                if outcome.placements:
                    entries[key].placements = list(placements_data(outcome, placements()))
        entries[key].add_path(outcome)
    return list(entries.values())


def _medium_id(outcome: Result | Failed) -> str | None:
    return str(outcome.medium.medium_id) if isinstance(outcome, Result) else outcome.medium_id


def _fill(entry: MediumEntry, result: Result, encoder: RangeEncoder, points: int) -> None:
    """Fill an entry with what is shown of a result, whose timeline has so many points at most."""
    film = Film.of(result)
    aois = sorted(result.aois or (), key=most_seen_first)
    area_ranges: dict[str, dict[tuple[str, Window], EncodedRange]] = defaultdict(dict)
    for row in result.ranges:
        if row.aoi_id is not None and row.metric in AREA_COLUMNS:
            area_ranges[row.aoi_id][row.metric, row.metric_time] = encoder.encode(row)
    trackless = tuple(replace(aoi, track=()) for aoi in aois)
    if film:
        entry.tracks = {aoi.aoi_id: AreaTrack.of(aoi, film.spans[aoi.aoi_id]) for aoi in aois if aoi.track}
        entry.film, entry.film_scores = replace(film, areas=trackless), score_film(film)
    entry.timeline = score_timeline(result, points)
    entry.scores = {score.metric: score for score in reversed(result.scores)}
    entry.area_ranges = area_ranges
    own_ranges = tuple(row for row in result.ranges if row.aoi_id is None)
    entry.outcome = replace(result, frames=(), aois=trackless, ranges=own_ranges, rules=(), placements=())


def map_address(path: str) -> str:
    """Return the address of a file of the run, relative to `report/index.html`.

    >>> map_address("maps/50% off #1-4f2a/heat.jpg")
    '../maps/50%25%20off%20%231-4f2a/heat.jpg'
    """
    return "../" + quote(path.replace("\\", "/"))


def _objective_words(objective: Mapping[str, Any], moves: bool) -> str:
    """Return an objective in words, the brand first, its divisions flattened, and how long an image is looked at.

    >>> food = {"category": "food", "subcategory": "snacks"}
    >>> _objective_words({"purpose": "brand_building", "industry": food, "exposure_s": 2.0}, moves=False)
    'Brand building · Food · Snacks · a look of 2 s'
    """
    brand = (objective.get("brand") or {}).get("name")
    words = [brand] if brand else []
    for name, value in objective.items():
        if name == "platform":
            words.append(platform_title(value))
        elif name not in _NO_WORDS:
            values = value.values() if isinstance(value, Mapping) else [value]
            words += [
                str(word).replace("_", " ").capitalize() for word in values if not isinstance(word, (list, tuple))
            ]
    if "exposure_s" in objective and not moves:
        words.append(f"a look of {objective['exposure_s']:g} s")
    return " · ".join(words)


@dataclass(frozen=True, slots=True)
class RunContents:
    """What a page or the sheets show of a run."""

    run: Run
    overview: Overview
    """Of all its media."""
    specs: Sequence[MetricSpec]
    """Of its scores of media, as `run.json` describes them."""
    area_specs: Sequence[MetricSpec]
    """Of scores of areas."""
    maps: Sequence[Mapping[str, str]]
    """Name, title, caption and scale of each kind of map."""
    selection: Selection | None
    """The media that are shown; None: all."""
    encoder: RangeEncoder
    """Holds what encoded ranges have in common."""
    entries: Sequence[MediumEntry]


_NEEDED = ("mediaan", "created_at", "device", "recipe", "recipe_id", "models", "counts", "seconds", "objectives")


def read_contents(run: Run, limit: int = PAGE_MEDIA) -> RunContents:
    """Read a finished run, or the media of a large one that say most about it.

    Raises UsageError: the run is not one that this version can show.
    """
    try:
        for key in _NEEDED:
            run.facts[key]
        specs = [_from_row(MetricSpec, item) for item in run.facts["metrics"]]
        area_specs = [_from_row(MetricSpec, item) for item in run.metadata.aoi_metrics]
        maps = [{key: item[key] for key in ("name", "title", "caption", "scale")} for item in run.facts["maps"]]
    except TypeError as error:
        message = f"{run.path / RUN_FILE} is not what an analysis writes ({error}); run the analysis again."
        raise UsageError(message) from error
    except KeyError as error:
        raise UsageError(f"{run.path / RUN_FILE} lacks {error}; run the analysis again with this version.") from error
    check_tables(run.path)
    overview = read_overview(run.path)
    if unknown := overview.times.keys() - {spec.name for spec in specs}:
        listed = ", ".join(sorted(unknown))
        raise UsageError(f"{run.path / RUN_FILE} does not say what {listed} means; run the analysis again.")
    if overview.times:
        specs = [spec for spec in specs if spec.name in overview.times]
    selection = None
    if overview.media > limit:
        selection = select_media(run.path, specs if overview.times else (), overview.times, limit)
    encoder = RangeEncoder()
    entries = read_entries(run, overview, selection, encoder)
    return RunContents(run, overview, specs, area_specs, maps, selection, encoder, entries)


def _from_row(kind: type, row: Mapping[str, Any]) -> Any:
    """Make a dataclass of the keys that it has fields for; what earlier versions did not write keeps its default."""
    names = [field.name for field in fields(kind) if field.default is MISSING or field.name in row]
    return kind(**{name: row[name] for name in names})
