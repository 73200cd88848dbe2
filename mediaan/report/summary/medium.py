"""Summarize one medium: its verdict in a sentence, and the reasons for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mediaan.judge.checks.specs import check_specs
from mediaan.judge.checks.verdict import CheckCounts
from mediaan.types.checks import CheckResult, CheckStatus, RuleResult, Verdict
from mediaan.types.edits import Suggestion

Kind = Literal["rule", "check"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a verdict."""

    kind: Kind
    key: str
    """Shared by media that have the same reason."""
    short: str
    """The reason without its numbers, as many media share it."""
    text: str
    """With them."""
    sure: bool = True
    """False where the interval leaves another result possible."""
    required: bool = False
    """By the purpose."""
    todo: str | None = None
    """The change that would mend it, or what would settle it."""
    aoi_id: str | None = None
    """The area that it is about."""

    @property
    def data(self) -> Mapping[str, Any]:
        """As the page's script reads it; what is not stated is left out."""
        values = {
            "title": self.short,
            "text": self.text,
            "todo": self.todo,
            "sure": None if self.sure else False,
            "required": self.required or None,
            "aoi": self.aoi_id,
        }
        return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Reasons:
    """All reasons of one medium; what is required comes first."""

    against: Sequence[Reason] = ()
    """Failed rules, then failed checks."""
    in_favour: Sequence[Reason] = ()
    """Checks that passed."""
    undecided: Sequence[Reason] = ()
    """Checks that are too close to call or not known."""


def reasons_of(checks: Sequence[CheckResult], rules: Sequence[RuleResult]) -> Reasons:
    """Sort the checks and rule results of one medium into reasons."""
    flaws = {spec.name: spec.flaw for spec in check_specs()}
    by_status: dict[CheckStatus, list[Reason]] = {}
    for check in sorted(checks, key=lambda check: not check.required):
        reason = Reason(
            kind="check",
            key=check.name,
            short=flaws.get(check.name, check.title) if check.status == "failed" else check.title,
            text=check.text,
            sure=check.sure,
            required=check.required,
            todo=check.todo or check.settle,
            aoi_id=check.aoi_id,
        )
        by_status.setdefault(check.status, []).append(reason)
    failed_rules = [
        Reason("rule", f"rule {rule.name}", f"Fails the rule “{rule.name}”", rule.message, sure=rule.sure is not False)
        for rule in rules
        if rule.status == "failed" and rule.severity == "error"
    ]
    return Reasons(
        against=[*failed_rules, *by_status.get("failed", ())],
        in_favour=by_status.get("passed", []),
        undecided=[*by_status.get("unknown", ()), *by_status.get("close", ())],
    )


LEADS: Mapping[Verdict, str] = {
    "works": "Works",
    "attention": "Needs attention",
    "open": "Undecided",
    "unknown": "No verdict",
}


@dataclass(frozen=True, slots=True)
class MediumSummary:
    """A medium in short, as the page says first."""

    verdict: Verdict
    sentence: str
    """The verdict and what it rests on."""
    reasons: Reasons
    to_try: Sequence[str] = ()
    """Edits that were tried and are predicted to help, then what else would mend a failed check."""

    @property
    def data(self) -> Mapping[str, Any]:
        """As the page's script reads it."""
        sides = {"good": self.reasons.in_favour, "bad": self.reasons.against, "open": self.reasons.undecided}
        by_side = {side: [reason.data for reason in reasons] for side, reasons in sides.items()}
        return {"verdict": self.verdict, "sentence": self.sentence, "to_try": list(self.to_try)} | by_side


def summarize_medium(counts: CheckCounts, reasons: Reasons, suggestions: Sequence[Suggestion] = ()) -> MediumSummary:
    """Summarize one medium; its suggestions are those for its purpose, the largest gain first."""
    edited = {str(aoi_id) for edit in suggestions for aoi_id in (edit.aoi_id, edit.gains_aoi_id)}
    others = [reason.todo for reason in reasons.against if reason.todo and reason.aoi_id not in edited]
    to_try = list(dict.fromkeys([*(edit.text for edit in suggestions), *others]))
    return MediumSummary(counts.verdict, verdict_sentence(counts), reasons, to_try)


def verdict_sentence(counts: CheckCounts) -> str:
    """Return the verdict with what it rests on.

    Examples
    --------
    >>> verdict_sentence(CheckCounts(required_passed=3, passed=4, failed=1))
    'Works: passes all 3 required checks and 4 of 5 others.'
    >>> verdict_sentence(CheckCounts(rules_failed=1, required_failed=1, required_passed=2))
    'Needs attention: fails 1 rule and 1 of 3 required checks.'
    >>> verdict_sentence(CheckCounts(required_unknown=2, passed=1))
    'Undecided: 2 of 2 required checks are unknown.'
    """
    needed = counts.required_passed + counts.required_failed + counts.required_close + counts.required_unknown
    others = counts.passed + counts.failed + counts.close + counts.unknown
    of_needed = f"{needed} required {'check' if needed == 1 else 'checks'}"
    rest = f" and {counts.passed} of {others} others" if others else ""
    verdict = counts.verdict
    if verdict == "attention":
        failures = []
        if counts.rules_failed:
            failures.append(f"{counts.rules_failed} {'rule' if counts.rules_failed == 1 else 'rules'}")
        if counts.required_failed:
            failures.append(f"{counts.required_failed} of {of_needed}")
        elif counts.failed:
            failures.append(f"{counts.failed} of {others} other checks")
        what = f"fails {' and '.join(failures)}"
    elif verdict == "works" and counts.required_passed == needed:
        what = f"passes {f'all {of_needed}' if needed > 1 else f'the {of_needed}' if needed else 'its checks'}{rest}"
    elif verdict == "works":
        what = f"passes {counts.required_passed} of {of_needed}{rest}; the rest are too close to call"
    elif verdict == "open" and counts.required_unknown:
        what = f"{counts.required_unknown} of {of_needed} {'is' if counts.required_unknown == 1 else 'are'} unknown"
    elif verdict == "open":
        what = f"{counts.required_close} of {of_needed} are too close to call"
    else:
        what = "nothing could be checked"
    return f"{LEADS[verdict]}: {what}."
