"""Collect what one page of the PDF or one slide says about a medium, as text that is ready to be set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mediaan.metrics.guide import HEADLINE_SCORES, PURPOSES, SUBSTITUTES
from mediaan.report.data.benchmark_ranges import (
    BENCHMARK_NOUNS,
    BenchmarkRanges,
    gather_benchmark_ranges,
    segment_words,
)
from mediaan.report.data.contents import Row, RunContents
from mediaan.report.data.entries import MediumEntry, gather_entries
from mediaan.report.data.overview import Overview
from mediaan.report.data.rules import RuleResults, gather_rule_results
from mediaan.report.detail.areas import gather_areas
from mediaan.report.detail.remarks import calibration_remark
from mediaan.report.detail.timeline import gather_timelines
from mediaan.report.formatting import digits, duration
from mediaan.report.sheets.film_sheet import FilmSheet, gather_films
from mediaan.report.sheets.sheet_area import SheetArea, sheet_area
from mediaan.report.summary.medium import LEADS, MediumSummary
from mediaan.report.summary.metric import ReportMetric, summarize_metric
from mediaan.report.summary.run import RunSummary, summarize_contents
from mediaan.report.web.words import WORDS
from mediaan.run.objectives import objective_of
from mediaan.types.checks import CheckStatus, Verdict
from mediaan.types.media import Purpose

STATUS_MARKS: Mapping[CheckStatus, tuple[str, str]] = {
    "failed": ("✕", "Fails"),
    "close": ("~", "Too close to call"),
    "unknown": ("?", "Unknown"),
    "passed": ("✓", "Passes"),
}
"""Symbol and word of each outcome of a check, in the order in which they are shown: never by colour alone."""
VERDICT_MARKS = WORDS["verdict_signs"]

_PREDICTED = (
    "All numbers are predictions by a model trained on eye tracking: nobody has looked at these files. Use them to "
    "compare versions and to find weak spots early, and test what matters with people."
)


@dataclass(frozen=True, slots=True)
class SheetCheck:
    """One check, or one of the user's rules, of a medium."""

    status: CheckStatus
    title: str  # the requirement
    text: str  # what was found
    required: bool  # by the purpose, or by the user
    todo: str | None  # what would mend or settle it
    sure: bool = True  # False for an outcome that is likely, not certain

    @property
    def mark(self) -> str:
        """Symbol of the outcome."""
        return STATUS_MARKS[self.status][0]

    @property
    def word(self) -> str:
        """Word of the outcome, with how certain it is."""
        word = STATUS_MARKS[self.status][1]
        return word if self.sure else f"Likely {word.lower()}"


@dataclass(frozen=True, slots=True)
class SheetScore:
    """One score of a medium, in words."""

    name: str
    title: str
    value: str
    interval: str  # the 90 % interval, such as 52–76; empty without one
    standing: str  # where it stands in the benchmark, or in the run; empty where neither is known
    basis: str  # measured, learned or proxy
    definition: str
    reason: str | None  # why there is no value


@dataclass(frozen=True, slots=True)
class MediumSheet:
    """Everything that is said about one medium."""

    entry: MediumEntry
    verdict: Verdict
    lead: str  # the verdict's name for people
    sentence: str  # what the verdict rests on
    purpose: str
    brand: str
    platform: str
    facts: str  # purpose, brand, platform, kind and size
    checks: Sequence[SheetCheck]  # failed ones first; rules of the user come before checks
    to_try: Sequence[str]
    scores: Sequence[SheetScore]
    headline: Sequence[str]  # names of the scores that matter for the purpose
    areas: Sequence[SheetArea]
    notes: Sequence[str]  # what was noticed about the file
    film: FilmSheet | None = None  # of a video

    @property
    def mark(self) -> str:
        """Symbol of the verdict."""
        return VERDICT_MARKS[self.verdict]

    @property
    def headline_scores(self) -> list[SheetScore]:
        """Scores that matter for the purpose."""
        return [score for score in self.scores if score.name in self.headline]

    @property
    def tips(self) -> list[str]:
        """Suggestions, without those that stand beside a failed check."""
        beside = {check.todo for check in self.checks if check.status == "failed"}
        return [tip for tip in self.to_try if tip not in beside]

    def count(self, status: CheckStatus) -> int:
        """Count checks by outcome."""
        return sum(check.status == status for check in self.checks)


@dataclass(frozen=True, slots=True)
class ReportSheets:
    """The sheets of a run, the best medium first, with what is said of all of them."""

    name: str  # of the run
    created: str  # day on which the run was made
    headline: str
    overview: Overview
    # media of the whole run by verdict, with its name for people; none that does not occur
    verdicts: Sequence[tuple[Verdict, str, int]]
    recurring: Sequence[tuple[str, int]]  # what several media fail, and how many
    cautions: Sequence[str]
    models: str  # versions and hashes, for the record
    sheets: Sequence[MediumSheet]
    failed: Sequence[MediumEntry]
    left_out: int  # media of the run that have no sheet because there are too many


