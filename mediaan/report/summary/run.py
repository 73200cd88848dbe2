"""Summarize a run: which media work, which do not, why, and how sure that is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mediaan.checks.specs import check_specs
from mediaan.checks.verdict import CheckCounts
from mediaan.report.data.contents import Row, RunContents
from mediaan.report.data.entries import MediumEntry
from mediaan.report.data.overview import Overview
from mediaan.report.data.rules import RuleResults
from mediaan.report.summary.medium import MediumSummary, Reason, Reasons, reasons_of, summarize_medium
from mediaan.report.summary.verdicts import RunVerdicts, read_verdicts
from mediaan.run.objectives import distinct_objectives
from mediaan.types.checks import Verdict


@dataclass(frozen=True, slots=True)
class HeadlineInputs:
    """Verdicts and facts that the headline is made from.

    Attributes
    ----------
    reasons : mapping of str to Reasons
        By medium that is shown.
    names : mapping of str to str
        Of media.
    done : int
        Media of the run that were analyzed.
    intervals : bool
        False where no score has one.
    purposes : bool
        False where no medium's purpose was stated.
    """

    verdicts: RunVerdicts
    reasons: Mapping[str, Reasons]
    names: Mapping[str, str]
    done: int
    intervals: bool
    purposes: bool


_VERDICT_OF_ONE = {
    "works": "works: it passes what it needs",
    "open": "is undecided",
    "attention": "needs attention",
}


def headline(inputs: HeadlineInputs) -> str:
    """Say which media work, which do not, and the most frequent reason."""
    verdicts = inputs.verdicts
    if not inputs.done:
        return "No medium could be analysed."
    if not verdicts.known:
        return "Which media work cannot be told: nothing could be checked."
    if verdicts.known == 1:
        known = ((key, counts) for key, counts in verdicts.of.items() if counts.verdict != "unknown")
        key, counts = next(known, ("", None))
        if counts is None:
            return "One medium was checked; it is not on this page."
        name = "This medium" if inputs.done == 1 else inputs.names[key]
        reasons = inputs.reasons.get(key, Reasons())
        weighty = {"attention": reasons.against, "open": reasons.undecided}.get(counts.verdict, ())
        why = f": {weighty[0].text.rstrip('.')}" if weighty else ""
        return f"{name} {_VERDICT_OF_ONE[counts.verdict]}{why}."
    works, weak = verdicts.counts["works"], verdicts.counts["attention"]
    verbs = ("works", "work") if inputs.purposes else ("passes what every ad needs", "pass what every ad needs")
    first = f"{_share_words(works, verdicts.known, *verbs)}."
    if not weak:
        return f"{first} None fails a check that it needs."
    failures = [f"{_count_words(verdicts.failing, 'fails', 'fail')} a rule"] if verdicts.failing else []
    if verdicts.failed:
        name, n = max(verdicts.failed.items(), key=lambda check: check[1])
        flaw = {spec.name: spec.flaw for spec in check_specs()}.get(name, name)
        failures.append(f"most often, in {n:,}: {flaw[0].lower()}{flaw[1:]}")
    failing = f"; {'; '.join(failures)}" if failures else ""
    return f"{first} {_count_words(weak, 'needs', 'need')} attention{failing}."


def certainty_sentences(inputs: HeadlineInputs) -> Iterator[str]:
    """Say how sure the verdicts are, a sentence each."""
    verdicts, sums = inputs.verdicts, inputs.verdicts.sums
    passed, failed = sums.required_passed + sums.passed, sums.required_failed + sums.failed
    close, unknown = sums.required_close + sums.close, sums.required_unknown + sums.unknown
    if checked := passed + failed + close + unknown:
        yield (
            f"Of {checked:,} checks {_count_words(passed, 'was', 'were')} passed and {failed:,} failed; "
            f"{close:,} are too close to call, {unknown:,} are not known."
        )
    if (n := verdicts.counts["open"]) and verdicts.known > 1:
        undecided = _count_words(n, "medium is", "media are")
        yield f"{undecided} undecided: a check that their purpose needs is not known, or too close to call."
    if verdicts.known and (n := verdicts.counts["unknown"]):
        yield f"Of {_count_words(n, 'medium', 'media')} nothing could be checked."
    if verdicts.known and not inputs.purposes:
        yield "No purpose was stated, so that media were only checked for what every ad needs (mediaan init FOLDER)."
    if verdicts.known and not inputs.intervals:
        yield "There are no intervals: checks go by values alone, and nothing says how sure they are."


def _share_words(n: int, of: int, one: str, many: str) -> str:
    """Return a share of the media with its verb.

    >>> [_share_words(n, 12, "works", "work") for n in (0, 1, 12)]
    ['None of 12 media works', '1 of 12 media works', 'All 12 media work']
    """
    if n == of:
        return f"All {of:,} media {many}"
    return f"{f'{n:,}' if n else 'None'} of {of:,} media {one if n < 2 else many}"


def _count_words(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"


CARDS = 4
"""Of each verdict."""

_REASONS = 3  # on a card
_RECURRING = 6
_FEW = 2  # media that make a reason recur


@dataclass(frozen=True, slots=True)
class MediumCard:
    """A medium in the summary.

    Attributes
    ----------
    reasons : sequence of Reason
        Those that weigh most.
    but : Reason or None
        What speaks against a medium that works.
    todo : str or None
        What to do first.
    """

    entry: MediumEntry
    reasons: Sequence[Reason]
    but: Reason | None
    todo: str | None


@dataclass(frozen=True, slots=True)
class RecurringReason:
    """A reason that several media share, whichever verdict they have."""

    reason: Reason
    media: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The summary of a run.

    Attributes
    ----------
    headline : str
        One or two sentences.
    cards : mapping of Verdict to sequence of MediumCard
        The first ones of those that are shown.
    recurring : sequence of RecurringReason
        Over the media that are shown, most media first.
    lines : sequence of str
        Sentences on how sure this is.
    reasons : mapping of str to sequence of str
        Keys of the recurring reasons of each medium.
    media : mapping of str to MediumSummary
        Of each medium that is shown.
    """

    verdicts: RunVerdicts
    headline: str
    cards: Mapping[Verdict, Sequence[MediumCard]]
    recurring: Sequence[RecurringReason]
    lines: Sequence[str]
    reasons: Mapping[str, Sequence[str]]
    media: Mapping[str, MediumSummary]


