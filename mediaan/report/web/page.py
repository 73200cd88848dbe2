"""Render the contents of a run as the text of the page, with the data for its scripts.

Keys of the data are read in `views/**/*.js`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from mediaan.aoi.scoring.fixation_hazard import WINDOW_S
from mediaan.config.aoi_formats.record import LONGEST_LABEL
from mediaan.judge.benchmark.ranges import POSITION_WORDS
from mediaan.judge.checks import check_specs
from mediaan.judge.questions import ask
from mediaan.metrics import metrics_of
from mediaan.metrics.guide import GRADES_TEXT, HEADLINE_SCORES, PURPOSES, SUBSTITUTES
from mediaan.metrics.scales import ALPHA, LEAN, WIDENED
from mediaan.report.areas import agreement_data, area_data, areas_data, describe_placements
from mediaan.report.benchmarks import (
    AREA_COLUMNS,
    BENCHMARK_NOUNS,
    CATEGORY_TITLES,
    COUNTED_COLUMNS,
    EncodedRange,
    NormSetUsage,
    RangeEncoder,
    count_categories,
    count_usage,
)
from mediaan.report.counts import count_area_types, count_rules, scan
from mediaan.report.entries import MediumEntry, RunContents
from mediaan.report.formatting import WORDS, digits, duration, position
from mediaan.report.heading import Heading
from mediaan.report.medium_summary import remark, window_note, window_remark, window_scores
from mediaan.report.metric_summary import ReportMetric, summarize_metrics
from mediaan.report.run_summary import Noun, RunSummary, calibration_remark, summarize_contents
from mediaan.report.sheets.film_chart import FRAME_HEIGHT, FilmChart, paper_chart
from mediaan.report.sheets.film_sheet import FilmSheet, film_sheet, scene_title
from mediaan.report.sheets.placement import AREA_COLOURS, TaggedArea, tagged_areas
from mediaan.report.timeline import CURVES
from mediaan.report.web.environment import (
    area_type_rules,
    colour_bar,
    curve_rules,
    page_environment,
    script_hash,
    sources,
)
from mediaan.report.web.images import EmbeddedMedia
from mediaan.run.metadata import distinct_objectives
from mediaan.types.area_types import area_types_needed
from mediaan.types.checks import RULE_STATUSES, RuleCounts
from mediaan.types.metrics import Z90, Fold, repeatability_curves
from mediaan.types.placement import platform_title
from mediaan.types.result import Result

_STYLES = (
    *("core/page.css", "overview/sections.css", "overview/summary.css", "overview/overview.css"),
    *("gallery/gallery.css", "compare/side_by_side.css", "detail/detail.css", "viewer/viewer.css", "viewer/folds.css"),
    *("detail/medium_summary.css", "scores/drivers.css", "player/player.css", "areas/areas.css", "looks/looks.css"),
    *("placements/placements.css", "scores/benchmarks.css", "scores/rules.css", "editor/editor.css", "print/print.css"),
    *("answers/review.css", "answers/answers.css"),
    *("print/film.css", "print/film_paper.css"),
)
_MAX_OBJECTIVES = 50  # of a large run


@dataclass(frozen=True, slots=True)
class ServedPage:
    """Addresses and title of a page that a server shows; its scripts may connect to that server alone."""

    company: str  # shown as the title
    areas: str  # address at which AOIs are saved and looked for
    medium: str  # address of what is known of the medium
    home: str  # address of the list of media
    review: str  # address of the questions about the medium
    formats: Sequence[str] = ()  # pdf, pptx: what the report can be downloaded as

    @property
    def json(self) -> str:
        """As the page's script reads it."""
        return json.dumps(asdict(self))


MOST_PAPERS = 100
"""Most videos whose sheets the page holds for printing: about 20 kB each."""


