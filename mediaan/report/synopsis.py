"""What a run says first: which media work, which do not, why, what to do, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from mediaan.checks.verdict import CheckCounts
from mediaan.report.contents import Row
from mediaan.report.entries import Entry
from mediaan.report.gist import Gist, gist
from mediaan.report.headline import Findings, headline, sureness
from mediaan.report.overview import Overview
from mediaan.report.reasons import Reason, Reasons, reasons_of
from mediaan.report.rules import Rules
from mediaan.report.verdicts import Verdicts
from mediaan.types.checks import Verdict

CARDS = 4
"""Of each verdict."""

_REASONS = 3  # on a card
_RECURRING = 6
_FEW = 2  # media that make a reason recur


@dataclass(frozen=True, slots=True)
class Card:
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

    entry: Entry
    reasons: Sequence[Reason]
    but: Reason | None
    todo: str | None


@dataclass(frozen=True, slots=True)
class Recurring:
    """A reason that several media share, whichever verdict they have."""

    reason: Reason
    media: int


@dataclass(frozen=True, slots=True)
class Synopsis:
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

    verdicts: Verdicts
    headline: str
    cards: Mapping[Verdict, Sequence[Card]]
    recurring: Sequence[Recurring]
    lines: Sequence[str]
    reasons: Mapping[str, Sequence[str]]
    gists: Mapping[str, Gist]


@dataclass(frozen=True, slots=True)
class Gathered:
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

    entries: Sequence[Entry]
    checks: Mapping[str, Sequence[Row]]
    suggestions: Mapping[str, Sequence[Row]]
    rules: Rules
    overview: Overview
    purposes: bool


def synopsis(found: Gathered, verdicts: Verdicts) -> Synopsis:
    """Put the summary together."""
    ids = [entry.medium_id for entry in found.entries if entry.medium_id]
    reasons = {key: reasons_of(found.checks.get(key, ()), found.rules.of.get(key, [])) for key in ids}
    gists = {
        key: gist(verdicts.of.get(key, CheckCounts()), of, found.suggestions.get(key, ()))
        for key, of in reasons.items()
    }
    recurring = _recurring(reasons)
    keys = {one.reason.key for one in recurring}
    names = {entry.medium_id or "": entry.name for entry in found.entries}
    overview = found.overview
    told = Findings(verdicts, reasons, names, overview.done, overview.intervals, found.purposes)
    return Synopsis(
        verdicts,
        headline(told),
        {"works": _best(found, verdicts, gists), "attention": _worst(found, verdicts, gists)},
        recurring,
        list(sureness(told)),
        {key: list(dict.fromkeys(r.key for r in of.against if r.key in keys)) for key, of in reasons.items()},
        gists,
    )


def _best(found: Gathered, verdicts: Verdicts, gists: Mapping[str, Gist]) -> list[Card]:
    working = [entry for entry in found.entries if verdicts.verdict(entry.medium_id) == "works"]
    working.sort(key=lambda entry: verdicts.of[entry.medium_id or ""].best_first)
    cards = []
    for entry in working[:CARDS]:
        of = gists[entry.medium_id or ""]
        but = next(iter(of.reasons.against), None)
        cards.append(Card(entry, of.reasons.in_favour[:_REASONS], but, next(iter(of.to_try), None)))
    return cards


def _worst(found: Gathered, verdicts: Verdicts, gists: Mapping[str, Gist]) -> list[Card]:
    weak = [entry for entry in found.entries if verdicts.verdict(entry.medium_id) == "attention"]
    weak.sort(key=lambda entry: verdicts.of[entry.medium_id or ""].worst_first)
    return [
        Card(entry, of.reasons.against[:_REASONS], None, next(iter(of.to_try), None))
        for entry in weak[:CARDS]
        for of in (gists[entry.medium_id or ""],)
    ]


def _recurring(reasons: Mapping[str, Reasons]) -> list[Recurring]:
    media: Counter[str] = Counter()
    of: dict[str, Reason] = {}
    for found in reasons.values():
        by_key = {reason.key: reason for reason in reversed(found.against)}
        media.update(by_key.keys())
        of = by_key | of
    repeated = [Recurring(of[key], n) for key, n in media.items() if n >= _FEW]
    return list(islice(sorted(repeated, key=lambda one: (-one.media, one.reason.short)), _RECURRING))
