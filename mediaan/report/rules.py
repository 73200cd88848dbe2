"""Rules of a run and what they say of its media, as the report shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mediaan.report.contents import Row, RunContents
from mediaan.types.rules import Severity, Status

_ORDER = {("failed", "error"): 0, ("failed", "warning"): 1, ("skipped", "error"): 2, ("skipped", "warning"): 2}
_STATUSES: tuple[Status, ...] = ("passed", "failed", "skipped")


@dataclass(frozen=True, slots=True)
class RuleCount:
    """One rule over the media that it is meant for.

    Attributes
    ----------
    rule, name : str
        As it was written, and what people call it.
    why : str or None
        Why it is asked for, as its author says.
    passed, failed, skipped : int
        Media.
    """

    rule: str
    name: str
    severity: Severity
    why: str | None
    passed: int
    failed: int
    skipped: int

    @property
    def total(self) -> int:
        """Media that the rule is meant for."""
        return self.passed + self.failed + self.skipped

    @property
    def shares(self) -> Mapping[str, float]:
        """Of failed, skipped and passed media, %."""
        return {name: 100 * getattr(self, name) / self.total for name in ("failed", "skipped", "passed")}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of one medium: counts of results."""

    passed: int
    failed: int
    warnings: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a run.

    Attributes
    ----------
    counts : list of RuleCount
        The one that most media fail first.
    of : mapping of str to list of Row
        Results by medium id, or by path where a file could not even be read; failures first.
    """

    counts: list[RuleCount]
    of: Mapping[str, list[Row]]
    _places: Mapping[tuple[str, str, str], int] = field(default_factory=dict)

    def verdict(self, medium_id: str | None, path: str) -> Verdict | None:
        """Counts for a medium; None where no rule is meant for it."""
        rows = self._rows(medium_id, path)
        if not rows:
            return None
        failed = [row["severity"] for row in rows if row["status"] == "failed"]
        passed, skipped = (sum(row["status"] == status for row in rows) for status in ("passed", "skipped"))
        return Verdict(passed, failed.count("error"), failed.count("warning"), skipped)

    def of_medium(self, medium_id: str | None, path: str) -> list[list[Any]]:
        """Results for the page's script: ``[rule, status, message, sure]``, rule and status by their places."""
        return [
            [self._places[_key(row)], _STATUSES.index(row["status"]), row["message"], row["sure"]]
            for row in self._rows(medium_id, path)
        ]

    def data(self) -> list[Mapping[str, Any]]:
        """The rules for the page's script, in the order of `counts`."""
        keys = ("rule", "name", "severity", "why")
        return [{key: getattr(count, key) for key in keys} for count in self.counts]

    def _rows(self, medium_id: str | None, path: str) -> list[Row]:
        return self.of.get(medium_id or path, [])


def gather_rules(contents: RunContents) -> Rules:
    """Bring the table of rule results in order by rule and by medium.

    Files with the same bytes are one medium; what a rule for one path says of it counts once.
    """
    why = {found["rule"]: found.get("why") for found in _written(contents.run.get("rules"))}
    of: dict[str, dict[tuple[Any, ...], Row]] = defaultdict(dict)
    by_rule: dict[tuple[str, str, str], list[Status]] = defaultdict(list)
    for row in contents.rule_results:
        found = of[row["medium_id"] or row["path"]]
        if (*_key(row), row["status"], row["message"]) not in found:
            found[*_key(row), row["status"], row["message"]] = row
            by_rule[_key(row)].append(row["status"])
    counts = sorted((_count(key, found, why) for key, found in by_rule.items()), key=_worst_first)
    places: dict[tuple[str, str, str], int] = {
        (count.rule, count.name, count.severity): place for place, count in enumerate(counts)
    }
    ordered = {key: sorted(rows.values(), key=_failures_first) for key, rows in of.items()}
    return Rules(counts, ordered, places)


def _written(rules: Any) -> list[Mapping[str, Any]]:
    """Rules as `run.json` keeps them: a text, or a mapping with more to say."""
    return [found for found in rules or () if isinstance(found, Mapping) and "rule" in found]


def _key(row: Row) -> tuple[str, str, str]:
    return row["rule"], row["name"], row["severity"]


def _count(key: tuple[str, str, str], found: Sequence[Status], why: Mapping[str, str | None]) -> RuleCount:
    rule, name, severity = key
    passed, failed, skipped = (found.count(status) for status in _STATUSES)
    grave: Severity = "warning" if severity == "warning" else "error"
    return RuleCount(rule, name, grave, why.get(rule), passed, failed, skipped)


def _worst_first(count: RuleCount) -> tuple[bool, int, int, str]:
    return count.severity == "warning", -count.failed, -count.skipped, count.name


def _failures_first(row: Row) -> tuple[int, str]:
    return _ORDER.get((row["status"], row["severity"]), 3), row["name"]
