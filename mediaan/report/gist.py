"""What matters of one medium: its verdict in a sentence, what speaks for it and what against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mediaan.report.reasons import Reason
from mediaan.report.verdicts import Evidence, Verdict

_REASONS = 4  # of each side; the page shows three, and their advice
_LEADS: Mapping[Verdict, str] = {"works": "Works", "attention": "Needs attention", "open": "Undecided"}


@dataclass(frozen=True, slots=True)
class Gist:
    """What the page says first of a medium.

    Attributes
    ----------
    sentence : str
        The verdict and what it rests on.
    good, bad : sequence of Reason
        What weighs most comes first.
    """

    verdict: Verdict
    sentence: str
    good: Sequence[Reason]
    bad: Sequence[Reason]

    @property
    def data(self) -> Mapping[str, Any]:
        """As the page's script reads it; what is not said is left out."""
        sides = {"good": self.good, "bad": self.bad}
        reasons = {side: [_reason_data(reason) for reason in found] for side, found in sides.items()}
        return {"verdict": self.verdict, "sentence": self.sentence} | reasons


def gist(evidence: Evidence, good: Sequence[Reason], bad: Sequence[Reason], *, within_run: bool, sure: bool) -> Gist:
    """Say what matters.

    Parameters
    ----------
    evidence : Evidence
        Counts behind the verdict.
    good, bad : sequence of Reason
    within_run : bool
        Ranks within the run stand in for recommended ranges.
    sure : bool
        Whether intervals decided, and not values alone.
    """
    return Gist(evidence.verdict, _sentence(evidence, within_run, sure), good[:_REASONS], bad[:_REASONS])


def _sentence(evidence: Evidence, within_run: bool, sure: bool) -> str:
    """Verdict and counts.

    Examples
    --------
    >>> _sentence(Evidence(scores=3, met=2), within_run=False, sure=True)
    'Works: 2 of 3 scores lie in their recommended range, and none is surely outside (proxies do not count).'
    >>> _sentence(Evidence(rules_failed=1, scores=3, missed=1), within_run=False, sure=True)
    'Needs attention: it fails 1 rule, and 1 of 3 scores is surely outside its recommended range.'
    >>> _sentence(Evidence(proxies=2), within_run=False, sure=True)
    'No verdict: no range is recommended for its scores (proxies do not count).'
    """
    if evidence.verdict == "unknown":
        return "No verdict: no range is recommended for its scores (proxies do not count)."
    facts = _against(evidence, within_run, sure) or [_balance(evidence, within_run, sure)]
    return f"{_LEADS[evidence.verdict]}: {', and '.join(facts)}."


def _against(evidence: Evidence, within_run: bool, sure: bool) -> list[str]:
    rules, missed, surely = evidence.rules_failed, evidence.missed, "surely " if sure else ""
    where = "in the weaker half of this run" if within_run else f"outside {_their(missed)} recommended range"
    found = [f"it fails {rules} rule{'s' if rules > 1 else ''}"] if rules else []
    if missed:
        found.append(f"{missed} of {evidence.scores} scores {'is' if missed == 1 else 'are'} {surely}{where}")
    return found


def _balance(evidence: Evidence, within_run: bool, sure: bool) -> str:
    met, surely = evidence.met, "surely " if sure else ""
    of = f"{met or 'none'} of {evidence.scores} scores lie{'s' if met <= 1 else ''}"
    if within_run:
        return f"{of} {surely}in the better half of this run, and none {surely}in the weaker one (proxies do not count)"
    return f"{of} in {_their(met)} recommended range, and none is {surely}outside (proxies do not count)"


def _their(n: int) -> str:
    return "its" if n == 1 else "their"


def _reason_data(reason: Reason) -> Mapping[str, Any]:
    said = {"text": reason.text, "why": reason.why, "todo": reason.todo, "sure": None if reason.sure else False}
    return {key: value for key, value in said.items() if value is not None}
