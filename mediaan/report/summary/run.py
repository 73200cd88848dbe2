"""Summarize a run: which ads work, which do not, the problems that they share, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.brand.campaign import proposal_sentences
from mediaan.judge.verdict import COUNT_NAMES, CheckCounts
from mediaan.report.data.overview import Overview
from mediaan.report.data.scan import scan
from mediaan.report.summary.medium import MediumSummary, Reason, Reasons, summarize_medium
from mediaan.run.metadata import distinct_objectives
from mediaan.types.checks import CHECK_STATUSES, Verdict

if TYPE_CHECKING:
    from mediaan.report.data.entries import MediumEntry, RunContents


@dataclass(frozen=True)
class RunVerdicts:
    """Verdicts of all media of a run."""

    counts: Mapping[Verdict, int]
    """Mapping of Verdict to int."""
    sums: CheckCounts
    failing: int = 0
    """Media that fail a rule."""
    failed: Mapping[str, int] | None = None
    """Mapping of str to int. By check, media that fail it."""

    @property
    def known(self) -> int:
        """Media with a verdict."""
        return sum(n for verdict, n in self.counts.items() if verdict != "unknown")


def read_verdicts(run_dir: Path, overview: Overview) -> RunVerdicts:
    """Judge all media of a run, in memory that grows by some 100 bytes a medium.

    `overview`: of all media.
    """
    of_media, failed = _count_checks(run_dir)
    counts: Counter[Verdict] = Counter()
    equal = of_media.group_by(list(COUNT_NAMES), use_threads=False).aggregate([([], "count_all")])
    for row in equal.to_pylist():
        media = row.pop("count_all")
        counts[CheckCounts(**row).verdict] += media
    counts["unknown"] += max(overview.done - counts.total(), 0)
    sums = CheckCounts(**{name: pc.sum(of_media[name]).as_py() or 0 for name in COUNT_NAMES})
    failing = pc.sum(pc.greater(of_media["rules_failed"], 0)).as_py() or 0
    return RunVerdicts(counts, sums, failing, failed)


_SCHEMA = pa.schema([("medium_id", pa.string()), *((name, pa.int32()) for name in COUNT_NAMES)])


def _count_checks(run_dir: Path) -> tuple[pa.Table, Counter[str]]:
    """Return a row for each medium that was checked or fails a rule, and media by check that they fail."""
    parts = [_SCHEMA.empty_table()]
    failed: Counter[str] = Counter()
    for batch in scan(run_dir, "checks", ("medium_id", "name", "required", "status")):
        columns = {"medium_id": batch["medium_id"]}
        for name in COUNT_NAMES:
            required, status = name.startswith("required_"), name.removeprefix("required_")
            if status in CHECK_STATUSES:
                is_required = pc.equal(batch["required"], required)
                columns[name] = pc.and_(is_required, pc.equal(batch["status"], status)).cast(pa.int32())
            else:
                columns[name] = pa.array([0] * len(batch), pa.int32())
        parts.append(_sum_by_medium(pa.table(columns)))
        names = batch.filter(pc.equal(batch["status"], "failed"))["name"]
        failed.update({count["values"]: count["counts"] for count in pc.value_counts(names).to_pylist()})
    return _sum_by_medium(pa.concat_tables([*parts, _count_failed_rules(run_dir)])), failed


def _sum_by_medium(rows: pa.Table) -> pa.Table:
    summed = rows.group_by("medium_id", use_threads=False).aggregate([(name, "sum") for name in COUNT_NAMES])
    columns = [summed["medium_id"], *(summed[f"{name}_sum"].cast(pa.int32()) for name in COUNT_NAMES)]
    return pa.table(columns, schema=_SCHEMA)


_RULES = ["medium_id", "rule", "name"]


def _count_failed_rules(run_dir: Path) -> pa.Table:
    """Count the rules that each medium fails, those that several copies of a file fail once."""
    schema = pa.schema([(name, pa.string()) for name in _RULES])
    parts = [schema.empty_table()]
    for batch in scan(run_dir, "rule_results", (*_RULES, "severity", "status")):
        is_error = pc.and_(pc.equal(batch["status"], "failed"), pc.equal(batch["severity"], "error"))
        errors = batch.filter(pc.and_(is_error, pc.is_valid(batch["medium_id"])))
        parts.append(pa.table(errors.select(_RULES)).cast(schema))
    failed = pa.concat_tables(parts).group_by(_RULES, use_threads=False).aggregate([])
    counts = failed.group_by("medium_id", use_threads=False).aggregate([([], "count_all")])
    zeros = pa.chunked_array([pa.array([0] * counts.num_rows, pa.int32())])
    columns = dict.fromkeys(COUNT_NAMES, zeros) | {"rules_failed": counts["count_all"].cast(pa.int32())}
    return pa.table({"medium_id": counts["medium_id"]} | columns, schema=_SCHEMA)


class Noun(NamedTuple):
    """What the page calls the files of the run."""

    singular: str
    plural: str

    def counted(self, n: int) -> str:
        """Return a count with its noun.

        >>> Noun("ad", "ads").counted(1), Noun("ad", "ads").counted(2500)
        ('1 ad', '2,500 ads')
        """
        return f"{n:,} {self.singular if n == 1 else self.plural}"


ADS, FILES = Noun("ad", "ads"), Noun("file", "files")


@dataclass(frozen=True, slots=True)
class HeadlineInputs:
    """Verdicts and facts that the headline is made from."""

    verdicts: RunVerdicts
    media: Sequence[tuple[str, MediumSummary]]
    """Names and summaries of the media that are shown."""
    done: int
    """Media of the run that were analyzed."""
    purposes: bool
    """False where no medium's purpose was stated."""
    noun: Noun = FILES