@dataclass(frozen=True, slots=True)
class FilmPaper:
    """The sheet of a video that the page prints by itself."""

    medium_id: str
    name: str
    facts: str
    film: FilmSheet
    chart: FilmChart
    frames: Sequence[tuple[float, str, Sequence[TaggedArea]]]  # moment, s, caption and areas of each key frame


def film_papers(entries: Sequence[MediumEntry]) -> list[FilmPaper]:
    """Return the sheets of videos that the page holds for printing; none of more than `MOST_PAPERS` videos."""
    papers: list[FilmPaper] = []
    if sum(entry.moves for entry in entries) > MOST_PAPERS:
        return papers
    for entry in entries:
        if entry.result is None or entry.film is None or entry.timeline is None:
            continue
        film = film_sheet(entry.film, entry.timeline, entry.tracks, entry.film_scores)
        medium = entry.result.medium
        frames = []
        for scene in film.scenes:
            at_s = film.moment_of(scene)
            areas = tagged_areas(film.areas_at(at_s), FRAME_HEIGHT, medium.width / medium.height)
            frames.append((round(at_s, 3), scene_title(scene), areas))
        facts = [f"brand: {entry.brand}" if entry.brand else "", entry.kind or ""]
        facts.append("" if medium.duration_s is None else duration(medium.duration_s))
        facts.append(f"{medium.width} × {medium.height} px")
        line = " · ".join([*filter(None, facts), "predicted attention, not measured"])
        papers.append(FilmPaper(str(medium.medium_id), medium.name, line, film, paper_chart(film), frames))
    return papers


