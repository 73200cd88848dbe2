"""Summarize one medium: its verdict in a sentence, the reasons for it, and remarks on its scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from mediaan.judge.checks import check_specs
from mediaan.judge.verdict import CheckCounts
from mediaan.metrics import METRICS
from mediaan.report.formatting import digits
from mediaan.report.selection import Standing
from mediaan.types.checks import VERDICT_WORDS, CheckResult, CheckStatus, RuleResult, RuleStatus, Verdict
from mediaan.types.densities import Window
from mediaan.types.edits import Suggestion
from mediaan.types.metrics import Direction, MetricSpec, Score
from mediaan.types.result import Result

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


def reasons_of(checks: Sequence[CheckResult], rules: Sequence[RuleResult]) -> list[Reason]:
    """Put into words the rules that a medium does not pass, warnings included, then its checks, required ones first."""
    flaws = {spec.name: spec.flaw for spec in check_specs()}
    of_rules = [
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
    ]
    of_checks = [
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
    ]
    return of_rules + of_checks


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
    reasons: Sequence[Reason] = ()
    """As `reasons_of` gives them."""
    to_try: Sequence[str] = ()
    """What would mend failed checks, with edits that were tried first; then other edits that are predicted to help."""

    @property
    def against(self) -> list[Reason]:
        """Failed rules without warnings, then failed checks."""
        failed = (reason for reason in self.reasons if reason.status == "failed")
        return [reason for reason in failed if reason.kind == "check" or reason.required]

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
        """All reasons by status, failed ones first, and within a status what is required first."""
        order = list(STATUS_MARKS)
        return sorted(self.reasons, key=lambda reason: (order.index(reason.status), not reason.required))

    def _checks(self, status: CheckStatus) -> list[Reason]:
        return [reason for reason in self.reasons if reason.kind == "check" and reason.status == status]

    @property
    def data(self) -> Mapping[str, Any]:
        """As the page's script reads it."""
        sides = {"good": self.in_favour, "bad": self.against, "open": self.undecided}
        by_side = {side: [reason.data for reason in reasons] for side, reasons in sides.items()}
        return {"verdict": self.verdict, "sentence": self.sentence, "to_try": list(self.to_try)} | by_side


def summarize_medium(
    counts: CheckCounts, reasons: Sequence[Reason] = (), suggestions: Sequence[Suggestion] = ()
) -> MediumSummary:
    """Summarize one medium; its suggestions are those for its purpose, the largest gain first."""
    summary = MediumSummary(counts.verdict, verdict_sentence(counts), reasons)
    against = summary.against
    edited = {str(aoi_id) for edit in suggestions for aoi_id in (edit.aoi_id, edit.gains_aoi_id)}
    failing = {reason.aoi_id for reason in against}
    mends = [str(edit.gains_aoi_id) in failing for edit in suggestions]
    urgent = [edit.text for edit, is_urgent in zip(suggestions, mends, strict=True) if is_urgent]
    urgent += [reason.todo for reason in against if reason.todo and reason.aoi_id not in edited]
    others = [edit.text for edit, is_urgent in zip(suggestions, mends, strict=True) if not is_urgent]
    to_try = dict.fromkeys([*urgent, *others[: max(0, MOST_TO_TRY - len(urgent))]])
    return replace(summary, to_try=list(to_try))


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


WindowScores = Mapping[Window, Score]


def window_scores(scores: Sequence[Score], specs: Sequence[MetricSpec]) -> dict[str, WindowScores]:
    """Select metrics that are known for a window as well as for the whole, in the order of `specs`.

    A window's score may be the metric's own at that time, or a metric of its own name, such as focus_first_two.
    """
    by_metric: dict[str, dict[Window, Score]] = defaultdict(dict)
    for score in scores:
        by_metric[score.metric][score.time] = score
    selected: dict[str, WindowScores] = {}
    for spec in specs:
        times = dict(by_metric.get(spec.name, {}))
        for part, metric in METRICS.items():
            if metric.part_of == spec.name and (part_score := by_metric.get(part, {}).get(metric.window)):
                times.setdefault(metric.window, part_score)
        if "total" in times and len(times) > 1:
            selected[spec.name] = times
    return selected


def window_note(duration_s: float) -> str | None:
    """Say what the windows of a short medium have in common; None for one of at least four seconds.

    >>> window_note(3.0)
    'The video is shorter than four seconds, so the first and last 2 s overlap.'
    """
    if duration_s >= 4:
        return None
    if duration_s > 2:
        return "The video is shorter than four seconds, so the first and last 2 s overlap."
    return "The video is no longer than two seconds, so the first and last 2 s are all of it."


MIN_MEDIA = 8  # quarters of fewer media are one medium each


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence on one score."""

    metric: str
    kind: Literal["strength", "weakness", "extreme"]
    sentence: str


def remark(spec: MetricSpec, standing: Standing, good: Direction) -> Remark | None:
    """Say what stands out about a score, or None when nothing does.

    A medium stands out when it is in the outer quarter of at least `MIN_MEDIA` media and even its most
    unfavourable rank, if all move as far as they may, is in that half.

    `standing`: by the direction of `spec`.
    `good`: direction that is good for what the medium is for.
    """
    if standing.of < MIN_MEDIA:
        return None
    ranked_low_first = spec.direction == "lower"
    if standing.rank <= standing.of / 4 and standing.last <= standing.of / 2:
        return _remark(spec, good, high=not ranked_low_first)
    if standing.rank > standing.of * 3 / 4 and standing.first > standing.of / 2:
        return _remark(spec, good, high=ranked_low_first)
    return None


def _remark(spec: MetricSpec, good: Direction, *, high: bool) -> Remark:
    end = "high" if high else "low"
    title = f"{spec.title} (an estimate)" if spec.basis == "proxy" else spec.title
    where = f"{title} is in the {end}est quarter of this run"
    if good == "middle":
        return Remark(spec.name, "extreme", f"{where}; a middle value is best.")
    if high == (good == "higher"):
        return Remark(spec.name, "strength", f"{where}.")
    return Remark(spec.name, "weakness", f"{where}.")


def window_remark(result: Result) -> str | None:
    """Compare the focus of the first and the last two seconds in a sentence; None if unknown."""
    start, end = result.score("focus_first_two", "start"), result.score("focus_last_two", "end")
    if start is None or end is None or start.value is None or end.value is None:
        return None
    before, after = digits(start.value, 0), digits(end.value, 0)
    moves = sum(result.repeatability(score) or 0.0 for score in (start, end))
    if abs(end.value - start.value) <= moves:
        return f"Focus is {before} in the first two seconds and {after} in the last two: no clear change."
    verb, meaning = (
        ("rises", "attention concentrates") if end.value > start.value else ("falls", "attention spreads out")
    )
    return f"Focus {verb} from {before} to {after} between the first and the last two seconds: {meaning}."