_VERDICT_OF_ONE = {"works": "works", "open": "is undecided", "attention": "needs attention"}


def headline(inputs: HeadlineInputs) -> str:
    """Return the counts of all verdicts in one sentence; of a single medium its verdict and the first reason."""
    verdicts, noun = inputs.verdicts, inputs.noun
    if not inputs.done:
        return "No file could be analyzed."
    if not verdicts.known:
        return "No verdicts: nothing could be checked."
    if verdicts.known == 1:
        checked = ((name, summary) for name, summary in inputs.media if summary.verdict != "unknown")
        name, summary = next(checked, ("", None))
        if summary is None:
            return f"One {noun.singular} was checked; it is not on this page."
        reasons = {"attention": summary.reasons.against, "open": summary.reasons.undecided}.get(summary.verdict, ())
        why = f": {reasons[0].text.rstrip('.')}" if reasons else ""
        return f"{f'This {noun.singular}' if inputs.done == 1 else name} {_VERDICT_OF_ONE[summary.verdict]}{why}."
    works, weak, undecided = (verdicts.counts[verdict] for verdict in ("works", "attention", "open"))
    if works == inputs.done:
        return f"All {noun.counted(works)} work."
    parts = [f"{f'{works:,}' if works else 'None'} of {noun.counted(inputs.done)} {'works' if works < 2 else 'work'}"]
    if weak:
        parts.append(f"{weak:,} {'needs' if weak == 1 else 'need'} attention")
    if undecided:
        parts.append(f"{undecided:,} {'is' if undecided == 1 else 'are'} undecided")
    if unknown := verdicts.counts["unknown"]:
        parts.append(f"{unknown:,} could not be checked")
    return f"{', '.join(parts)}."


def certainty_sentences(inputs: HeadlineInputs) -> Iterator[str]:
    """Say how sure the verdicts are, a sentence each."""
    verdicts, sums, noun = inputs.verdicts, inputs.verdicts.sums, inputs.noun
    passed, failed = sums.required_passed + sums.passed, sums.required_failed + sums.failed
    close, unknown = sums.required_close + sums.close, sums.required_unknown + sums.unknown
    if checked := passed + failed + close + unknown:
        is_close, is_unknown = ("is" if n == 1 else "are" for n in (close, unknown))
        yield (
            f"Of {checked:,} checks, {passed:,} passed and {failed:,} failed; {close:,} {is_close} too close to call "
            f"and {unknown:,} {is_unknown} unknown."
        )
    if (n := verdicts.counts["open"]) and verdicts.known > 1:
        are = "is" if n == 1 else "are"
        yield f"{noun.counted(n)} {are} undecided: required checks are too close to call."
    if verdicts.known and (n := verdicts.counts["unknown"]):
        yield f"Nothing that is required is known of {noun.counted(n)}."
    if verdicts.known and not inputs.purposes:
        yield (
            f"No purpose is stated, so your {noun.plural} were checked only for what every ad needs. State it with "
            "mediaan init FOLDER."
        )