@dataclass(frozen=True)
class ReportPage:
    """The page of a run but for its large images; what is said of the run is counted once, wherever these then are."""

    contents: RunContents
    thumbnail: Callable[[MediumEntry], str | None]
    """Gives the data URI of an entry's small image."""
    served: ServedPage | None
    """Of the server that shows the page, if one does."""
    heading: Heading

    def render(self, embedded: EmbeddedMedia) -> str:
        """Return a complete HTML document that needs nothing but, in the layout `folder`, the run's own maps."""
        page = _environment().get_template("page/page.html.j2")
        return page.render(**self._facts, embedded=embedded, data=self._data(embedded))

    @cached_property
    def _facts(self) -> dict[str, Any]:
        """What the templates show."""
        contents, facts = self.contents, self.contents.run.facts
        entries, summary = contents.entries, self._summary
        area_counts = count_area_types(contents.run.path)
        ranges = scan(contents.run.path, "benchmark_ranges", COUNTED_COLUMNS)
        counts_of = count_categories(ranges, contents.overview.times)
        style, script = _assets()
        return {
            "run": facts,
            "run_name": self.heading.title or contents.run.path.resolve().name,
            "heading": self.heading,
            "created": datetime.fromisoformat(facts["created_at"]).astimezone(UTC),
            "served": self.served,
            "overview": contents.overview,
            "selection": contents.selection,
            "entries": entries,
            "summaries": self._metrics,
            "run_summary": summary,
            "noun": summary.noun,
            "has_verdicts": summary.verdicts.known > 0,
            "has_brands": any(entry.brand for entry in entries),
            "has_purposes": any(entry.purpose for entry in entries),
            "map_specs": contents.maps,
            "thumbnail": self.thumbnail,
            "film_papers": film_papers(entries),
            "area_counts": area_counts,
            "benchmarks": self._benchmarks,
            "category_counts": [
                (counts_of[name], metric.spec) for metric in self._metrics if (name := metric.spec.name) in counts_of
            ],
            "counts_of": counts_of,
            "rules": self._rules,
            "area_topics": [ReportMetric(spec) for spec in contents.area_specs] if area_counts else [],
            "calibration_remark": calibration_remark(facts),
            # of a large run as many as can be read, and not of which media
            "objectives": distinct_objectives(facts)[:_MAX_OBJECTIVES] if contents.selection else facts["objectives"],
            "style": Markup(style),
            "script": Markup(script),
            "script_hash": script_hash(script),
        }

    @cached_property
    def _summary(self) -> RunSummary:
        return summarize_contents(self.contents)

    @cached_property
    def _metrics(self) -> list[ReportMetric]:
        return summarize_metrics(self.contents)

    @cached_property
    def _benchmarks(self) -> NormSetUsage:
        return count_usage(self.contents.run.path, self.contents.run.facts.get("benchmark") or {})

    @cached_property
    def _rules(self) -> list[RuleCounts]:
        return count_rules(self.contents.run.path, self.contents.run.facts.get("rules"))

    def _data(self, embedded: EmbeddedMedia) -> dict[str, Any]:
        """Return what the page's scripts need; keys are read in `views/**/*.js`."""
        contents, entries = self.contents, self.contents.entries
        media = [self._medium_data(index, entry, embedded) for index, entry in enumerate(entries)]
        benchmarks = None
        if any(entry.ranges or entry.area_ranges for entry in entries):
            titles = {norm_set.name: norm_set.title for norm_set in self._benchmarks.used}
            benchmarks = {"titles": titles, "nouns": BENCHMARK_NOUNS, **contents.encoder.data()}
        platforms = sorted({entry.platform for entry in entries if entry.platform})
        placements = {placement["name"] for entry in entries for placement in entry.placements}
        return {
            "noun": self._summary.noun,
            "words": WORDS,
            "statistics": {"z90": Z90, "alpha": ALPHA, "lean": LEAN, "widened": WIDENED},
            "repeatability": repeatability_curves(),
            "curves": {"metrics": CURVES, "window_s": WINDOW_S},
            "metrics": list(map(_metric_data, self._metrics)),
            "screens": [{"name": metric.spec.name, "title": metric.spec.title} for metric in metrics_of("screen")],
            "maps": [{**spec, "bar": _bar_data(spec["name"])} for spec in contents.maps],
            "purposes": PURPOSES,
            "platforms": {name: platform_title(name) for name in platforms},
            "headlines": {
                "scores": {purpose or "any": names for purpose, names in HEADLINE_SCORES.items()},
                "stands_in": SUBSTITUTES,
                "areas": {purpose or "any": area_types_needed(purpose) for purpose in HEADLINE_SCORES},
            },
            "looks": {name: bar for name in _LOOKS if (bar := _bar_data(name))},
            "areas": {
                **areas_data(entries, contents.area_specs),
                "scoring": embedded.scoring,
                "columns": AREA_COLUMNS,
                "longest_label": LONGEST_LABEL,
            },
            "benchmarks": benchmarks,
            "rules": [{key: getattr(rule, key) for key in ("rule", "name", "severity", "why")} for rule in self._rules],
            "rule_statuses": RULE_STATUSES,
            "rows_at_once": ROWS_AT_ONCE,
            "placements": describe_placements(contents.run.facts, placements),
            "media": media,
        } | ({"part_of": contents.overview.media} if contents.selection else {})

    def _medium_data(self, index: int, entry: MediumEntry, embedded: EmbeddedMedia) -> Mapping[str, Any]:
        contents, summary, medium_id = self.contents, self._summary, entry.medium_id or ""
        return {
            **_entry_data(index, entry, self._metrics, embedded),
            "areas": area_data(entry, contents.area_specs),
            "ranges": _ranges_data(entry, contents.encoder),
            "rules": self._rule_results(entry),
            "verdict": entry.check_counts.verdict,
            "urgency": summary.urgency.get(medium_id),
            "reasons": summary.reasons.get(medium_id, []),
            "placements": entry.placements,
            "summary": summary.media[medium_id].data if entry.done else None,
            **({"questions": questions} if (questions := questions_data(entry)) else {}),
        }

    def _rule_results(self, entry: MediumEntry) -> list[list[Any]]:
        """Return results of rules: ``[rule, status, message, sure]``, the first two as indices."""
        places = {(rule.rule, rule.name, rule.severity): place for place, rule in enumerate(self._rules)}
        return [
            [
                places[result.rule, result.name, result.severity],
                RULE_STATUSES.index(result.status),
                result.message,
                result.sure,
            ]
            for result in entry.rules
        ]


