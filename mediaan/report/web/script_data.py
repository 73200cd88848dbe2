"""Data for the scripts of the page; keys are read in `views/**/*.js`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mediaan.metrics.guide import HEADLINE_AREAS, HEADLINE_SCORES, PURPOSES, SUBSTITUTES
from mediaan.report.data.benchmark_ranges import BenchmarkRanges
from mediaan.report.data.contents import MapDescription
from mediaan.report.data.entries import MediumEntry
from mediaan.report.data.rankings import Standing
from mediaan.report.data.rules import RuleResults
from mediaan.report.detail.areas import ReportAreas
from mediaan.report.detail.remarks import remark, window_note, window_remark, window_scores
from mediaan.report.detail.timeline import ScoreTimeline
from mediaan.report.summary.metric import ReportMetric
from mediaan.report.summary.run import RunSummary
from mediaan.report.web.images import EmbeddedMedia
from mediaan.report.web.legends import colour_bar
from mediaan.types.metrics import Score

ROWS_AT_ONCE = 200  # in the table: each takes a millisecond or two to lay out
_LOOKS = ("preview_heat", "preview_fog")  # of the player, with colours that want a legend


def page_data(
    map_specs: Sequence[MapDescription],
    entries: Sequence[MediumEntry],
    summaries: Sequence[ReportMetric],
    timelines: Mapping[str, ScoreTimeline],
    areas: ReportAreas,
    benchmarks: BenchmarkRanges,
    rules: RuleResults,
    bundle: EmbeddedMedia,
    said: RunSummary,
) -> dict[str, Any]:
    """What the page's script needs; keys are read in `templates/*.js`."""
    media = [
        {
            **_entry_data(i, entry, summaries, timelines.get(entry.medium_id or ""), bundle),
            "areas": areas.of_medium(entry.medium_id, benchmarks),
            "ranges": benchmarks.of_medium(entry.medium_id),
            "rules": rules.of_medium(entry.medium_id, entry.paths[0]),
            "verdict": said.verdicts.verdict(entry.medium_id),
            "reasons": said.reasons.get(entry.medium_id or "", []),
            "summary": said.gists[entry.medium_id].data if entry.medium_id and entry.medium_id in said.gists else None,
        }
        for i, entry in enumerate(entries)
    ]
    return {
        "metrics": [_metric_data(summary) for summary in summaries],
        "maps": [_map_data(spec) for spec in map_specs],
        "purposes": PURPOSES,
        "headlines": {
            "scores": {purpose or "any": names for purpose, names in HEADLINE_SCORES.items()},
            "stands_in": SUBSTITUTES,
            "areas": {purpose or "any": types for purpose, types in HEADLINE_AREAS.items()},
        },
        "looks": {name: asdict(bar) for name in _LOOKS if (bar := colour_bar(name))},
        "areas": areas.data(),
        "benchmarks": benchmarks.data(),
        "rules": rules.data(),
        "rows_at_once": ROWS_AT_ONCE,
        "media": media,
    }


def _map_data(spec: MapDescription) -> Mapping[str, Any]:
    bar = colour_bar(spec.name)
    return asdict(spec) | {"bar": asdict(bar) if bar else None}


def _metric_data(summary: ReportMetric) -> Mapping[str, Any]:
    spec = summary.spec
    keys = ("name", "title", "unit", "low", "high", "direction", "basis", "caption")
    return {key: getattr(spec, key) for key in keys} | {
        "decimals": summary.decimals,
        "n": summary.spread.n if summary.spread else 0,
        "level_with_best": summary.level_with_best,
        "aims": summary.about.data,
    }


_ENTRY_KEYS = (
    *("name", "kind", "paths", "done", "error_code", "error_message", "width", "height", "codec", "size_bytes"),
    *("moves", "duration_s", "frame_rate", "share_read", "seconds", "objective", "purpose"),
    *("domain", "domain_probability", "brand_missing"),
)


def _entry_data(
    index: int,
    entry: MediumEntry,
    summaries: Sequence[ReportMetric],
    timeline: ScoreTimeline | None,
    bundle: EmbeddedMedia,
) -> Mapping[str, Any]:
    named = [
        (summary, entry.scores[summary.spec.name], index) for summary in summaries if summary.spec.name in entry.scores
    ]
    remarks = [
        remark(summary.spec, standing, summary.about.aim(entry.purpose).direction)
        for summary, _, i in named
        if (standing := summary.standings[i])
    ]
    return {key: getattr(entry, key) for key in _ENTRY_KEYS} | {
        "id": entry.medium_id,
        "maps": bundle.maps_of(entry),
        "videos": bundle.videos_of(entry),
        "left_out": bundle.left_out(entry),
        "unlike": entry.novelty if entry.unlike_training else None,
        "notes": [asdict(note) for note in entry.notes],
        "scores": {summary.spec.name: _score_data(score, summary.standings[i]) for summary, score, i in named},
        "remarks": [asdict(found) for found in remarks if found],
        "windows": window_remark(entry.scores.get("focus_first_two"), entry.scores.get("focus_last_two")),
        "window_scores": _window_data(entry, summaries),
        "window_note": None if entry.duration_s is None else window_note(entry.duration_s),
        "timeline": timeline.data() if timeline else None,
    }


def _window_data(entry: MediumEntry, summaries: Sequence[ReportMetric]) -> Mapping[str, Any] | None:
    """A still picture has its own way to show windows."""
    if not entry.moves:
        return None
    found = window_scores(entry.by_time, [summary.spec for summary in summaries])
    keys = ("value", "lo", "hi", "reason")
    return {
        name: {time: {key: getattr(score, key) for key in keys} for time, score in times.items()}
        for name, times in found.items()
    }


def _score_data(score: Score, standing: Standing | None) -> Mapping[str, Any]:
    keys = ("value", "lo", "hi", "basis", "time", "reason")
    return {key: getattr(score, key) for key in keys} | {
        "standing": asdict(standing) if standing else None,
        "drivers": [[round(driver.points, 1), driver.text] for driver in score.drivers],
    }
