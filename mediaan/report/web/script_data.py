"""Data for the scripts of the page; keys are read in `views/**/*.js`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mediaan.aoi.scoring.fixation_hazard import WINDOW_S
from mediaan.config.aoi_formats.record import LONGEST_LABEL
from mediaan.metrics import metrics_of
from mediaan.metrics.guide import HEADLINE_SCORES, PURPOSES, SUBSTITUTES
from mediaan.metrics.intervals import ALPHA, LEAN, WIDENED
from mediaan.report.data.benchmark_ranges import AREA_COLUMNS, BenchmarkRanges
from mediaan.report.data.contents import MapDescription
from mediaan.report.data.entries import MediumEntry
from mediaan.report.data.rules import RuleResults
from mediaan.report.detail.areas import ReportAreas
from mediaan.report.detail.remarks import remark, window_note, window_remark, window_scores
from mediaan.report.detail.timeline import SERIES, ScoreTimeline
from mediaan.report.summary.metric import ReportMetric
from mediaan.report.summary.run import RunSummary
from mediaan.report.web.images import EmbeddedMedia
from mediaan.report.web.legends import colour_bar
from mediaan.report.web.words import WORDS
from mediaan.run.tables.schema import SCREEN_METRICS
from mediaan.types.area_types import area_types_needed
from mediaan.types.checks import RULE_STATUSES
from mediaan.types.metrics import Z90

ROWS_AT_ONCE = 200  # in the table: each takes a millisecond or two to lay out
_SPEC_KEYS = ("name", "title", "unit", "low", "high", "direction", "basis", "caption")
_LOOKS = ("preview_heat", "preview_fog")  # of the player, with colours that want a legend


def page_data(
    map_specs: Sequence[MapDescription],
    entries: Sequence[MediumEntry],
    metrics: Sequence[ReportMetric],
    timelines: Mapping[str, ScoreTimeline],
    areas: ReportAreas,
    looks: Mapping[str, Mapping[str, Any]],
    benchmarks: BenchmarkRanges,
    rules: RuleResults,
    embedded: EmbeddedMedia,
    summary: RunSummary,
    placements: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    """Return what the page's scripts need; keys are read in `views/**/*.js`."""
    media = [
        {
            **_entry_data(i, entry, metrics, timelines.get(entry.medium_id or ""), embedded),
            "areas": areas.of_medium(entry.medium_id, benchmarks),
            "looks": looks.get(entry.medium_id or ""),
            "ranges": benchmarks.of_medium(entry.medium_id),
            "rules": rules.of_medium(entry.medium_id, entry.paths[0]),
            "verdict": summary.verdicts.verdict(entry.medium_id),
            "urgency": summary.urgency.get(entry.medium_id or ""),
            "reasons": summary.reasons.get(entry.medium_id or "", []),
            "placements": placements.get(entry.medium_id or "", []),
            "summary": of.data if (of := summary.media.get(entry.medium_id or "")) else None,
        }
        for i, entry in enumerate(entries)
    ]
    return {
        "noun": summary.noun,
        "words": WORDS,
        "statistics": {"z90": Z90, "alpha": ALPHA, "lean": LEAN, "widened": WIDENED},
        "curves": {"metrics": list(SERIES), "window_s": WINDOW_S},
        "metrics": [
            {
                **{key: getattr(metric.spec, key) for key in _SPEC_KEYS},
                "decimals": metric.decimals,
                "n": metric.distribution.n if metric.distribution else 0,
                "level_with_best": metric.level_with_best,
                "aims": metric.about.data,
            }
            for metric in metrics
        ],
        "screens": [{"name": metric.spec.name, "title": metric.spec.title} for metric in metrics_of("screen")],
        "maps": [asdict(spec) | {"bar": _bar_data(spec.name)} for spec in map_specs],
        "purposes": PURPOSES,
        "headlines": {
            "scores": {purpose or "any": names for purpose, names in HEADLINE_SCORES.items()},
            "stands_in": SUBSTITUTES,
            "areas": {purpose or "any": area_types_needed(purpose) for purpose in HEADLINE_SCORES},
        },
        "looks": {name: bar for name in _LOOKS if (bar := _bar_data(name))},
        "areas": {
            **areas.data(),
            "scoring": embedded.scoring,
            "columns": AREA_COLUMNS,
            "longest_label": LONGEST_LABEL,
        },
        "benchmarks": benchmarks.data(),
        "rules": rules.data(),
        "rule_statuses": RULE_STATUSES,
        "rows_at_once": ROWS_AT_ONCE,
        "media": media,
    }


def _bar_data(name: str) -> Mapping[str, Any] | None:
    bar = colour_bar(name)
    return asdict(bar) if bar else None


_ENTRY_KEYS = (
    *("name", "kind", "paths", "done", "error_code", "error_message", "width", "height", "codec", "size_bytes"),
    *("moves", "duration_s", "frame_rate", "share_read", "seconds", "objective", "purpose"),
    *("brand", "platform", "domain", "domain_probability", "brand_missing"),
)
_FOLD_KEYS = ("fold", "y0", "y1", "viewers", "attention", *SCREEN_METRICS)
_SCORE_KEYS = ("value", "lo", "hi", "basis", "time", "reason")
_WINDOW_KEYS = ("value", "lo", "hi", "reason")


def _entry_data(
    index: int,
    entry: MediumEntry,
    metrics: Sequence[ReportMetric],
    timeline: ScoreTimeline | None,
    embedded: EmbeddedMedia,
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
            remarks.append(remark(metric.spec, standing, metric.about.aim(entry.purpose).direction))
    windows = None
    if entry.moves:  # a still image has its own way to show windows
        windows = {
            name: {time: {key: getattr(score, key) for key in _WINDOW_KEYS} for time, score in times.items()}
            for name, times in window_scores(entry.by_time, [metric.spec for metric in metrics]).items()
        }
    return {key: getattr(entry, key) for key in _ENTRY_KEYS} | {
        "id": entry.medium_id,
        "maps": embedded.maps_of(entry),
        "videos": embedded.videos_of(entry),
        "left_out": embedded.left_out(entry),
        "scoring": embedded.scoring_of(entry),
        "unlike": entry.novelty if entry.unlike_training else None,
        "notes": [asdict(note) for note in entry.notes],
        "scores": scores,
        "remarks": [asdict(remark) for remark in remarks if remark],
        "windows": window_remark(entry.scores.get("focus_first_two"), entry.scores.get("focus_last_two")),
        "window_scores": windows,
        "window_note": None if entry.duration_s is None else window_note(entry.duration_s),
        "timeline": timeline.data() if timeline else None,
        "folds": [{key: fold[key] for key in _FOLD_KEYS} for fold in entry.folds],
    }
