"""Summarize a run: which media work, which do not, why, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from mediaan.checks.specs import check_specs
from mediaan.checks.verdict import CheckCounts
from mediaan.report.data.contents import Row
from mediaan.report.data.entries import MediumEntry
from mediaan.report.data.overview import Overview
from mediaan.report.data.rules import RuleResults
from mediaan.report.summary.medium import MediumSummary, Reason, Reasons, reasons_of, summarize_medium
from mediaan.report.summary.verdicts import RunVerdicts
from mediaan.types.checks import Verdict


@dataclass(frozen=True, slots=True)
class HeadlineInputs:
    """What there is to say.

    Attributes
    ----------
    reasons : mapping of str to Reasons
        By medium that is shown.
    names : mapping of str to str
        Of media.
    done : int
        Media of the run that were analysed.
    intervals : bool
        Whether the run has any.
    purposes : bool
        Whether any medium's purpose was stated.
    """

    verdicts: RunVerdicts
    reasons: Mapping[str, Reasons]
    names: Mapping[str, str]
    done: int
    intervals: bool
    purposes: bool


def headline(found: HeadlineInputs) -> str:
    """Say which media work, which do not, and the most frequent reason."""
    verdicts = found.verdicts
    works, weak = verdicts.counts["works"], verdicts.counts["attention"]
    if not found.done:
        return "No medium could be analysed."
    if not verdicts.known:
        return "Which media work cannot be told: nothing could be checked."
    if verdicts.known == 1:
        return _of_one(found)
    does = ("works", "work") if found.purposes else ("passes what every ad needs", "pass what every ad needs")
    first = f"{_of_all(works, verdicts.known, *does)}."
    if not weak:
        return f"{first} None fails a check that it needs."
    return f"{first} {_count(weak, 'needs', 'need')} attention{_most_often(found)}."


def certainty_sentences(found: HeadlineInputs) -> Iterator[str]:
    """Say how sure the verdicts are, a sentence each."""
    verdicts, sums = found.verdicts, found.verdicts.sums
    passed, failed = sums.required_passed + sums.passed, sums.required_failed + sums.failed
    close, unknown = sums.required_close + sums.close, sums.required_unknown + sums.unknown
    if checked := passed + failed + close + unknown:
        yield (
            f"Of {checked:,} checks {_count(passed, 'was', 'were')} passed and {failed:,} failed; "
            f"{close:,} are too close to call, {unknown:,} are not known."
        )
    if (n := verdicts.counts["open"]) and verdicts.known > 1:
        undecided = _count(n, "medium is", "media are")
        yield f"{undecided} undecided: a check that their purpose needs is not known, or too close to call."
    if verdicts.known and (n := verdicts.counts["unknown"]):
        yield f"Of {_count(n, 'medium', 'media')} nothing could be checked."
    if verdicts.known and not found.purposes:
        yield "No purpose was stated, so that media were only checked for what every ad needs (mediaan init FOLDER)."
    if verdicts.known and not found.intervals:
        yield "There are no intervals: checks go by values alone, and nothing says how sure they are."


_ONE = {
    "works": "works: it passes what it needs",
    "open": "is undecided",
    "attention": "needs attention",
}


def _of_one(found: HeadlineInputs) -> str:
    of = found.verdicts.of.items()
    key, counts = next(((key, one) for key, one in of if one.verdict != "unknown"), ("", None))
    if counts is None:
        return "One medium was checked; it is not on this page."
    name = "This medium" if found.done == 1 else found.names[key]
    reasons = found.reasons.get(key, Reasons())
    sides = {"attention": reasons.against, "open": reasons.undecided}.get(counts.verdict, ())
    first = next(iter(sides), None)
    return f"{name} {_ONE[counts.verdict]}{': ' + first.text.rstrip('.') if first else ''}."


def _most_often(found: HeadlineInputs) -> str:
    """What media fail most often, of what their purpose needs if there is any."""
    verdicts = found.verdicts
    parts = [f"{_count(verdicts.failing, 'fails', 'fail')} a rule"] if verdicts.failing else []
    if failed := verdicts.failed:
        name, n = max(failed.items(), key=lambda one: one[1])
        flaws = {spec.name: spec.flaw for spec in check_specs()}
        flaw = flaws.get(name, name)
        parts.append(f"most often, in {n:,}: {flaw[0].lower()}{flaw[1:]}")
    return f"; {'; '.join(parts)}" if parts else ""


def _of_all(n: int, of: int, one: str, many: str) -> str:
    """A share of the media, with its verb.

    >>> _of_all(0, 12, "works", "work"), _of_all(1, 12, "works", "work"), _of_all(12, 12, "works", "work")
    ('None of 12 media works', '1 of 12 media works', 'All 12 media work')
    """
    if n == of:
        return f"All {of:,} media {many}"
    return f"{f'{n:,}' if n else 'None'} of {of:,} media {one if n < 2 else many}"


def _count(n: int, one: str, many: str) -> str:
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
    cards : mapping of Verdict to sequence of Card
        The first ones of those that are shown.
    recurring : sequence of Recurring
        Over the media that are shown, most media first.
    lines : sequence of str
        How sure this is.
    reasons : mapping of str to sequence of str
        Keys of the recurring reasons of each medium.
    gists : mapping of str to Gist
        Of each medium that is shown.
    """

    verdicts: RunVerdicts
    headline: str
    cards: Mapping[Verdict, Sequence[MediumCard]]
    recurring: Sequence[RecurringReason]
    lines: Sequence[str]
    reasons: Mapping[str, Sequence[str]]
    gists: Mapping[str, MediumSummary]


