"""Count the results of a run's rules, and sort them by medium."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.data.contents import Row, RunContents
from mediaan.report.data.scan import collect, scan
from mediaan.types.checks import RuleStatus, Severity

_ORDER = {("failed", "error"): 0, ("failed", "warning"): 1, ("skipped", "error"): 2, ("skipped", "warning"): 2}
_STATUSES: tuple[RuleStatus, ...] = ("passed", "failed", "skipped")


@dataclass(frozen=True, slots=True)
class RuleOutcomes:
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
class MediumRuleCounts:
    """What the rules say of one medium: counts of results."""

    passed: int
    failed: int
    warnings: int
    skipped: int


@dataclass(frozen=True, slots=True)
class RuleResults:
    """The rules of a run.

    Attributes
    ----------
    counts : list of RuleCount
        The one that most media fail first.
    of : mapping of str to list of Row
        Results by medium id that is shown, or by path where a file could not even be read; failures first.
    """

    counts: list[RuleOutcomes]
    of: Mapping[str, list[Row]]
    _places: Mapping[tuple[str, str, str], int] = field(default_factory=dict)

    def verdict(self, medium_id: str | None, path: str) -> MediumRuleCounts | None:
        """Counts for a medium; None where no rule is meant for it."""
        rows = self._rows(medium_id, path)
        if not rows:
            return None
        failed = [row["severity"] for row in rows if row["status"] == "failed"]
        passed, skipped = (sum(row["status"] == status for row in rows) for status in ("passed", "skipped"))
        return MediumRuleCounts(passed, failed.count("error"), failed.count("warning"), skipped)

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


def gather_rule_results(contents: RunContents) -> RuleResults:
    """Count results by rule over all media of a run, and bring those of media that are shown in order by medium.

    Files with the same bytes are one medium; what a rule for one path says of it counts once.
    """
    counts = count_rules(contents.run_dir, contents.run.get("rules"))
    of: dict[str, dict[tuple[Any, ...], Row]] = defaultdict(dict)
    for row in contents.rule_results:
        of[row["medium_id"] or row["path"]].setdefault((*_key(row), row["status"], row["message"]), row)
    places: dict[tuple[str, str, str], int] = {
        (count.rule, count.name, count.severity): place for place, count in enumerate(counts)
    }
    ordered = {key: sorted(rows.values(), key=_failures_first) for key, rows in of.items()}
    return RuleResults(counts, ordered, places)


_COUNTED = ["rule", "name", "severity", "status"]


def count_rules(run_dir: Path, written: Any) -> list[RuleOutcomes]:
    """Results by rule over all media of a run, the one that most media fail first.

    Parameters
    ----------
    run_dir : Path
    written
        The rules as `run.json` keeps them, or None.
    """
    why = {found["rule"]: found.get("why") for found in _written(written)}
    by_rule: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    copied, seen = _copied(run_dir), set[tuple[str, ...]]()
    for batch in scan(run_dir, "rule_results", ("medium_id", "message", *_COUNTED)):
        again = pc.is_in(batch["medium_id"], value_set=copied)
        once = pa.table(batch.filter(pc.invert(again))).group_by(_COUNTED, use_threads=False)
        for row in once.aggregate([([], "count_all")]).to_pylist():
            by_rule[_key(row)][row["status"]] += row["count_all"]
        for row in batch.filter(again).to_pylist():
            said = tuple(row.values())
            by_rule[_key(row)][row["status"]] += said not in seen
            seen.add(said)
    return sorted((_count(key, found, why) for key, found in by_rule.items()), key=_worst_first)


def _copied(run_dir: Path) -> pa.Array:
    """Ids of media that have several paths."""
    ids = collect(scan(run_dir, "media", ("medium_id",)), "media", ("medium_id",))["medium_id"]
    counted = pc.value_counts(ids.drop_null())
    return counted.filter(pc.greater(counted.field("counts"), 1)).field("values")


def _written(rules: Any) -> list[Mapping[str, Any]]:
    """Rules as `run.json` keeps them: a text, or a mapping with more to say."""
    return [found for found in rules or () if isinstance(found, Mapping) and "rule" in found]


def _key(row: Row) -> tuple[str, str, str]:
    return row["rule"], row["name"], row["severity"]


def _count(key: tuple[str, str, str], found: Counter[str], why: Mapping[str, str | None]) -> RuleOutcomes:
    rule, name, severity = key
    passed, failed, skipped = (found[status] for status in _STATUSES)
    grave: Severity = "warning" if severity == "warning" else "error"
    return RuleOutcomes(rule, name, grave, why.get(rule), passed, failed, skipped)


def _worst_first(count: RuleOutcomes) -> tuple[bool, int, int, str]:
    return count.severity == "warning", -count.failed, -count.skipped, count.name


def _failures_first(row: Row) -> tuple[int, str]:
    return _ORDER.get((row["status"], row["severity"]), 3), row["name"]