def gather_sheets(contents: RunContents, overview: Overview) -> ReportSheets:
    """Collect the sheets of a run.

    Parameters
    ----------
    contents : RunContents
        Of the media that get a sheet.
    overview : Overview
        Of all media of the run.
    """
    entries = gather_entries(contents)
    rules, benchmarks = gather_rule_results(contents), gather_benchmark_ranges(contents)
    summary = summarize_contents(contents, overview, entries, rules)
    metrics = [
        summarize_metric(spec, entries, contents.run_dir, overview)
        for spec in contents.specs
        if spec.name in overview.times
    ]
    areas, timelines = gather_areas(contents), gather_timelines(contents.frames, contents.scenes)
    checks: dict[str, list[Row]] = {}
    for row in contents.checks:
        checks.setdefault(row["medium_id"], []).append(row)
    films = gather_films(contents, areas, timelines)
    sheets = []
    for index, entry in enumerate(entries):
        if not entry.done or entry.medium_id is None:
            continue
        sheets.append(
            _medium_sheet(
                entry,
                objective_of(contents.run, entry.paths[0]),
                summary.media[entry.medium_id],
                _checks(checks.get(entry.medium_id, ()), rules, entry),
                [_score(metric, index, entry, benchmarks) for metric in metrics if metric.spec.name in entry.scores],
                [sheet_area(area, number) for number, area in enumerate(areas.of.get(entry.medium_id, ()), 1)],
                films.get(entry.medium_id),
            )
        )
    sheets.sort(key=lambda sheet: _best_first(sheet, summary))
    created = datetime.fromisoformat(contents.run["created_at"]).astimezone(UTC)
    return ReportSheets(
        name=contents.run_dir.resolve().name,
        created=f"{created.day} {created:%B %Y}",
        headline=summary.headline,
        overview=overview,
        verdicts=[(verdict, LEADS[verdict], n) for verdict in LEADS if (n := summary.verdicts.counts.get(verdict, 0))],
        recurring=[(problem.reason.short, problem.media) for problem in summary.problems],
        cautions=list(_cautions(contents, overview, summary)),
        models=_models_line(contents.run),
        sheets=sheets,
        failed=[entry for entry in entries if not entry.done],
        left_out=overview.media - len(entries),
    )


_VERDICT_ORDER: tuple[Verdict, ...] = ("works", "open", "attention", "unknown")


def _best_first(sheet: MediumSheet, summary: RunSummary) -> tuple[int, ...]:
    """Sort what works first, the best before the others; what needs attention follows, the worst last."""
    counts = summary.verdicts.of.get(sheet.entry.medium_id or "")
    if counts is None:
        return (_VERDICT_ORDER.index(sheet.verdict),)
    if sheet.verdict == "attention":
        return (_VERDICT_ORDER.index(sheet.verdict), *(-count for count in counts.worst_first))
    return (_VERDICT_ORDER.index(sheet.verdict), *counts.best_first)


def _medium_sheet(
    entry: MediumEntry,
    objective: Mapping[str, Any],
    summary: MediumSummary,
    checks: Sequence[SheetCheck],
    scores: Sequence[SheetScore],
    areas: Sequence[SheetArea],
    film: FilmSheet | None,
) -> MediumSheet:
    brand = objective.get("brand")
    brand_name = str(brand.get("name", "")) if isinstance(brand, Mapping) else str(brand or "")
    purpose = PURPOSES.get(entry.purpose or "", "")
    platform = str(objective.get("platform") or "").replace("_", " ")
    facts = [
        f"for {purpose}" if purpose else "no purpose stated",
        f"brand: {brand_name}" if brand_name else "",
        platform and f"platform: {platform}",
        entry.kind or "",
        "" if entry.duration_s is None else duration(entry.duration_s),
        "" if entry.width is None else f"{entry.width} × {entry.height} px",
    ]
    known_purpose: Purpose | None = entry.purpose if entry.purpose in HEADLINE_SCORES else None  # type: ignore[assignment]
    headline = HEADLINE_SCORES[known_purpose]
    present = {score.name for score in scores}
    notes = [note.message for note in entry.notes]
    if entry.unlike_training:
        notes.insert(0, "Unusual: unlike the images the model learned from. Treat its scores with caution.")
    if entry.brand_missing:
        notes.insert(0, entry.brand_missing)
    lead, _, rest = summary.sentence.partition(": ")
    return MediumSheet(
        entry=entry,
        verdict=summary.verdict,
        lead=lead,
        sentence=f"{rest[:1].upper()}{rest[1:]}",
        purpose=purpose,
        brand=brand_name,
        platform=platform,
        facts=" · ".join(fact for fact in facts if fact),
        checks=checks,
        to_try=summary.to_try,
        scores=scores,
        headline=[name if name in present else SUBSTITUTES.get(name, name) for name in headline],
        areas=areas,
        notes=notes,
        film=film,
    )