@dataclass(frozen=True, slots=True)
class ReportInputs:
    """What the summary is made from.

    Attributes
    ----------
    entries : sequence of Entry
    checks : mapping of str to sequence of rows
        By medium, of the table `checks`.
    suggestions : mapping of str to sequence of rows
        By medium, of the table `suggestions`, for its purpose.
    purposes : bool
        Whether any medium's purpose was stated.
    """

    entries: Sequence[MediumEntry]
    checks: Mapping[str, Sequence[Row]]
    suggestions: Mapping[str, Sequence[Row]]
    rules: RuleResults
    overview: Overview
    purposes: bool


def summarize_run(found: ReportInputs, verdicts: RunVerdicts) -> RunSummary:
    """Put the summary together."""
    ids = [entry.medium_id for entry in found.entries if entry.medium_id]
    reasons = {key: reasons_of(found.checks.get(key, ()), found.rules.of.get(key, [])) for key in ids}
    gists = {
        key: summarize_medium(verdicts.of.get(key, CheckCounts()), of, found.suggestions.get(key, ()))
        for key, of in reasons.items()
    }
    recurring = _recurring(reasons)
    keys = {one.reason.key for one in recurring}
    names = {entry.medium_id or "": entry.name for entry in found.entries}
    overview = found.overview
    told = HeadlineInputs(verdicts, reasons, names, overview.done, overview.intervals, found.purposes)
    return RunSummary(
        verdicts,
        headline(told),
        {"works": _best(found, verdicts, gists), "attention": _worst(found, verdicts, gists)},
        recurring,
        list(certainty_sentences(told)),
        {key: list(dict.fromkeys(r.key for r in of.against if r.key in keys)) for key, of in reasons.items()},
        gists,
    )


def _best(found: ReportInputs, verdicts: RunVerdicts, gists: Mapping[str, MediumSummary]) -> list[MediumCard]:
    working = [entry for entry in found.entries if verdicts.verdict(entry.medium_id) == "works"]
    working.sort(key=lambda entry: verdicts.of[entry.medium_id or ""].best_first)
    cards = []
    for entry in working[:CARDS]:
        of = gists[entry.medium_id or ""]
        but = next(iter(of.reasons.against), None)
        cards.append(MediumCard(entry, of.reasons.in_favour[:_REASONS], but, next(iter(of.to_try), None)))
    return cards


def _worst(found: ReportInputs, verdicts: RunVerdicts, gists: Mapping[str, MediumSummary]) -> list[MediumCard]:
    weak = [entry for entry in found.entries if verdicts.verdict(entry.medium_id) == "attention"]
    weak.sort(key=lambda entry: verdicts.of[entry.medium_id or ""].worst_first)
    return [
        MediumCard(entry, of.reasons.against[:_REASONS], None, next(iter(of.to_try), None))
        for entry in weak[:CARDS]
        for of in (gists[entry.medium_id or ""],)
    ]


def _recurring(reasons: Mapping[str, Reasons]) -> list[RecurringReason]:
    media: Counter[str] = Counter()
    of: dict[str, Reason] = {}
    for found in reasons.values():
        by_key = {reason.key: reason for reason in reversed(found.against)}
        media.update(by_key.keys())
        of = by_key | of
    repeated = [RecurringReason(of[key], n) for key, n in media.items() if n >= _FEW]
    return list(islice(sorted(repeated, key=lambda one: (-one.media, one.reason.short)), _RECURRING))
