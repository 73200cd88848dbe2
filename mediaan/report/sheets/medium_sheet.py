"""Collect what one page of the PDF or one slide says about a medium, as text that is ready to be set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mediaan.judge.checks import place_words
from mediaan.metrics import METRICS
from mediaan.metrics.guide import HEADLINE_SCORES, PURPOSES, SUBSTITUTES, agreement, agreements
from mediaan.report.benchmarks import BENCHMARK_NOUNS, segment_words
from mediaan.report.counts import Overview
from mediaan.report.entries import MediumEntry, RunContents
from mediaan.report.formatting import WORDS, digits, duration
from mediaan.report.heading import Heading
from mediaan.report.medium_summary import LEADS, MediumSummary, Reason
from mediaan.report.metric_summary import ReportMetric, summarize_metrics
from mediaan.report.run_summary import Noun, RunSummary, calibration_remark, summarize_contents
from mediaan.report.sheets.film_sheet import FilmSheet, film_sheet
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.checks import CheckStatus, Verdict
from mediaan.types.placement import platform_title
from mediaan.types.result import Result

VERDICT_MARKS = WORDS["verdict_signs"]

_PREDICTED = (
    "All numbers are predictions by a model trained on eye tracking: nobody has looked at these files. Use them to "
    "compare versions and to find weak spots early, and test what matters with people."
)


@dataclass(frozen=True, slots=True)
class SheetScore:
    """One score of a medium, in words."""

    name: str
    title: str
    value: str  # with how far it moves, such as 44 ± 12, where that is known
    standing: str  # where it stands in the benchmark, or in the run; empty where neither is known
    agreement: str  # how well it agrees with people on media like this one; empty for a video
    definition: str
    reason: str | None  # why there is no value


@dataclass(frozen=True, slots=True)
class MediumSheet:
    """Everything that is said about one medium."""

    entry: MediumEntry
    summary: MediumSummary
    purpose: str
    platform: str
    facts: str
    """Purpose, brand, platform, kind and size."""
    scores: Sequence[SheetScore]
    headline: Sequence[str]
    """Names of the scores that matter for the purpose."""
    notes: Sequence[str]
    """What was noticed about the file."""
    film: FilmSheet | None
    """Of a video."""

    @property
    def verdict(self) -> Verdict:
        """Of its checks and rules."""
        return self.summary.verdict

    @property
    def mark(self) -> str:
        """Symbol of the verdict."""
        return VERDICT_MARKS[self.verdict]

    @property
    def lead(self) -> str:
        """The verdict's name for people."""
        return LEADS[self.verdict]

    @property
    def sentence(self) -> str:
        """What the verdict rests on."""
        basis = self.summary.sentence.removeprefix(f"{self.lead}: ")
        return f"{basis[:1].upper()}{basis[1:]}"

    @property
    def checks(self) -> Sequence[Reason]:
        """Checks, and rules that were not passed: failed ones first, and rules of the user before checks."""
        return self.summary.worst_first

    @property
    def agreement(self) -> str:
        """How well its scores agree with people on media like it, the best grade first."""
        result = self.entry.result
        if result is None or result.moves:
            return "How well scores of videos agree with people was not measured."
        by_grade: dict[str, list[str]] = {}
        for score in self.scores:
            metric = METRICS.get(score.name)
            if metric and metric.part_of is None and not metric.is_counted:
                agreed = agreement(score.name, result.domain)
                by_grade.setdefault(agreed.grade if agreed else "not compared", []).append(score.title.lower())
        parts = [f"{grade}: {', '.join(titles)}" for grade, titles in sorted(by_grade.items())]
        return f"Agreement with people on such images, from A to D: {'; '.join(parts)}."

    @property
    def headline_scores(self) -> list[SheetScore]:
        """Scores that matter for the purpose."""
        return [score for score in self.scores if score.name in self.headline]

    @property
    def tips(self) -> list[str]:
        """Suggestions, without those that stand beside a failed check."""
        beside = {check.todo for check in self.checks if check.status == "failed"}
        return [tip for tip in self.summary.to_try if tip not in beside]

    def count(self, status: CheckStatus) -> int:
        """Count checks by outcome."""
        return sum(check.status == status for check in self.checks)


