"""Summarize one medium: its verdict in a sentence, and the reasons for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mediaan.judge.checks.specs import check_specs
from mediaan.judge.checks.verdict import CheckCounts
from mediaan.types.checks import VERDICT_WORDS, CheckResult, CheckStatus, RuleResult, RuleStatus, Verdict
from mediaan.types.edits import Suggestion

STATUS_MARKS: Mapping[CheckStatus, tuple[str, str]] = {
    "failed": ("✕", "Fails"),
    "close": ("~", "Too close to call"),
    "unknown": ("?", "Unknown"),
    "passed": ("✓", "Passes"),
}
"""Symbol and word of each outcome of a check, in the order in which sheets show them: never by colour alone."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a verdict: a check, or a rule that was not passed."""

    kind: Literal["rule", "check"]
    key: str
    """Shared by media that have the same reason."""
    status: CheckStatus
    """A skipped rule is unknown."""
    title: str
    """The requirement."""
    short: str
    """The reason without its numbers, as many media share it."""
    text: str
    """With them."""
    required: bool = False
    """By the purpose, or by the user."""
    todo: str | None = None
    """The change that would mend it, or what would settle it."""
    aoi_id: str | None = None
    """The area that it is about."""

    @property
    def mark(self) -> str:
        """Symbol of the outcome."""
        return STATUS_MARKS[self.status][0]

    @property
    def word(self) -> str:
        """Word of the outcome."""
        return STATUS_MARKS[self.status][1]

    @property
    def data(self) -> Mapping[str, Any]:
        """As the page's script reads it; what is not stated is left out."""
        values = {
            "title": self.short,
            "text": self.text,
            "todo": self.todo,
            "required": self.required or None,
            "aoi": self.aoi_id,
            "unknown": self.status == "unknown" or None,
        }
        return {key: value for key, value in values.items() if value is not None}


_STATUS_OF_RULE: Mapping[RuleStatus, CheckStatus] = {"failed": "failed", "skipped": "unknown"}


@dataclass(frozen=True, slots=True)
class Reasons:
    """All reasons of one medium: rules before checks, what is required before the rest."""

    rules: Sequence[Reason] = ()
    """Rules that were not passed, warnings included."""
    checks: Sequence[Reason] = ()

    @classmethod
    def of(cls, checks: Sequence[CheckResult], rules: Sequence[RuleResult]) -> Reasons:
        """Put the checks and rule results of one medium into words."""
        flaws = {spec.name: spec.flaw for spec in check_specs()}
        return cls(
            rules=[
                Reason(
                    kind="rule",
                    key=f"rule {rule.name}",
                    status=_STATUS_OF_RULE[rule.status],
                    title=f"Rule: {rule.name}",
                    short=f"Fails the rule “{rule.name}”",
                    text=rule.message,
                    required=rule.severity == "error",
                )
                for rule in rules
                if rule.status in _STATUS_OF_RULE
            ],
            checks=[
                Reason(
                    kind="check",
                    key=check.name,
                    status=check.status,
                    title=check.title,
                    short=flaws.get(check.name, check.title) if check.status == "failed" else check.title,
                    text=check.text,
                    required=check.required,
                    todo=check.todo or check.settle,
                    aoi_id=check.aoi_id,
                )
                for check in sorted(checks, key=lambda check: not check.required)
            ],
        )

    @property
    def against(self) -> list[Reason]:
        """Failed rules without warnings, then failed checks."""
        return [rule for rule in self.rules if rule.required and rule.status == "failed"] + self._checks("failed")

    @property
    def in_favour(self) -> list[Reason]:
        """Checks that passed."""
        return self._checks("passed")

    @property
    def undecided(self) -> list[Reason]:
        """Checks that are not known, then those that are too close to call."""
        return self._checks("unknown") + self._checks("close")

    @property
    def worst_first(self) -> list[Reason]:
        """All of them by status, failed ones first, and within a status what is required first."""
        order = list(STATUS_MARKS)
        reasons = [*self.rules, *self.checks]
        return sorted(reasons, key=lambda reason: (order.index(reason.status), not reason.required))

    def _checks(self, status: CheckStatus) -> list[Reason]:
        return [check for check in self.checks if check.status == status]


LEADS: Mapping[Verdict, str] = {verdict: words.capitalize() for verdict, words in VERDICT_WORDS.items()}
"""Verdicts at the beginning of a sentence."""
MOST_TO_TRY = 3
"""Things to try, unless more checks failed; the table `suggestions` holds every edit that helps."""


