"""Summarize a run: which ads work, which do not, the problems that they share, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mediaan.brand.campaign import proposal_sentences
from mediaan.report.counts import RunVerdicts, read_verdicts
from mediaan.report.entries import MediumEntry, RunContents
from mediaan.report.medium_summary import MediumSummary, Reason, reasons_of, summarize_medium
from mediaan.run.metadata import distinct_objectives
from mediaan.types.checks import Verdict


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


_VERDICT_OF_ONE = {"works": "works", "open": "is undecided", "attention": "needs attention"}


def headline(verdicts: RunVerdicts, media: Iterable[tuple[str, MediumSummary]], done: int, noun: Noun) -> str:
    """Return the counts of all verdicts in one sentence; of a single medium its verdict and the first reason.

    `media`: names and summaries of those that are shown.
    `done`: media of the run that were analyzed.
    """
    if not done:
        return "No file could be analyzed."
    if not verdicts.known:
        return "No verdicts: nothing could be checked."
    if verdicts.known == 1:
        checked = ((name, summary) for name, summary in media if summary.verdict != "unknown")
        name, summary = next(checked, ("", None))
        if summary is None:
            return f"One {noun.singular} was checked; it is not on this page."
        reasons = {"attention": summary.against, "open": summary.undecided}.get(summary.verdict, ())
        why = f": {reasons[0].text.rstrip('.')}" if reasons else ""
        return f"{f'This {noun.singular}' if done == 1 else name} {_VERDICT_OF_ONE[summary.verdict]}{why}."
    works, weak, undecided = (verdicts.counts[verdict] for verdict in ("works", "attention", "open"))
    if works == done:
        return f"All {noun.counted(works)} work."
    parts = [f"{f'{works:,}' if works else 'None'} of {noun.counted(done)} {'works' if works < 2 else 'work'}"]
    if weak:
        parts.append(f"{weak:,} {'needs' if weak == 1 else 'need'} attention")
    if undecided:
        parts.append(f"{undecided:,} {'is' if undecided == 1 else 'are'} undecided")
    if unknown := verdicts.counts["unknown"]:
        parts.append(f"{unknown:,} {'has' if unknown == 1 else 'have'} no verdict")
    return f"{', '.join(parts)}."


def certainty_sentences(verdicts: RunVerdicts, noun: Noun, *, purposes: bool) -> Iterator[str]:
    """Say how sure the verdicts are, a sentence each.

    `purposes`: whether the purpose of any medium was stated.
    """
    sums = verdicts.sums
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
    if verdicts.known and not purposes:
        yield (
            f"No purpose is stated, so your {noun.plural} were checked only for what every ad needs. State it with "
            "mediaan init FOLDER."
        )


_PROBLEMS = 6
_FEW = 2  # media that make a problem common


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The summary of a run."""

    verdicts: RunVerdicts
    noun: Noun
    headline: str
    """One sentence."""
    problems: Sequence[tuple[Reason, int]]
    """Reasons that several of the media that are shown share, whichever verdict they have, and how many do; the most
    common first."""
    lines: Sequence[str]
    """Sentences on how sure this is."""
    reasons: Mapping[str, Sequence[str]]
    """Keys of the common problems of each medium."""
    media: Mapping[str, MediumSummary]
    """Of each medium that is shown."""
    urgency: Mapping[str, int]
    """Place of each medium that is shown, 0 for the one that needs attention most, the best one last."""
    advertisers: Sequence[str]
    """Sentences on whose ads these seem to be, where no brand is named."""


def summarize_contents(contents: RunContents) -> RunSummary:
    """Summarize a run; verdicts are those of all its media, not only of those that are shown."""
    verdicts = read_verdicts(contents.run.path, contents.overview)
    done = [entry for entry in contents.entries if entry.result]
    is_ad = [entry.purpose is not None or any(row.norm_set == "ads" for row in entry.ranges) for entry in done]
    noun = ADS if is_ad and all(is_ad) else FILES
    media = {
        entry.medium_id or "": summarize_medium(
            entry.check_counts, reasons_of(entry.result.checks, entry.rules), entry.result.suggestions
        )
        for entry in done
        if entry.result
    }
    problems = _common_problems(media.values())
    keys = {reason.key for reason, _ in problems}
    purposes = any(objective.get("purpose") for objective in distinct_objectives(contents.run.facts))
    return RunSummary(
        verdicts=verdicts,
        noun=noun,
        headline=headline(
            verdicts, [(entry.name, media[entry.medium_id or ""]) for entry in done], contents.overview.done, noun
        ),
        problems=problems,
        lines=list(certainty_sentences(verdicts, noun, purposes=purposes)),
        reasons={
            medium_id: list(dict.fromkeys(reason.key for reason in summary.against if reason.key in keys))
            for medium_id, summary in media.items()
        },
        media=media,
        urgency=_urgency(done),
        advertisers=proposal_sentences(contents.run),
    )


def _common_problems(media: Iterable[MediumSummary]) -> list[tuple[Reason, int]]:
    """Return the reasons against several media, most media first, each as the first medium has it."""
    media_of: Counter[str] = Counter()  # by the key of a reason
    first: dict[str, Reason] = {}
    for summary in media:
        by_key = {reason.key: reason for reason in reversed(summary.against)}
        media_of.update(by_key.keys())
        first = by_key | first
    common = [(first[key], n) for key, n in media_of.items() if n >= _FEW]
    return sorted(common, key=lambda problem: (-problem[1], problem[0].short))[:_PROBLEMS]


_URGENCY: tuple[Verdict, ...] = ("attention", "open", "works", "unknown")


def _urgency(entries: Sequence[MediumEntry]) -> dict[str, int]:
    """Order media by verdict, then by their checks; media that are equal keep their order."""

    def place(entry: MediumEntry) -> tuple[int, ...]:
        counts = entry.check_counts
        within = tuple(-part for part in counts.best_first) if counts.verdict == "works" else counts.worst_first
        return _URGENCY.index(counts.verdict), *within

    return {entry.medium_id or "": place for place, entry in enumerate(sorted(entries, key=place))}


def calibration_remark(run: Mapping[str, Any]) -> str | None:
    """Say whose viewers a run predicts; None where they are those that the model was trained on."""
    facts = run.get("calibration")
    if not facts:
        return None
    scores = (
        "Focus is counted on the scale of the model as it ships, so that only runs with the same calibration compare."
    )
    despite = f" It was fitted to another model; the reason given: {facts['despite']}." if facts["despite"] else ""
    return f"{' '.join(facts['says'])} {scores}{despite}"
