"""Count the results of a run's rules, and sort them by medium."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.judge.rules.check import RuleCounts
from mediaan.report.data.contents import Row, RunContents
from mediaan.report.data.scan import collect, scan
from mediaan.types.checks import RULE_STATUSES, Severity

_ORDER = {("failed", "error"): 0, ("failed", "warning"): 1, ("skipped", "error"): 2, ("skipped", "warning"): 2}


@dataclass(frozen=True, slots=True)
class MediumRuleCounts:
    """Results of one medium, counted."""

    passed: int
    failed: int
    warnings: int
    skipped: int


@dataclass(frozen=True, slots=True)
class RuleResults:
    """The rules of a run."""

    counts: list[RuleCounts]
    """The one that most media fail first."""
    of: Mapping[str, list[Row]]
    """Mapping of str to list of Row. Results by medium id that is shown, or by path where a file could not even be
    read; failures first."""
    _indices: Mapping[tuple[str, str, str], int] = field(default_factory=dict)

    def counts_of(self, medium_id: str | None, path: str) -> MediumRuleCounts | None:
        """Count the results of a medium; None where no rule is meant for it."""
        rows = self.of.get(medium_id or path)
        if not rows:
            return None
        failed = [row["severity"] for row in rows if row["status"] == "failed"]
        passed, skipped = (sum(row["status"] == status for row in rows) for status in ("passed", "skipped"))
        return MediumRuleCounts(passed, failed.count("error"), failed.count("warning"), skipped)

    def of_medium(self, medium_id: str | None, path: str) -> list[list[Any]]:
        """Return results for the page's script: ``[rule, status, message, sure]``, rule and status by their indices."""
        return [
            [self._indices[_key(row)], RULE_STATUSES.index(row["status"]), row["message"], row["sure"]]
            for row in self.of.get(medium_id or path, [])
        ]

    def data(self) -> list[Mapping[str, Any]]:
        """Return the rules for the page's script, in the order of `counts`."""
        keys = ("rule", "name", "severity", "why")
        return [{key: getattr(count, key) for key in keys} for count in self.counts]


def gather_rule_results(contents: RunContents) -> RuleResults:
    """Count results by rule over all media of a run, and sort those of media that are shown by medium.

    Files with the same bytes are one medium; what a rule for one path says of it counts once.
    """
    counts = count_rules(contents.run_dir, contents.run.get("rules"))
    of: dict[str, dict[tuple[Any, ...], Row]] = defaultdict(dict)
    for row in contents.rule_results:
        of[row["medium_id"] or row["path"]].setdefault((*_key(row), row["status"], row["message"]), row)
    failures_first = {
        key: sorted(rows.values(), key=lambda row: (_ORDER.get((row["status"], row["severity"]), 3), row["name"]))
        for key, rows in of.items()
    }
    indices = {(count.rule, count.name, str(count.severity)): index for index, count in enumerate(counts)}
    return RuleResults(counts, failures_first, indices)


_COUNTED = ["rule", "name", "severity", "status"]


def count_rules(run_dir: Path, rules: Any) -> list[RuleCounts]:
    """Count results by rule over all media of a run, the one that most media fail first.

    Parameters
    ----------
    run_dir : Path
    rules
        As `run.json` keeps them, each a text or a mapping with more to say; or None.
    """
    why = {rule["rule"]: rule.get("why") for rule in rules or () if isinstance(rule, Mapping) and "rule" in rule}
    ids = collect(scan(run_dir, "media", ("medium_id",)), "media", ("medium_id",))["medium_id"]
    paths = pc.value_counts(ids.drop_null())
    copied = paths.filter(pc.greater(paths.field("counts"), 1)).field("values")
    by_rule: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    seen = set[tuple[str, ...]]()  # results of files that have copies
    for batch in scan(run_dir, "rule_results", ("medium_id", "message", *_COUNTED)):
        has_copies = pc.is_in(batch["medium_id"], value_set=copied)
        once = pa.table(batch.filter(pc.invert(has_copies))).group_by(_COUNTED, use_threads=False)
        for row in once.aggregate([([], "count_all")]).to_pylist():
            by_rule[_key(row)][row["status"]] += row["count_all"]
        for row in batch.filter(has_copies).to_pylist():
            result = tuple(row.values())
            by_rule[_key(row)][row["status"]] += result not in seen
            seen.add(result)
    outcomes = []
    for (rule, name, severity), statuses in by_rule.items():
        level: Severity = "warning" if severity == "warning" else "error"
        outcomes.append(RuleCounts(rule, name, level, why.get(rule), *(statuses[status] for status in RULE_STATUSES)))
    return sorted(outcomes, key=lambda count: (count.severity == "warning", -count.failed, -count.skipped, count.name))


def _key(row: Row) -> tuple[str, str, str]:
    return row["rule"], row["name"], row["severity"]