def _checks(checks: Sequence[Row], rules: RuleResults, entry: MediumEntry) -> list[SheetCheck]:
    """Join rules that were not passed with all checks, failed ones first, what is required before the rest."""
    statuses: Mapping[str, CheckStatus] = {"failed": "failed", "skipped": "unknown"}
    sheet_checks = [
        SheetCheck(
            statuses[row["status"]],
            f"Rule: {row['name']}",
            row["message"],
            row["severity"] == "error",
            None,
            row["status"] == "skipped" or row["sure"] is not False,
        )
        for row in rules.of.get(entry.medium_id or entry.paths[0], [])
        if row["status"] in statuses
    ]
    sheet_checks += [
        SheetCheck(
            row["status"], row["title"], row["text"], row["required"], row["todo"] or row["settle"], _is_sure(row)
        )
        for row in checks
    ]
    order = list(STATUS_MARKS)
    return sorted(sheet_checks, key=lambda check: (order.index(check.status), not check.required))


def _is_sure(check: Row) -> bool:
    """Tell whether a check that was decided is certain."""
    return check["status"] not in ("passed", "failed") or check["sure"] is not False


def _score(metric: ReportMetric, index: int, entry: MediumEntry, benchmarks: BenchmarkRanges) -> SheetScore:
    score = entry.scores[metric.spec.name]
    is_count = metric.spec.unit == "count" and score.value is not None and score.value == int(score.value)
    decimals = 0 if is_count else metric.decimals
    unit = {"score": "", "count": "", "ratio": ""}.get(metric.spec.unit, f" {metric.spec.unit}")
    value = "–" if score.value is None else digits(score.value, decimals) + unit
    interval = ""
    if score.lo is not None and score.hi is not None:
        interval = f"{digits(score.lo, decimals)}–{digits(score.hi, decimals)}"
    standing, of_run = "", metric.standings[index]
    if score.value is not None and (row := benchmarks.of_score(entry.medium_id, metric.spec.name, score.time)):
        standing = _standing_words(row, metric.about.aim(entry.purpose).direction)
    elif of_run and of_run.of > 1:
        standing = f"rank {of_run.rank} of {of_run.of} in this run"
    return SheetScore(
        metric.spec.name,
        metric.spec.title,
        value,
        interval,
        standing,
        score.basis,
        metric.spec.caption,
        score.reason if score.value is None else None,
    )


def _standing_words(row: Row, direction: str) -> str:
    """Say where a score stands in its benchmark.

    Examples
    --------
    >>> row = {"percentile": 76.9, "n": 195, "norm_set": "ads", "segment": "all"}
    >>> _standing_words(row, "higher"), _standing_words(row | {"percentile": 0.2}, "lower")
    ('beats 76 % of 195 ads', 'higher than under 1 % of 195 ads')
    """
    share = "under 1 %" if row["percentile"] < 1 else f"{int(row['percentile'])} %"
    population = BENCHMARK_NOUNS.get(row["norm_set"], "in the benchmark")
    part = "" if row["segment"] == "all" else f" ({segment_words(row['segment'])})"
    return f"{'beats' if direction == 'higher' else 'higher than'} {share} of {row['n']:,} {population}{part}"


def _cautions(contents: RunContents, overview: Overview, summary: RunSummary) -> Sequence[str]:
    """List what must be known of the whole run, the most important first."""
    lines = [_PREDICTED]
    lines += [
        f"Model {model['name']} has no weights: it is a baseline that does not look at the images."
        for model in contents.run["models"]
        if not model["sha256"]
    ]
    if remark := calibration_remark(contents.run):
        lines.append(remark)
    if contents.selection:
        count = len({row["medium_id"] or row["path"] for row in contents.media})
        lines.append(f"Shown are {count:,} of {overview.media:,} files: {'; '.join(contents.selection.reasons)}.")
    if overview.failed:
        lines.append(f"{overview.failed:,} of {overview.media:,} files could not be analyzed.")
    if overview.unlike:
        lines.append(f"{overview.unlike:,} of {overview.done:,} are unusual: unlike the images the model learned from.")
    return [*lines, *summary.lines]


def _models_line(run: Mapping[str, Any]) -> str:
    models = ", ".join(
        f"{model['name']} ({model['sha256'][:12] if model['sha256'] else 'no weights'})" for model in run["models"]
    )
    return f"mediaan {run['mediaan']}, recipe {run.get('recipe_id') or '–'}, models: {models}"
