"""Data for the scripts of the page; keys are read in `views/**/*.js`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from mediaan.aoi.scoring.fixation_hazard import WINDOW_S
from mediaan.config.aoi_formats.record import LONGEST_LABEL
from mediaan.judge.questions import ask
from mediaan.judge.rules.check import RuleCounts
from mediaan.metrics import metrics_of
from mediaan.metrics.guide import HEADLINE_SCORES, PURPOSES, SUBSTITUTES
from mediaan.metrics.scales import ALPHA, LEAN, WIDENED
from mediaan.report.data.benchmark_ranges import AREA_COLUMNS, BENCHMARK_NOUNS, EncodedRange, RangeEncoder
from mediaan.report.data.entries import MediumEntry, RunContents
from mediaan.report.data.rules import rule_results_data, rules_data
from mediaan.report.detail.areas import agreement_data, area_data, areas_data
from mediaan.report.detail.placements import describe_placements
from mediaan.report.detail.remarks import remark, window_note, window_remark, window_scores
from mediaan.report.detail.timeline import CURVES
from mediaan.report.summary.metric import ReportMetric
from mediaan.report.summary.run import RunSummary
from mediaan.report.web.images import EmbeddedMedia
from mediaan.report.web.legends import colour_bar
from mediaan.report.web.words import WORDS
from mediaan.types.area_types import area_types_needed
from mediaan.types.checks import RULE_STATUSES
from mediaan.types.metrics import Z90, Fold, repeatability_curves
from mediaan.types.placement import platform_title
from mediaan.types.result import Result

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


def page_data(
    contents: RunContents,
    metrics: Sequence[ReportMetric],
    norm_sets: Mapping[str, str],
    rules: Sequence[RuleCounts],
    embedded: EmbeddedMedia,
    summary: RunSummary,
) -> dict[str, Any]:
    """Return what the page's scripts need; keys are read in `views/**/*.js`.

    `norm_sets`: titles of norm sets by name.
    """
    entries = contents.entries
    media = [
        {
            **_entry_data(i, entry, metrics, embedded),
            "areas": area_data(entry, contents.area_specs),
            "ranges": _ranges_data(entry, contents.encoder),
            "rules": rule_results_data(entry.rules, rules),
            "verdict": entry.check_counts.verdict,
            "urgency": summary.urgency.get(entry.medium_id or ""),
            "reasons": summary.reasons.get(entry.medium_id or "", []),
            "placements": entry.placements,
            "summary": summary.media[entry.medium_id or ""].data if entry.done else None,
            **({"questions": questions} if (questions := questions_data(entry)) else {}),
        }
        for i, entry in enumerate(entries)
    ]
    benchmarks = None
    if any(entry.ranges or entry.area_ranges for entry in entries):
        benchmarks = {"titles": norm_sets, "nouns": BENCHMARK_NOUNS, **contents.encoder.data()}
    return {
        "noun": summary.noun,
        "words": WORDS,
        "statistics": {"z90": Z90, "alpha": ALPHA, "lean": LEAN, "widened": WIDENED},
        "repeatability": repeatability_curves(),
        "curves": {"metrics": CURVES, "window_s": WINDOW_S},
        "metrics": [
            {
                **{key: getattr(metric.spec, key) for key in _SPEC_KEYS},
                "decimals": metric.decimals,
                "n": metric.distribution.n if metric.distribution else 0,
                "level_with_best": metric.level_with_best,
                "aims": metric.about.data,
                "agreement": agreement_data(metric.spec.name),
            }
            for metric in metrics
        ],
        "screens": [{"name": metric.spec.name, "title": metric.spec.title} for metric in metrics_of("screen")],
        "maps": [asdict(spec) | {"bar": _bar_data(spec.name)} for spec in contents.map_specs],
        "purposes": PURPOSES,
        "platforms": {
            name: platform_title(name) for name in sorted({entry.platform for entry in entries if entry.platform})
        },
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
        "rules": rules_data(rules),
        "rule_statuses": RULE_STATUSES,
        "rows_at_once": ROWS_AT_ONCE,
        "placements": describe_placements(
            contents.facts, {placement["name"] for entry in entries for placement in entry.placements}
        ),
        "media": media,
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
            remarks.append(remark(metric.spec, standing, metric.about.aim(entry.purpose).direction))
    windows = None
    if entry.result and entry.moves:  # a still image has its own way to show windows
        times_of = window_scores(entry.result.scores, [metric.spec for metric in metrics])
        windows = {
            name: {time: {key: getattr(score, key) for key in _WINDOW_KEYS} for time, score in times.items()}
            for name, times in times_of.items()
        }
    return _file_data(entry) | {
        "id": entry.medium_id,
        "name": entry.name,
        "kind": entry.kind,
        "paths": entry.paths,
        "done": entry.done,
        "moves": entry.moves,
        "objective": entry.objective_words,
        "purpose": entry.purpose,
        "brand": entry.brand,
        "platform": entry.platform,
        "brand_missing": entry.brand_missing,
        "brand_attention": entry.brand_attention,
        "maps": embedded.maps_of(entry),
        "videos": embedded.videos_of(entry),
        "left_out": embedded.left_out(entry),
        "scoring": embedded.scoring_of(entry),
        "notes": [asdict(note) for note in entry.notes],
        "scores": scores,
        "remarks": [asdict(remark) for remark in remarks if remark],
        "windows": window_remark(entry.result) if entry.result else None,
        "window_scores": windows,
        "window_note": None if entry.duration_s is None else window_note(entry.duration_s),
        "timeline": entry.timeline.data() if entry.timeline else None,
    }


def _file_data(entry: MediumEntry) -> dict[str, Any]:
    """Return facts of a file, and why it failed."""
    result, failure = entry.result, entry.failure
    medium = result.medium if result else None
    frame_rate = medium.frame_rate if medium else None
    return {
        "error_code": failure.code if failure else None,
        "error_message": failure.message if failure else None,
        "width": medium.width if medium else None,
        "height": medium.height if medium else None,
        "codec": medium.codec if medium else None,
        "size_bytes": result.size_bytes if result else failure.size_bytes if failure else None,
        "duration_s": entry.duration_s,
        "frame_rate": None if frame_rate is None else float(frame_rate),
        "share_read": result.share_read if result else None,
        "domain": result.domain if result else None,
        "domain_probability": result.domain_probability if result else None,
        "unlike": result.novelty if result and entry.unlike_training else None,
        "looks": looks_data(result) if result else None,
        "folds": [_fold_data(fold) for fold in result.folds] if result else [],
    }


def questions_data(entry: MediumEntry) -> list[dict[str, Any]]:
    """Return the open questions about a still image, in the order in which they are asked; none about what moves."""
    if entry.result is None or entry.moves:
        return []
    return [question.data for question in ask(replace(entry.result, rules=tuple(entry.rules)))]
