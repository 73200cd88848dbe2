"""The summary's words: one or two sentences on which media work, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mediaan.report.reasons import Reason
from mediaan.report.verdicts import Verdicts


@dataclass(frozen=True, slots=True)
class Findings:
    """What there is to say.

    Attributes
    ----------
    against : mapping of str to sequence of Reason
        By medium that is shown, what speaks against it.
    missed : mapping of str to int
        By title of a measured or learned score, media that surely miss it, of all that were judged.
    names : mapping of str to str
        Of media.
    done : int
        Media of the run that were analysed.
    intervals : bool
        Whether the run has any.
    selected : bool
        Whether some media of the run are not shown.
    level : (str, int) or None
        A score, and how many media are level with the first one by it.
    """

    verdicts: Verdicts
    against: Mapping[str, Sequence[Reason]]
    missed: Mapping[str, int]
    names: Mapping[str, str]
    done: int
    intervals: bool
    selected: bool
    level: tuple[str, int] | None


def headline(found: Findings) -> str:
    """Say which media work, which do not, and the most frequent reason."""
    verdicts = found.verdicts
    works, weak = verdicts.counts["works"], verdicts.counts["attention"]
    if not verdicts.known:
        return _nothing_known(found)
    if verdicts.known == 1:
        return _of_one(found)
    if not verdicts.sums.scores:
        return f"{_of_all(weak, verdicts.known, 'fails', 'fail')} a rule. Nothing else was compared."
    does = ("is surely ahead of half", "are surely ahead of half") if verdicts.within_run else ("does", "do")
    what = "of this run" if verdicts.within_run else "what is recommended"
    first = f"{_of_all(works, verdicts.known, *does)} {what} on most scores."
    if not weak:
        return f"{first} None surely {'falls behind' if verdicts.within_run else 'misses anything'}."
    return f"{first} {_count(weak, 'needs', 'need')} attention{_most_often(found)}."


def sureness(found: Findings) -> Iterator[str]:
    """Say how sure the verdicts are, a sentence each."""
    verdicts, sums = found.verdicts, found.verdicts.sums
    if sums.scores:
        yield _what_is_sure(found)
    if (n := verdicts.counts["open"]) and verdicts.known > 1:
        yield f"{_count(n, 'medium is', 'media are')} left open: nothing is surely missed, nor most of it met."
    if sums.scores and (n := verdicts.counts["unknown"]):
        why = "no rank to go by" if verdicts.within_run else "no population to be compared with"
        yield f"{_count(n, 'medium has', 'media have')} {why}, and so no verdict."
    if found.level and found.level[1] > 0:
        title, n = found.level
        yield f"In {title} {_count(n, 'medium is', 'media are')} level with the first one: their intervals overlap."
    if sums.proxies:
        yield "Proxies are hints: they put media in order and decide no verdict."


def _what_is_sure(found: Findings) -> str:
    sums = found.verdicts.sums
    if not found.intervals:
        return "There are no intervals: verdicts go by values alone, and nothing says how sure they are."
    if found.verdicts.within_run:
        return (
            f"Nothing was compared with a population: these are ranks among {found.done:,} media, "
            "which say nothing of how well any of them would do elsewhere."
        )
    missed, met = (
        _count(sums.missed, "surely misses", "surely miss"),
        _count(sums.met_surely, "surely meets", "surely meet"),
    )
    return f"Of {sums.scores:,} scores with a recommended range, {missed} it with the whole 90 % interval, {met} it."


def _nothing_known(found: Findings) -> str:
    if not found.done:
        return "No medium could be analysed."
    if found.done == 1:
        return "Whether this medium works cannot be told: it was compared with no population."
    return (
        "Which media work cannot be told: they were compared with no population, and their ranks here tell too little."
    )


_ONE = {
    "works": "does what is recommended of it on most scores",
    "open": "surely misses nothing, but its values meet no more than half of what is recommended",
    "attention": "needs attention",
}


def _of_one(found: Findings) -> str:
    key, evidence = next(((k, e) for k, e in found.verdicts.of.items() if e.verdict != "unknown"), ("", None))
    if evidence is None:
        return "One medium was compared; it is not on this page."
    name = "This medium" if found.done == 1 else found.names[key]
    first = next(iter(found.against.get(key, ())), None) if evidence.verdict == "attention" else None
    return f"{name} {_ONE[evidence.verdict]}{': ' + first.text.rstrip('.') if first else ''}."


def _most_often(found: Findings) -> str:
    """What the media that need attention share."""
    verdicts = found.verdicts
    parts = [f"{_count(verdicts.failing, 'fails', 'fail')} a rule"] if verdicts.failing else []
    if any(found.missed.values()):
        title, n = max(found.missed.items(), key=lambda one: one[1])
        verbs = ("is surely behind in", "are surely behind in") if verdicts.within_run else _MISSES[found.intervals]
        parts.append(f"{_count(n, *verbs)} {title}{_because(found, title)}")
    return f": {'; '.join(parts)}" if parts else ""


_MISSES = {True: ("surely misses", "surely miss"), False: ("misses", "miss")}


def _because(found: Findings, title: str) -> str:
    """The most frequent push; nothing of a large run, of which only the outermost media are on the page."""
    against = () if found.selected else found.against.values()
    reasons = [reason for of in against for reason in of if reason.of == title and reason.sure]
    phrases = Counter(reason.phrase for reason in reasons if reason.phrase)
    if not phrases:
        return ""
    phrase, n = phrases.most_common(1)[0]
    return f", {'mostly' if 2 * n > len(reasons) else 'most often'} because of {phrase}"


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