@dataclass(frozen=True, slots=True)
class ReportInputs:
    """Rows and counts that the summary is made from.

    Attributes
    ----------
    entries : sequence of MediumEntry
    checks : mapping of str to sequence of rows
        By medium, of the table `checks`.
    suggestions : mapping of str to sequence of rows
        By medium, of the table `suggestions`, for its purpose.
    purposes : bool
        False where no medium's purpose was stated.
    """

    entries: Sequence[MediumEntry]
    checks: Mapping[str, Sequence[Row]]
    suggestions: Mapping[str, Sequence[Row]]
    rules: RuleResults
    overview: Overview
    purposes: bool


def summarize_contents(
    contents: RunContents, overview: Overview, entries: Sequence[MediumEntry], rules: RuleResults
) -> RunSummary:
    """Summarize the media of a run that were read.

    Parameters
    ----------
    contents : RunContents
        Of the media that are shown.
    overview : Overview
        Of all media of the run.
    entries : sequence of MediumEntry
    rules : RuleResults
    """
    checks: dict[str, list[Row]] = defaultdict(list)
    for row in contents.checks:
        checks[row["medium_id"]].append(row)
    done = [entry for entry in entries if entry.done]
    purpose = {entry.medium_id: entry.purpose for entry in entries}
    suggestions: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(contents.suggestions, key=lambda row: row["rank"]):
        if row["purpose"] == purpose.get(row["medium_id"]):
            suggestions[row["medium_id"]].append(row)
    purposes = any(objective.get("purpose") for objective in distinct_objectives(contents.run))
    inputs = ReportInputs(done, checks, suggestions, rules, overview, purposes)
    shown = [entry.medium_id for entry in done if entry.medium_id]
    return summarize_run(inputs, read_verdicts(contents.run_dir, overview, shown))


def summarize_run(inputs: ReportInputs, verdicts: RunVerdicts) -> RunSummary:
    """Put the summary together."""
    ids = [entry.medium_id for entry in inputs.entries if entry.medium_id]
    reasons = {key: reasons_of(inputs.checks.get(key, ()), inputs.rules.of.get(key, [])) for key in ids}
    media = {
        key: summarize_medium(verdicts.of.get(key, CheckCounts()), of, inputs.suggestions.get(key, ()))
        for key, of in reasons.items()
    }
    media_of: Counter[str] = Counter()  # by the key of a reason
    first: dict[str, Reason] = {}  # as the first medium has it
    for of_medium in reasons.values():
        by_key = {reason.key: reason for reason in reversed(of_medium.against)}
        media_of.update(by_key.keys())
        first = by_key | first
    recurring = [RecurringReason(first[key], n) for key, n in media_of.items() if n >= _FEW]
    recurring = sorted(recurring, key=lambda one: (-one.media, one.reason.short))[:_RECURRING]
    recurring_keys = {one.reason.key for one in recurring}
    overview, names = inputs.overview, {entry.medium_id or "": entry.name for entry in inputs.entries}
    headline_inputs = HeadlineInputs(verdicts, reasons, names, overview.done, overview.intervals, inputs.purposes)

    def cards(verdict: Verdict, order: Callable[[CheckCounts], Any]) -> list[MediumCard]:
        entries = [entry for entry in inputs.entries if verdicts.verdict(entry.medium_id) == verdict]
        entries.sort(key=lambda entry: order(verdicts.of[entry.medium_id or ""]))
        return [_card(entry, media[entry.medium_id or ""]) for entry in entries[:CARDS]]

    return RunSummary(
        verdicts,
        headline(headline_inputs),
        {
            "works": cards("works", lambda counts: counts.best_first),
            "attention": cards("attention", lambda counts: counts.worst_first),
        },
        recurring,
        list(certainty_sentences(headline_inputs)),
        {
            key: list(dict.fromkeys(reason.key for reason in of.against if reason.key in recurring_keys))
            for key, of in reasons.items()
        },
        media,
    )


def _card(entry: MediumEntry, medium: MediumSummary) -> MediumCard:
    """Show what speaks for a medium that works and the first thing against it; of others what is against them."""
    todo = next(iter(medium.to_try), None)
    if medium.verdict == "works":
        return MediumCard(entry, medium.reasons.in_favour[:_REASONS], next(iter(medium.reasons.against), None), todo)
    return MediumCard(entry, medium.reasons.against[:_REASONS], None, todo)
