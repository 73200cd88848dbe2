"""Count the results of a run's rules, and put them in the data of the page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.judge.rules.check import RuleCounts
from mediaan.report.data.scan import collect, scan
from mediaan.types.checks import RULE_STATUSES, RuleResult, Severity


def rules_data(counts: Sequence[RuleCounts]) -> list[Mapping[str, Any]]:
    """Return the rules of a run for the page's script."""
    return [{key: getattr(rule, key) for key in ("rule", "name", "severity", "why")} for rule in counts]


def rule_results_data(results: Iterable[RuleResult], counts: Sequence[RuleCounts]) -> list[list[Any]]:
    """Return results of one medium for the page's script: ``[rule, status, message, sure]``, the first two as indices.

    `counts`: in the order of `rules_data`.
    """
    places = {(rule.rule, rule.name, rule.severity): place for place, rule in enumerate(counts)}
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


def count_rules(run_dir: Path, rules: Any) -> list[RuleCounts]:
    """Count results by rule over all media of a run, the one that most media fail first.

    `rules`: as `run.json` keeps them, each a text or a mapping with more to say; or None.
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
    counts = []
    for (rule, name, severity), statuses in by_rule.items():
        level: Severity = "warning" if severity == "warning" else "error"
        counts.append(RuleCounts(rule, name, level, why.get(rule), *(statuses[status] for status in RULE_STATUSES)))
    return sorted(counts, key=lambda rule: (rule.severity == "warning", -rule.failed, -rule.skipped, rule.name))
