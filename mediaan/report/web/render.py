"""Render the contents of a run as the text of the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from mediaan.config.aoi_formats.record import LONGEST_LABEL
from mediaan.judge.checks import check_specs
from mediaan.metrics.guide import GRADES_TEXT, PURPOSES
from mediaan.report.data.benchmark_counts import COUNTED_COLUMNS, count_categories, population_line, population_title
from mediaan.report.data.benchmark_ranges import CATEGORY_TITLES, POSITION_WORDS, count_usage
from mediaan.report.data.entries import MediumEntry, RunContents
from mediaan.report.data.overview import Overview
from mediaan.report.data.rules import count_rules
from mediaan.report.data.scan import scan
from mediaan.report.detail.areas import count_area_types
from mediaan.report.detail.remarks import calibration_remark
from mediaan.report.formatting import digits, duration, position
from mediaan.report.heading import Heading
from mediaan.report.sheets.placement import AREA_COLOURS
from mediaan.report.summary.metric import MetricDescription, summarize_metric
from mediaan.report.summary.run import Noun, summarize_contents
from mediaan.report.web.environment import area_type_rules, curve_rules, page_environment, script_hash, sources
from mediaan.report.web.images import EmbeddedMedia
from mediaan.report.web.legends import colour_bar
from mediaan.report.web.print_page import film_papers
from mediaan.report.web.script_data import ROWS_AT_ONCE, page_data
from mediaan.report.web.words import WORDS
from mediaan.run.metadata import distinct_objectives

_STYLES = (
    *("core/page.css", "overview/sections.css", "overview/summary.css", "overview/overview.css"),
    *("gallery/gallery.css", "compare/side_by_side.css", "detail/detail.css", "viewer/viewer.css", "viewer/folds.css"),
    *("detail/medium_summary.css", "scores/drivers.css", "player/player.css", "areas/areas.css", "looks/looks.css"),
    *("placements/placements.css", "scores/benchmarks.css", "scores/rules.css", "editor/editor.css", "print/print.css"),
    *("answers/review.css", "answers/answers.css"),
    *("print/film.css", "print/film_paper.css"),
)
_MAX_OBJECTIVES = 50  # of a large run

Thumbnail = Callable[[MediumEntry], str | None]


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


def render_page(
    contents: RunContents,
    overview: Overview,
    thumbnail: Thumbnail,
    embedded: EmbeddedMedia,
    served: ServedPage | None = None,
    heading: Heading | None = None,
) -> str:
    """Render the report.

    `contents`: the media to show.
    `overview`: of all media of the run.
    `thumbnail`: gives the data URI of an entry's small image.
    `embedded`: where the large images are.
    `served`: of the server that shows the page, if one does.
    Returns: a complete HTML document that needs nothing but, in the layout `folder`, the run's own maps.
    """
    entries, run = contents.entries, contents.facts
    heading = heading or Heading()
    specs = [spec for spec in contents.specs if spec.name in overview.times or not overview.times]
    metrics = [summarize_metric(spec, entries, contents.run_dir, overview) for spec in specs]
    benchmarks = count_usage(contents.run_dir, run.get("benchmark") or {})
    rules, area_counts = count_rules(contents.run_dir, run.get("rules")), count_area_types(contents.run_dir)
    summary = summarize_contents(contents, overview)
    counts_of = count_categories(scan(contents.run_dir, "benchmark_ranges", COUNTED_COLUMNS), overview.times)
    data = page_data(contents, metrics, benchmarks.titles, rules, embedded, summary)
    if contents.selection:
        data["part_of"] = overview.media
    objectives = run["objectives"]
    if contents.selection:  # as many as can be read, and not of which media
        objectives = distinct_objectives(run)[:_MAX_OBJECTIVES]
    style, script = _assets()
    return (
        _environment()
        .get_template("page/page.html.j2")
        .render(
            run=run,
            run_name=heading.title or contents.run_dir.resolve().name,
            heading=heading,
            created=datetime.fromisoformat(run["created_at"]).astimezone(UTC),
            served=served,
            overview=overview,
            selection=contents.selection,
            entries=entries,
            summaries=metrics,
            run_summary=summary,
            noun=summary.noun,
            images=Noun("image", "images"),
            videos=Noun("video", "videos"),
            has_verdicts=summary.verdicts.known > 0,
            has_brands=any(entry.brand for entry in entries),
            has_purposes=any(entry.purpose for entry in entries),
            check_specs=check_specs(),
            map_specs=contents.map_specs,
            thumbnail=thumbnail,
            film_papers=film_papers(entries),
            area_colours=AREA_COLOURS,
            embedded=embedded,
            rows_at_once=ROWS_AT_ONCE,
            area_counts=area_counts,
            benchmarks=benchmarks,
            category_counts=[
                (counts_of[name], metric.spec) for metric in metrics if (name := metric.spec.name) in counts_of
            ],
            counts_of=counts_of,
            rules=rules,
            area_topics=[MetricDescription.of(spec) for spec in contents.area_specs] if area_counts else [],
            calibration_remark=calibration_remark(run),
            purposes=PURPOSES,
            objectives=objectives,
            data=data,
            style=Markup(style),
            script=Markup(script),
            script_hash=script_hash(script),
        )
    )


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
    environment.globals.update(position=position, colour_bar=colour_bar, partly_read=_partly_read)
    environment.globals.update(
        population_line=population_line,
        population_title=population_title,
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