@dataclass(frozen=True, slots=True)
class ReportSheets:
    """The sheets of a run, the best medium first, with what is said of all of them."""

    name: str  # of the run, or its title
    heading: Heading
    created: str  # day on which the run was made
    noun: Noun
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


def gather_sheets(contents: RunContents, heading: Heading) -> ReportSheets:
    """Collect the sheets of a run, of the media that its contents hold."""
    entries, facts, overview = contents.entries, contents.run.facts, contents.overview
    summary, metrics = summarize_contents(contents), summarize_metrics(contents)
    sheets = [
        _medium_sheet(
            entry,
            summary.media[entry.medium_id or ""],
            [_score(metric, index, entry) for metric in metrics if metric.spec.name in entry.scores],
        )
        for index, entry in enumerate(entries)
        if entry.done
    ]
    sheets.sort(key=_best_first)
    created = datetime.fromisoformat(facts["created_at"]).astimezone(UTC)
    return ReportSheets(
        name=heading.title or contents.run.path.resolve().name,
        heading=heading,
        created=f"{created.day} {created:%B %Y}",
        noun=summary.noun,
        headline=summary.headline,
        overview=overview,
        verdicts=[(verdict, LEADS[verdict], n) for verdict in LEADS if (n := summary.verdicts.counts.get(verdict, 0))],
        recurring=[(reason.short, media) for reason, media in summary.problems],
        cautions=list(_cautions(contents, summary)),
        models=_models_line(facts),
        sheets=sheets,
        failed=[entry for entry in entries if not entry.done],
        left_out=overview.media - len(entries),
    )


_VERDICT_ORDER: tuple[Verdict, ...] = ("works", "open", "attention", "unknown")


def _best_first(sheet: MediumSheet) -> tuple[int, ...]:
    """Sort what works first, the best before the others; what needs attention follows, the worst last."""
    counts = sheet.entry.check_counts
    within = tuple(-n for n in counts.worst_first) if sheet.verdict == "attention" else counts.best_first
    return (_VERDICT_ORDER.index(sheet.verdict), *within)


def _medium_sheet(entry: MediumEntry, summary: MediumSummary, scores: Sequence[SheetScore]) -> MediumSheet:
    assert entry.result is not None
    medium = entry.result.medium
    purpose = PURPOSES.get(entry.purpose or "", "")
    stated = entry.objective.get("platform")
    platform = platform_title(stated) if stated else ""
    facts = [
        ", ".join(filter(None, (entry.brand, entry.brand_attention))) if entry.brand else "",
        purpose.capitalize() or "No purpose stated",
        platform or f"taken as seen {place_words(entry.result.platform, assumed=True)}",
        entry.kind or "",
        "" if medium.duration_s is None else duration(medium.duration_s),
        f"{medium.width} × {medium.height} px",
    ]
    headline = {str(purpose): names for purpose, names in HEADLINE_SCORES.items()}.get(
        str(entry.purpose), HEADLINE_SCORES[None]
    )
    present = {score.name for score in scores}
    notes = [note.message for note in entry.notes]
    if entry.unlike_training:
        notes.insert(0, "Unusual: unlike the images the model learned from. Treat its scores with caution.")
    if entry.brand_missing:
        notes.insert(0, entry.brand_missing)
    film = None
    if entry.film and entry.timeline:
        film = film_sheet(entry.film, entry.timeline, entry.tracks, entry.film_scores)
    return MediumSheet(
        entry=entry,
        summary=summary,
        purpose=purpose,
        platform=platform,
        facts=" · ".join(fact for fact in facts if fact),
        scores=scores,
        headline=[name if name in present else SUBSTITUTES.get(name, name) for name in headline],
        notes=notes,
        film=film,
    )


