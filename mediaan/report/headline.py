"""The summary's words: one or two sentences on which media work, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mediaan.checks.spec import check_specs
from mediaan.report.reasons import Reasons
from mediaan.report.verdicts import Verdicts


@dataclass(frozen=True, slots=True)
class Findings:
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

    verdicts: Verdicts
    reasons: Mapping[str, Reasons]
    names: Mapping[str, str]
    done: int
    intervals: bool
    purposes: bool


def headline(found: Findings) -> str:
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


def sureness(found: Findings) -> Iterator[str]:
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


def _of_one(found: Findings) -> str:
    of = found.verdicts.of.items()
    key, counts = next(((key, one) for key, one in of if one.verdict != "unknown"), ("", None))
    if counts is None:
        return "One medium was checked; it is not on this page."
    name = "This medium" if found.done == 1 else found.names[key]
    reasons = found.reasons.get(key, Reasons())
    sides = {"attention": reasons.against, "open": reasons.undecided}.get(counts.verdict, ())
    first = next(iter(sides), None)
    return f"{name} {_ONE[counts.verdict]}{': ' + first.text.rstrip('.') if first else ''}."


def _most_often(found: Findings) -> str:
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
