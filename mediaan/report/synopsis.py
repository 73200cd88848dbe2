"""What a run says first: which media work, which do not, why, what to do, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from mediaan.report.aois import Areas
from mediaan.report.benchmarks import Benchmarks
from mediaan.report.entries import Entry
from mediaan.report.gist import Gist, gist
from mediaan.report.headline import Findings, headline, sureness
from mediaan.report.overview import Overview
from mediaan.report.reasons import Decimals, Judged, Reason, Seen, against_population, flaws, strengths, within_run
from mediaan.report.rules import Rules
from mediaan.report.summaries import Standing
from mediaan.report.tally import Tally
from mediaan.report.verdicts import Evidence, Ranks, Verdict, Verdicts, verdicts_within, worth_ranking
from mediaan.types.metrics import MetricSpec

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
        What to do first: general practice about the first reason that has one.
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
        Over the media that are shown; most media first, proxies last.
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
    specs : sequence of MetricSpec
        Of scores of the whole.
    standings : mapping of str to sequence of Standing or None
        By metric, in the order of `entries`.
    decimals : callable
        Of a metric.
    tallies : mapping of str to Tally
        By metric, all media of the run.
    seen : Seen
        Shares of viewers that see each area.
    level : (str, int) or None
        A score, and how many media are level with the first one by it.
    """

    entries: Sequence[Entry]
    specs: Sequence[MetricSpec]
    standings: Mapping[str, Sequence[Standing | None]]
    decimals: Decimals
    areas: Areas
    ranges: Benchmarks
    tallies: Mapping[str, Tally]
    seen: Seen
    rules: Rules
    overview: Overview
    selected: bool
    level: tuple[str, int] | None = None


def synopsis(found: Gathered, verdicts: Verdicts) -> Synopsis:
    """Put the summary together.

    Parameters
    ----------
    found : Gathered
    verdicts : Verdicts
        By recommended ranges and rules. Where nothing has such a range, ranks within the run stand in for them,
        provided that intervals say how sure they are.
    """
    judged = against_population(
        found.entries, found.specs, found.ranges, found.decimals, intervals=found.overview.intervals
    )
    if not verdicts.sums.scores and found.overview.intervals and (ranks := _ranks(found)):
        verdicts = verdicts_within(ranks, {key: one.rules_failed for key, one in verdicts.of.items()})
        done = {entry.medium_id: entry for entry in found.entries}
        judged = {key: within_run(done[key], of) for key, of in ranks.items()}
    against = {entry.medium_id: _flaws(found, entry, judged) for entry in found.entries if entry.medium_id}
    recurring = _recurring(against)
    keys = {one.reason.key for one in recurring}
    names = {entry.medium_id or "": entry.name for entry in found.entries}
    overview = found.overview
    told = Findings(
        verdicts,
        against,
        _missed(found, verdicts, judged),
        names,
        overview.done,
        overview.intervals,
        found.selected,
        level=found.level,
    )
    return Synopsis(
        verdicts,
        headline(told),
        {"works": _best(found, verdicts, judged, against), "attention": _worst(found, verdicts, against)},
        recurring,
        list(sureness(told)),
        {key: list(dict.fromkeys(r.key for r in reasons if r.key in keys)) for key, reasons in against.items()},
        _gists(found, verdicts, judged, against),
    )


def _missed(found: Gathered, verdicts: Verdicts, judged: Mapping[str, Sequence[Judged]]) -> dict[str, int]:
    """By title of a score that decides, media that miss it: of all, as the tallies count them, or by rank."""
    firm = [spec for spec in found.specs if spec.basis != "proxy"]
    if verdicts.within_run:
        bad = Counter(one.spec.title for of in judged.values() for one in of if not one.good)
        return {spec.title: bad[spec.title] for spec in firm}
    told = [(spec.title, found.tallies[spec.name]) for spec in firm if spec.name in found.tallies]
    counts = [(title, tally.surely if found.overview.intervals else tally.positions) for title, tally in told]
    return {title: of.get("below", 0) + of.get("above", 0) for title, of in counts}


def _gists(
    found: Gathered, verdicts: Verdicts, judged: Mapping[str, Sequence[Judged]], against: Mapping[str, Sequence[Reason]]
) -> dict[str, Gist]:
    return {
        key: gist(
            verdicts.of.get(key, Evidence()),
            strengths(judged.get(key, ()), found.areas.of.get(key, ()), found.seen),
            bad,
            within_run=verdicts.within_run,
            sure=found.overview.intervals,
        )
        for key, bad in against.items()
    }


def _ranks(found: Gathered) -> dict[str, Ranks]:
    ranks: dict[str, Ranks] = {}
    for i, entry in enumerate(found.entries):
        standings = [(spec, found.standings[spec.name][i]) for spec in found.specs]
        told = [(spec, one) for spec, one in standings if one is not None and worth_ranking(spec, one)]
        if entry.medium_id and told:
            ranks[entry.medium_id] = told
    return ranks


def _flaws(found: Gathered, entry: Entry, judged: Mapping[str, Sequence[Judged]]) -> list[Reason]:
    key = entry.medium_id or ""
    rules = found.rules.of.get(key, [])
    return flaws(judged.get(key, ()), found.areas.of.get(key, ()), rules, found.seen)


def _best(
    found: Gathered, verdicts: Verdicts, judged: Mapping[str, Sequence[Judged]], against: Mapping[str, Sequence[Reason]]
) -> list[Card]:
    working = [entry for entry in found.entries if verdicts.verdict(entry.medium_id) == "works"]
    working.sort(key=lambda entry: verdicts.of[entry.medium_id or ""].best_first)
    return [
        Card(entry, strengths(judged.get(key, ()), found.areas.of.get(key, ()), found.seen)[:_REASONS], but, todo)
        for entry in working[:CARDS]
        for key in (entry.medium_id or "",)
        for but in (next(iter(against[key]), None),)
        for todo in (but.todo if but else None,)
    ]


def _worst(found: Gathered, verdicts: Verdicts, against: Mapping[str, Sequence[Reason]]) -> list[Card]:
    weak = [entry for entry in found.entries if verdicts.verdict(entry.medium_id) == "attention"]
    weak.sort(key=lambda entry: verdicts.of[entry.medium_id or ""].worst_first)
    return [
        Card(entry, _varied(reasons), None, next((reason.todo for reason in reasons if reason.todo), None))
        for entry in weak[:CARDS]
        for reasons in (against[entry.medium_id or ""],)
    ]


def _varied(reasons: Sequence[Reason]) -> list[Reason]:
    """The first reasons, no more than two of one kind while there are others."""
    counted: Counter[str] = Counter()
    first: list[Reason] = []
    later: list[Reason] = []
    for reason in reasons:
        counted[reason.kind] += 1
        (first if counted[reason.kind] <= 2 else later).append(reason)
    return [*first, *later][:_REASONS]


def _recurring(against: Mapping[str, Sequence[Reason]]) -> list[Recurring]:
    media: Counter[str] = Counter()
    of: dict[str, Reason] = {}
    for reasons in against.values():
        by_key = {reason.key: reason for reason in reversed(reasons)}
        media.update(by_key.keys())
        of = by_key | of
    found = [Recurring(of[key], n) for key, n in media.items() if n >= _FEW]
    return list(islice(sorted(found, key=_most_first), _RECURRING))


def _most_first(one: Recurring) -> tuple[bool, int, str]:
    return one.reason.kind == "proxy", -one.media, one.reason.short