@dataclass(frozen=True, slots=True)
class MediumSummary:
    """A medium in short, as the page says first."""

    verdict: Verdict
    sentence: str
    """The verdict and what it rests on."""
    reasons: Reasons
    to_try: Sequence[str] = ()
    """What would mend failed checks, with edits that were tried first; then other edits that are predicted to help."""

    @property
    def data(self) -> Mapping[str, Any]:
        """As the page's script reads it."""
        sides = {"good": self.reasons.in_favour, "bad": self.reasons.against, "open": self.reasons.undecided}
        by_side = {side: [reason.data for reason in reasons] for side, reasons in sides.items()}
        return {"verdict": self.verdict, "sentence": self.sentence, "to_try": list(self.to_try)} | by_side


def summarize_medium(counts: CheckCounts, reasons: Reasons, suggestions: Sequence[Suggestion] = ()) -> MediumSummary:
    """Summarize one medium; its suggestions are those for its purpose, the largest gain first."""
    edited = {str(aoi_id) for edit in suggestions for aoi_id in (edit.aoi_id, edit.gains_aoi_id)}
    failing = {reason.aoi_id for reason in reasons.against}
    mends = [str(edit.gains_aoi_id) in failing for edit in suggestions]
    urgent = [edit.text for edit, is_urgent in zip(suggestions, mends, strict=True) if is_urgent]
    urgent += [reason.todo for reason in reasons.against if reason.todo and reason.aoi_id not in edited]
    others = [edit.text for edit, is_urgent in zip(suggestions, mends, strict=True) if not is_urgent]
    to_try = list(dict.fromkeys([*urgent, *others[: max(0, MOST_TO_TRY - len(urgent))]]))
    return MediumSummary(counts.verdict, verdict_sentence(counts), reasons, to_try)


def verdict_sentence(counts: CheckCounts) -> str:
    """Return the verdict with what it rests on.

    >>> verdict_sentence(CheckCounts(required_passed=3, passed=4, failed=1))
    'Works: passes all 3 required checks and 4 of 5 others.'
    >>> verdict_sentence(CheckCounts(rules_failed=1, required_failed=1, required_passed=2))
    'Needs attention: fails 1 rule and 1 of 3 required checks.'
    >>> verdict_sentence(CheckCounts(required_passed=1, required_close=1, required_unknown=1))
    'Works: passes 1 of 3 required checks; 1 is too close to call and 1 is an open question.'
    >>> verdict_sentence(CheckCounts(required_unknown=2, passed=1))
    'No verdict: nothing that is required is known.'
    """
    needed = counts.required_passed + counts.required_failed + counts.required_close + counts.required_unknown
    others = counts.passed + counts.failed + counts.close + counts.unknown
    of_needed = f"{needed} required {'check' if needed == 1 else 'checks'}"
    rest = f" and {counts.passed} of {others} {'other' if others == 1 else 'others'}" if others else ""
    verdict = counts.verdict
    if verdict == "attention":
        failures = []
        if counts.rules_failed:
            failures.append(f"{counts.rules_failed} {'rule' if counts.rules_failed == 1 else 'rules'}")
        if counts.required_failed:
            failures.append(f"{counts.required_failed} of {of_needed}")
        elif counts.failed:
            failures.append(f"{counts.failed} of {others} other {'check' if others == 1 else 'checks'}")
        what = f"fails {' and '.join(failures)}"
    elif verdict == "works" and counts.required_passed == needed:
        what = f"passes {f'all {of_needed}' if needed > 1 else f'the {of_needed}' if needed else 'its checks'}{rest}"
    elif verdict == "works":
        close, unknown = counts.required_close, counts.required_unknown
        left = [f"{close} {'is' if close == 1 else 'are'} too close to call"] if close else []
        left += [f"{unknown} {'is an open question' if unknown == 1 else 'are open questions'}"] if unknown else []
        what = f"passes {counts.required_passed} of {of_needed}{rest}; {' and '.join(left)}"
    elif verdict == "open":
        what = (
            f"{counts.required_close} of {of_needed} {'is' if counts.required_close == 1 else 'are'} too close to call"
        )
    else:
        what = "nothing that is required is known"
    return f"{LEADS[verdict]}: {what}."
