"""Count the results of a run's rules, and put them in the data of the page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.data.scan import collect, scan
from mediaan.types.checks import RuleResult, RuleStatus, Severity

RULE_STATUSES: tuple[RuleStatus, ...] = ("passed", "failed", "skipped")


@dataclass(frozen=True, slots=True)
class RuleOutcomes:
    """One rule over the media that it is meant for."""

    rule: str
    name: str
    """rule, name: As it was written, and what people call it."""
    severity: Severity
    why: str | None
    """Why it is asked for, as its author says."""
    passed: int
    failed: int
    skipped: int
    """passed, failed, skipped: Media."""

    @property
    def total(self) -> int:
        """Media that the rule is meant for."""
        return self.passed + self.failed + self.skipped

    @property
    def shares(self) -> Mapping[str, float]:
        """Of failed, skipped and passed media, %."""
        return {name: 100 * getattr(self, name) / self.total for name in ("failed", "skipped", "passed")}


def rules_data(outcomes: Sequence[RuleOutcomes]) -> list[Mapping[str, Any]]:
    """Return the rules of a run for the page's script."""
    return [{key: getattr(rule, key) for key in ("rule", "name", "severity", "why")} for rule in outcomes]


def rule_results_data(results: Iterable[RuleResult], outcomes: Sequence[RuleOutcomes]) -> list[list[Any]]:
    """Return results of one medium for the page's script: ``[rule, status, message, sure]``, the first two as indices.

    Parameters
    ----------
    results : iterable of RuleResult
    outcomes : sequence of RuleOutcomes
        In the order of `rules_data`.
    """
    places = {(rule.rule, rule.name, rule.severity): place for place, rule in enumerate(outcomes)}
    return [
        [
            places[result.rule, result.name, result.severity],
            RULE_STATUSES.index(result.status),
            result.message,
            result.sure,
        ]
        for result in results
    ]


_COUNTED = ["rule", "name", "severity", "status"]


def count_rules(run_dir: Path, rules: Any) -> list[RuleOutcomes]:
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
            by_rule[row["rule"], row["name"], row["severity"]][row["status"]] += row["count_all"]
        for row in batch.filter(has_copies).to_pylist():
            result = tuple(row.values())
            by_rule[row["rule"], row["name"], row["severity"]][row["status"]] += result not in seen
            seen.add(result)
    outcomes = []
    for (rule, name, severity), statuses in by_rule.items():
        level: Severity = "warning" if severity == "warning" else "error"
        outcomes.append(RuleOutcomes(rule, name, level, why.get(rule), *(statuses[status] for status in RULE_STATUSES)))
    return sorted(outcomes, key=lambda rule: (rule.severity == "warning", -rule.failed, -rule.skipped, rule.name))