@cache
def _assets() -> tuple[str, str]:
    """Return style and script of the page; `npm run build` bundles the script from the modules in `views`."""
    script = files("mediaan.report.web").joinpath("views.bundle.js").read_text("utf-8")
    return f"{area_type_rules()}\n{curve_rules()}\n{sources(_environment(), _STYLES)}", script


@cache
def _environment() -> Environment:
    """Compile templates once in a process: that takes as long as a small page itself."""
    environment = page_environment()
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.globals.update(
        position=position,
        colour_bar=colour_bar,
        partly_read=_partly_read,
        images=Noun("image", "images"),
        videos=Noun("video", "videos"),
        check_specs=check_specs(),
        purposes=PURPOSES,
        area_colours=AREA_COLOURS,
        rows_at_once=ROWS_AT_ONCE,
        category_titles=CATEGORY_TITLES,
        position_words=POSITION_WORDS,
        grades=GRADES_TEXT,
        words=WORDS,
        longest_label=LONGEST_LABEL,
        category_place=list(CATEGORY_TITLES).index,
    )
    environment.filters["long_date"] = lambda time: f"{time.day} {time:%B %Y}"
    environment.filters["sentence_end"] = lambda text: text if text.endswith(".") else f"{text}."
    environment.filters["digits"] = digits
    environment.filters["short"] = lambda text: text.removesuffix(".0")
    environment.filters["pretty"] = lambda value: json.dumps(value, indent=2, ensure_ascii=False)
    environment.filters["clock"] = lambda time: f"{time:%H:%M} UTC"
    environment.filters["duration"] = duration
    return environment


def _partly_read(entry: MediumEntry) -> str | None:
    """Return the share of a file that could be read, rounded down so that it is never 100 %; None when all was read."""
    if entry.result is None or entry.result.share_read >= 1:
        return None
    return f"{int(100 * entry.result.share_read)} %"


_PLACE_DIGITS, _TIME_DIGITS = 4, 3


def looks_data(result: Result) -> Mapping[str, Any] | None:
    """Return the order of looks for the page's script; keys are read in `views/looks/looks.js`.

    Areas are told by their place in the list of the page: `order` has [area, share of simulated viewers in %], the one
    looked at first first, and `path` has [x, y, onset in s, duration in s, area or null] for each fixation.
    """
    if result.looks is None:
        return None
    place = {aoi.aoi_id: index for index, aoi in enumerate(result.aois or ())}
    return {
        "order": [
            [place[look.aoi_id], round(look.share or 0)]
            for look in result.looks.areas
            if look.rank is not None and look.aoi_id in place
        ],
        "path": [
            [
                *(round(side, _PLACE_DIGITS) for side in (fixation.x, fixation.y)),
                *(round(time, _TIME_DIGITS) for time in (fixation.onset_s, fixation.duration_s)),
                None if fixation.aoi_id is None else place.get(fixation.aoi_id),
            ]
            for fixation in result.looks.path
        ],
    }


ROWS_AT_ONCE = 200  # in the table: each takes a millisecond or two to lay out
_SPEC_KEYS = ("name", "title", "unit", "low", "high", "direction", "basis", "caption")
_LOOKS = ("preview_heat", "preview_fog")  # of the player, with colours that want a legend


def _metric_data(metric: ReportMetric) -> Mapping[str, Any]:
    return {
        **{key: getattr(metric.spec, key) for key in _SPEC_KEYS},
        "decimals": metric.decimals,
        "n": metric.distribution.n if metric.distribution else 0,
        "level_with_best": metric.level_with_best,
        "aims": {name: {"direction": aim.direction, "reason": aim.reason} for name, aim in metric.aims.items()},
        "agreement": agreement_data(metric.spec.name),
    }