def _score(metric: ReportMetric, index: int, entry: MediumEntry) -> SheetScore:
    score = entry.scores[metric.spec.name]
    is_count = metric.spec.unit == "count" and score.value is not None and score.value == int(score.value)
    decimals = 0 if is_count else metric.decimals
    unit = {"score": "", "count": "", "ratio": ""}.get(metric.spec.unit, f" {metric.spec.unit}")
    value = "–" if score.value is None else digits(score.value, decimals)
    moves = entry.plus_minus(score, decimals)
    value = f"{value} {moves}".rstrip() + (unit if score.value is not None else "")
    standing, of_run = "", metric.standings[index]
    if score.value is not None and (row := entry.range_of(score)):
        standing = _standing_words(row, metric.aim(entry.purpose).direction)
    elif of_run and of_run.of > 1:
        standing = f"rank {of_run.rank} of {of_run.of} in this run"
    return SheetScore(
        metric.spec.name,
        metric.spec.title,
        value,
        standing,
        agreement_words(metric.spec.name, entry.result),
        metric.spec.caption,
        score.reason if score.value is None else None,
    )


def agreement_words(metric: str, result: Result | None) -> str:
    """Say how well a score agrees with people on media like this one, as the page's script does."""
    if result is None or result.moves:
        return ""
    if grade := agreement(metric, result.domain):
        return f"Agreement with people: {grade.text}."
    kind = "" if not agreements(metric) else f" on {f'{result.domain}s' if result.domain else 'such images'}"
    return f"It was not compared with people{kind}."


def _standing_words(row: BenchmarkRange, direction: str) -> str:
    """Say where a score stands in its benchmark.

    >>> facts = {"medium_id": "m", "aoi_id": None, "aoi_type": None, "metric": "focus", "metric_time": "total"}
    >>> of_ads = {"value": 60.0, "norm_set": "ads", "n": 195}
    >>> _standing_words(BenchmarkRange(**facts, **of_ads, percentile=76.9), "higher")
    'beats 76 % of 195 ads'
    >>> _standing_words(BenchmarkRange(**facts, **of_ads, percentile=0.2), "lower")
    'higher than under 1 % of 195 ads'
    """
    percentile = row.percentile or 0.0
    share = "under 1 %" if percentile < 1 else f"{int(percentile)} %"
    population = BENCHMARK_NOUNS.get(row.norm_set, "in the benchmark")
    part = "" if row.segment == "all" else f" ({segment_words(row.segment)})"
    return f"{'beats' if direction == 'higher' else 'higher than'} {share} of {row.n:,} {population}{part}"


def _cautions(contents: RunContents, summary: RunSummary) -> Sequence[str]:
    """List what must be known of the whole run, the most important first."""
    facts, overview = contents.run.facts, contents.overview
    lines = [_PREDICTED]
    lines += [
        f"Model {model['name']} has no weights: it is a baseline that does not look at the images."
        for model in facts["models"]
        if not model["sha256"]
    ]
    if remark := calibration_remark(facts):
        lines.append(remark)
    if contents.selection:
        lines.append(
            f"Shown are {len(contents.entries):,} of {overview.media:,} files: {'; '.join(contents.selection.reasons)}."
        )
    if overview.failed:
        lines.append(f"{overview.failed:,} of {overview.media:,} files could not be analyzed.")
    if overview.unlike:
        is_unusual = "is unusual" if overview.unlike == 1 else "are unusual"
        unlike = "unlike the images the model learned from"
        lines.append(f"{overview.unlike:,} of {overview.done:,} {is_unusual}: {unlike}.")
    return [*lines, *summary.advertisers, *summary.lines]


def _models_line(run: Mapping[str, Any]) -> str:
    models = ", ".join(
        f"{model['name']} ({model['sha256'][:12] if model['sha256'] else 'no weights'})" for model in run["models"]
    )
    return f"mediaan {run['mediaan']}, recipe {run.get('recipe_id') or '–'}, models: {models}"
