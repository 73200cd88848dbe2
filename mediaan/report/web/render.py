"""Render the contents of a run to the text of the page."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from mediaan.checks.specs import check_specs
from mediaan.metrics.guide import PURPOSES
from mediaan.report.data.benchmark_counts import COUNTED_COLUMNS, count_categories, population_line, population_title
from mediaan.report.data.benchmark_ranges import CATEGORY_TITLES, POSITION_WORDS, gather_benchmark_ranges
from mediaan.report.data.contents import Row, RunContents
from mediaan.report.data.entries import MediumEntry, gather_entries
from mediaan.report.data.overview import Overview
from mediaan.report.data.rules import RuleResults, gather_rule_results
from mediaan.report.data.scan import scan
from mediaan.report.detail.areas import gather_areas
from mediaan.report.detail.remarks import calibration_remark
from mediaan.report.detail.timeline import gather_timelines
from mediaan.report.formatting import digits, position
from mediaan.report.summary.descriptions import about
from mediaan.report.summary.metric import summarize_metric
from mediaan.report.summary.run import ReportInputs, RunSummary, summarize_run
from mediaan.report.summary.verdicts import read_verdicts
from mediaan.report.web.environment import page_environment, sources
from mediaan.report.web.images import EmbeddedMedia
from mediaan.report.web.legends import colour_bar
from mediaan.report.web.script_data import ROWS_AT_ONCE, page_data
from mediaan.report.web.scripts import bundle_scripts
from mediaan.run.objectives import distinct_objectives
from mediaan.types.metrics import MetricSpec, Score

_STYLES = (
    *(
        "core/page.css",
        "overview/sections.css",
        "overview/summary.css",
        "overview/overview.css",
        "gallery/gallery.css",
        "compare/side_by_side.css",
    ),
    *("detail/detail.css", "viewer/viewer.css", "detail/medium_summary.css", "scores/drivers.css", "player/player.css"),
    *(
        "areas/areas.css",
        "scores/benchmarks.css",
        "scores/rules.css",
        "editor/editor.css",
        "print/print.css",
        "print/sheets.css",
    ),
)

_OBJECTIVES = 50  # of a large run

Thumbnail = Callable[[MediumEntry], str | None]


def render_page(contents: RunContents, overview: Overview, thumbnail: Thumbnail, bundle: EmbeddedMedia) -> str:
    """Render the report.

    Parameters
    ----------
    contents : RunContents
        The media to show.
    overview : Overview
        Of all media of the run.
    thumbnail : callable of Entry to str or None
        Gives the data URI of an entry's small picture.
    bundle : Bundle
        Where the large pictures are.

    Returns
    -------
    str
        A complete HTML document that needs nothing but, in the layout `folder`, the run's own maps.
    """
    entries = gather_entries(contents)
    named = [spec for spec in contents.specs if spec.name in overview.times or not overview.times]
    summaries = [summarize_metric(spec, entries, contents.run_dir, overview) for spec in named]
    timelines = gather_timelines(contents.frames, contents.scenes)
    areas, benchmarks, rules = gather_areas(contents), gather_benchmark_ranges(contents), gather_rule_results(contents)
    found = count_categories(scan(contents.run_dir, "benchmark_ranges", COUNTED_COLUMNS), overview.times)
    counted = [(found[name], summary.about) for summary in summaries if (name := summary.spec.name) in found]
    said = _synopsis(contents, overview, entries, rules)
    environment = _environment()
    style = sources(environment, _STYLES)
    script = _script()
    return environment.get_template("page/page.html.j2").render(
        run=contents.run,
        run_name=contents.run_dir.resolve().name,
        created=_read_time(contents.run["created_at"]),
        overview=overview,
        selection=contents.selection,
        entries=entries,
        summaries=summaries,
        synopsis=said,
        check_specs=check_specs(),
        map_specs=contents.map_specs,
        thumbnail=thumbnail,
        bundle=bundle,
        rows_at_once=ROWS_AT_ONCE,
        areas=areas,
        benchmarks=benchmarks,
        tallies=counted,
        tally_of=found,
        rules=rules,
        area_topics=[about(metric) for metric in areas.metrics] if areas.counts else [],
        calibration_remark=calibration_remark(contents.run),
        without_intervals=bool(overview.times) and not overview.intervals,
        purposes=PURPOSES,
        objectives=_objectives(contents),
        data=page_data(contents.map_specs, entries, summaries, timelines, areas, benchmarks, rules, bundle, said)
        | ({"part_of": overview.media} if contents.selection else {}),
        style=Markup(style),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


@cache
def _script() -> str:
    loader = _environment().loader
    assert loader is not None
    return bundle_scripts(lambda path: loader.get_source(_environment(), path)[0], "main.js")


@cache
def _environment() -> Environment:
    """Compiled once in a process: that takes as long as a small page itself."""
    environment = page_environment()
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.globals.update(position=position, bar=_bar, colour_bar=colour_bar, partly_read=_partly_read)
    environment.globals.update(
        population_line=population_line,
        population_title=population_title,
        category_titles=CATEGORY_TITLES,
        position_words=POSITION_WORDS,
        category_place=list(CATEGORY_TITLES).index,
    )
    environment.filters["capitalise"] = lambda text: text[:1].upper() + text[1:]
    environment.filters["long_date"] = lambda time: f"{time.day} {time:%B %Y}"
    environment.filters["sentence_end"] = lambda text: text if text.endswith(".") else f"{text}."
    environment.filters["digits"] = digits
    environment.filters["short"] = lambda text: text.removesuffix(".0")
    environment.filters["pretty"] = lambda value: json.dumps(value, indent=2, ensure_ascii=False)
    environment.filters["clock"] = lambda time: f"{time:%H:%M} UTC"
    environment.filters["duration"] = duration
    return environment


def _objectives(contents: RunContents) -> Any:
    """What the media are for, as `run.json` says it; of a large run what can be read, and not of which media."""
    if contents.selection is None:
        return contents.run["objectives"]
    return distinct_objectives(contents.run)[:_OBJECTIVES]


def _read_time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def duration(seconds: float) -> str:
    """Length of a medium, as the page's script says it too.

    >>> duration(0.44), duration(59.6), duration(3725)
    ('0.4 s', '1:00', '1:02:05')
    """
    if seconds < 1:
        return f"{digits(seconds, 1)} s"
    minutes, whole = divmod(int(digits(seconds, 0)), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{whole:02d}" if minutes >= 60 else f"{minutes}:{whole:02d}"


def _partly_read(entry: MediumEntry) -> str | None:
    """Share that could be read, rounded down so that it never says all of it; None when it was all."""
    if entry.share_read is None or entry.share_read >= 1:
        return None
    return f"{int(100 * entry.share_read)} %"


def _synopsis(
    contents: RunContents, overview: Overview, entries: Sequence[MediumEntry], rules: RuleResults
) -> RunSummary:
    checks: dict[str, list[Row]] = {}
    for row in contents.checks:
        checks.setdefault(row["medium_id"], []).append(row)
    done = [entry for entry in entries if entry.done]
    purpose = {entry.medium_id: entry.purpose for entry in entries}
    suggestions: dict[str, list[Row]] = {}
    for row in sorted(contents.suggestions, key=lambda row: row["rank"]):
        if row["purpose"] == purpose.get(row["medium_id"]):
            suggestions.setdefault(row["medium_id"], []).append(row)
    purposes = any(objective.get("purpose") for objective in distinct_objectives(contents.run))
    found = ReportInputs(done, checks, suggestions, rules, overview, purposes)
    shown = [entry.medium_id for entry in done if entry.medium_id]
    return summarize_run(found, read_verdicts(contents.run_dir, overview, shown))


def _bar(score: Score, spec: MetricSpec) -> str:
    """Places of value and interval on the bar, as CSS variables."""
    assert score.value is not None
    lo = score.value if score.lo is None else score.lo
    hi = score.value if score.hi is None else score.hi
    return f"--v:{position(score.value, spec)}%;--lo:{position(lo, spec)}%;--hi:{position(hi, spec)}%"