def _bar_data(name: str) -> Mapping[str, Any] | None:
    bar = colour_bar(name)
    return asdict(bar) if bar else None


def _fold_data(fold: Fold) -> Mapping[str, Any]:
    """Return a screen of a tall page with its scores beside its edges."""
    return {name: value for name, value in asdict(fold).items() if name != "scores"} | dict(fold.scores)


def _ranges_data(entry: MediumEntry, encoder: RangeEncoder) -> Mapping[str, Mapping[str, EncodedRange]]:
    """Return the encoded ranges of a medium's own scores by metric and time."""
    by_metric: dict[str, dict[str, EncodedRange]] = defaultdict(dict)
    for row in entry.ranges:
        by_metric[row.metric][row.metric_time] = encoder.encode(row)
    return by_metric


_SCORE_KEYS = ("value", "lo", "hi", "basis", "time", "reason")
_WINDOW_KEYS = ("value", "reason")
_ENTRY_KEYS = (
    *("name", "kind", "paths", "done", "moves", "duration_s", "purpose", "brand", "platform"),
    *("brand_missing", "brand_attention"),
)


def _entry_data(
    index: int, entry: MediumEntry, metrics: Sequence[ReportMetric], embedded: EmbeddedMedia
) -> Mapping[str, Any]:
    scores, remarks = {}, []
    for metric in metrics:
        score = entry.scores.get(metric.spec.name)
        if score is None:
            continue
        standing = metric.standings[index]
        scores[metric.spec.name] = {key: getattr(score, key) for key in _SCORE_KEYS} | {
            "standing": asdict(standing) if standing else None,
            "drivers": [[round(driver.points, 1), driver.text] for driver in score.drivers],
        }
        if standing:
            remarks.append(remark(metric.spec, standing, metric.aim(entry.purpose).direction))
    windows = None
    if entry.result and entry.moves:  # a still image has its own way to show windows
        times_of = window_scores(entry.result.scores, [metric.spec for metric in metrics])
        windows = {
            name: {time: {key: getattr(score, key) for key in _WINDOW_KEYS} for time, score in times.items()}
            for name, times in times_of.items()
        }
    result, failure = entry.result, entry.failure
    medium = result.medium if result else None
    frame_rate = medium.frame_rate if medium else None
    return {key: getattr(entry, key) for key in _ENTRY_KEYS} | {
        "id": entry.medium_id,
        "objective": entry.objective_words,
        "error_code": failure.code if failure else None,
        "error_message": failure.message if failure else None,
        "size_bytes": entry.outcome.size_bytes,
        **{key: getattr(medium, key, None) for key in ("width", "height", "codec")},
        "frame_rate": None if frame_rate is None else float(frame_rate),
        **{key: getattr(result, key, None) for key in ("share_read", "domain", "domain_probability")},
        "unlike": result.novelty if result and entry.unlike_training else None,
        "looks": looks_data(result) if result else None,
        "folds": [_fold_data(fold) for fold in result.folds] if result else [],
        "maps": embedded.maps_of(entry),
        "videos": embedded.videos_of(entry),
        "left_out": embedded.left_out(entry),
        "scoring": embedded.scoring_of(entry),
        "notes": [asdict(note) for note in entry.notes],
        "scores": scores,
        "remarks": [asdict(remark) for remark in remarks if remark],
        "windows": window_remark(result) if result else None,
        "window_scores": windows,
        "window_note": None if entry.duration_s is None else window_note(entry.duration_s),
        "timeline": entry.timeline.data() if entry.timeline else None,
    }


def questions_data(entry: MediumEntry) -> list[dict[str, Any]]:
    """Return the open questions about a still image, in the order in which they are asked; none about what moves."""
    if entry.result is None or entry.moves:
        return []
    return [question.data for question in ask(replace(entry.result, rules=tuple(entry.rules)))]