_PROBLEMS = 6
_FEW = 2  # media that make a problem common


@dataclass(frozen=True, slots=True)
class CommonProblem:
    """A problem that several media share, whichever verdict they have."""

    reason: Reason
    media: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The summary of a run."""

    verdicts: RunVerdicts
    noun: Noun
    headline: str
    """One sentence."""
    problems: Sequence[CommonProblem]
    """Over the media that are shown, most media first."""
    lines: Sequence[str]
    """Sentences on how sure this is."""
    reasons: Mapping[str, Sequence[str]]
    """Mapping of str to sequence of str. Keys of the common problems of each medium."""
    media: Mapping[str, MediumSummary]
    """Mapping of str to MediumSummary. Of each medium that is shown."""
    urgency: Mapping[str, int]
    """Mapping of str to int. Place of each medium that is shown, 0 for the one that needs attention most, the best one
    last."""
    advertisers: Sequence[str]
    """Sentences on whose ads these seem to be, where no brand is named."""


def summarize_contents(contents: RunContents, overview: Overview) -> RunSummary:
    """Summarize a run.

    `contents`: of the media that are shown.
    `overview`: of all media of the run.
    """
    verdicts = read_verdicts(contents.run_dir, overview)
    done = [entry for entry in contents.entries if entry.result]
    is_ad = [entry.purpose is not None or any(row.norm_set == "ads" for row in entry.ranges) for entry in done]
    media = {
        entry.medium_id or "": summarize_medium(
            entry.check_counts,
            Reasons.of(entry.result.checks, entry.rules),
            entry.result.suggestions,
        )
        for entry in done
        if entry.result
    }
    problems = _common_problems(media.values())
    problem_keys = {problem.reason.key for problem in problems}
    headline_inputs = HeadlineInputs(
        verdicts=verdicts,
        media=[(entry.name, media[entry.medium_id or ""]) for entry in done],
        done=overview.done,
        purposes=any(objective.get("purpose") for objective in distinct_objectives(contents.facts)),
        noun=ADS if is_ad and all(is_ad) else FILES,
    )
    return RunSummary(
        verdicts,
        headline_inputs.noun,
        headline(headline_inputs),
        problems,
        list(certainty_sentences(headline_inputs)),
        {
            key: list(dict.fromkeys(reason.key for reason in summary.reasons.against if reason.key in problem_keys))
            for key, summary in media.items()
        },
        media,
        _urgency(done),
        proposal_sentences(contents.run),
    )


def _common_problems(media: Iterable[MediumSummary]) -> list[CommonProblem]:
    """Return the reasons against several media, most media first, each as the first medium has it."""
    media_of: Counter[str] = Counter()  # by the key of a reason
    first: dict[str, Reason] = {}
    for summary in media:
        by_key = {reason.key: reason for reason in reversed(summary.reasons.against)}
        media_of.update(by_key.keys())
        first = by_key | first
    common = [CommonProblem(first[key], n) for key, n in media_of.items() if n >= _FEW]
    return sorted(common, key=lambda problem: (-problem.media, problem.reason.short))[:_PROBLEMS]


_URGENCY: tuple[Verdict, ...] = ("attention", "open", "works", "unknown")


def _urgency(entries: Sequence[MediumEntry]) -> dict[str, int]:
    """Order media by verdict, then by their checks; media that are equal keep their order."""

    def place(entry: MediumEntry) -> tuple[int, ...]:
        counts = entry.check_counts
        within = tuple(-part for part in counts.best_first) if counts.verdict == "works" else counts.worst_first
        return _URGENCY.index(counts.verdict), *within

    return {entry.medium_id or "": place for place, entry in enumerate(sorted(entries, key=place))}
