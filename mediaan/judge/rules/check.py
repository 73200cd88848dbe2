"""Sum up what rules say of a run's media."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from mediaan.judge.rules.parse import parse_rule
from mediaan.judge.rules.rule import Rule
from mediaan.types.checks import RuleResult, RuleStatus


class UnanalyzedFile(NamedTuple):
    """A file that no rule could be held against, and why."""

    path: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class RuleStatusCounts:
    """One rule over the media that it is meant for."""

    rule: Rule
    passed: int
    failed: int
    skipped: int

    @property
    def media(self) -> int:
        """Number of media it is meant for."""
        return self.passed + self.failed + self.skipped


@dataclass(frozen=True)
class Check:
    """Results of rules over the media of a run."""

    run: str
    """Where it is."""
    rules: tuple[Rule, ...]
    results: tuple[RuleResult, ...]
    """By medium, then by rule, in the order of the run and of the file."""
    media: int
    """Files that were analyzed."""
    unanalysed: tuple[UnanalyzedFile, ...] = ()
    """Files that could not be."""

    @property
    def is_vacuous(self) -> bool:
        """True if no rule could be held against any medium: such a check says nothing."""
        return all(result.status == "skipped" for result in self.results)

    @property
    def incomplete(self) -> bool:
        """True if files could not be analyzed, or a rule could be held against none of the media it is meant for."""
        return bool(self.unanalysed or self.never_checked) or (bool(self.results) and self.is_vacuous)

    @property
    def never_checked(self) -> tuple[Rule, ...]:
        """Rules, but for warnings, that are meant for media and could be held against none of them."""
        graves = (count for count in self.counts if count.rule.severity == "error")
        return tuple(count.rule for count in graves if count.media and count.media == count.skipped)

    def fails(self, *, strict: bool = False) -> bool:
        """Tell whether any rule but warnings failed on any medium; `strict`: or could not be told, or none could."""
        bad = ("failed", "skipped") if strict else ("failed",)
        failed = any(result.severity == "error" and result.status in bad for result in self.results)
        return failed or (strict and self.is_vacuous)

    def count(self, status: RuleStatus, severity: str | None = None) -> int:
        """Count results of a status, of one severity or both."""
        return sum(r.status == status and severity in (None, r.severity) for r in self.results)

    @property
    def failing_media(self) -> int:
        """Files that fail a rule that is no warning."""
        return len({r.path for r in self.results if r.status == "failed" and r.severity == "error"})

    @property
    def counts(self) -> tuple[RuleStatusCounts, ...]:
        """Results by rule, in the order of the file; rules that read alike are one."""
        rules = {_key(rule.text, rule.name, rule.severity): rule for rule in reversed(self.rules)}
        found: dict[tuple[str, str, str], list[RuleStatus]] = {key: [] for key in reversed(rules)}
        for result in self.results:
            found[_key(result.rule, result.name, result.severity)].append(result.status)
        return tuple(RuleStatusCounts(rules[key], *map(said.count, _STATUSES)) for key, said in found.items())

    @property
    def unused(self) -> tuple[Rule, ...]:
        """Rules that are meant for no medium of the run: perhaps misspelt."""
        return tuple(count.rule for count in self.counts if not count.media)

    def by_medium(self) -> Iterator[tuple[str, list[RuleResult]]]:
        """Yield the results of each medium, what fails most first; the worst medium first."""
        media: dict[str, list[RuleResult]] = {}
        for result in self.results:
            media.setdefault(result.path, []).append(result)

        def severity(result: RuleResult) -> tuple[bool, bool, bool, float]:
            failed, grave = result.status == "failed", result.severity == "error"
            return failed and grave, failed, result.status == "skipped", shortfall(result)

        def severity_of_medium(item: tuple[str, list[RuleResult]]) -> tuple[int, int, float]:
            """Return errors, then warnings as well, then by how much."""
            failed = [result for result in item[1] if result.status == "failed"]
            errors = sum(result.severity == "error" for result in failed)
            return errors, len(failed), max(map(shortfall, item[1]), default=0.0)

        for results in media.values():
            results.sort(key=severity, reverse=True)
        yield from sorted(media.items(), key=severity_of_medium, reverse=True)

    def to_dict(self, *, strict: bool = False, only_failed: bool = False) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return {
            "run": self.run,
            "passes": not self.fails(strict=strict) and not self.incomplete,
            "media": self.media,
            "failing_media": self.failing_media,
            "unanalysed": [one._asdict() for one in self.unanalysed],
            "passed": self.count("passed"),
            "failed": self.count("failed", "error"),
            "warnings": self.count("failed", "warning"),
            "skipped": self.count("skipped"),
            "rules": [
                {
                    "rule": count.rule.text,
                    "name": count.rule.name or count.rule.text,
                    "severity": count.rule.severity,
                    **({"why": count.rule.why} if count.rule.why else {}),
                    "passed": count.passed,
                    "failed": count.failed,
                    "skipped": count.skipped,
                }
                for count in self.counts
            ],
            "results": [asdict(r) for r in self.results if r.status == "failed" or not only_failed],
        }


_STATUSES: tuple[RuleStatus, ...] = ("passed", "failed", "skipped")


def shortfall(result: RuleResult) -> float:
    """Return by how much a rule fails, as a share of the score's range, so that units can be compared.

    Infinite where there is nothing to score; 0 where it does not fail; of a rule that only asks to be surer, the least.

    Examples
    --------
    >>> failed = dict(path="a", medium_id="i", name="", severity="error", status="failed", value=31.0, lo=None, hi=None)
    >>> failed |= dict(limit=40.0, margin=-9.0, sure=None, aoi_id=None, message="")
    >>> shortfall(RuleResult(rule="focus >= 40", **failed))
    0.09
    """
    if result.status != "failed":
        return 0.0
    if result.margin is None:
        return math.inf
    spec = parse_rule(result.rule).spec
    scale = spec.high - spec.low
    return max(1e-9, -result.margin) / (scale if math.isfinite(scale) else abs(result.limit or 0.0) or 1.0)


def _key(text: str, name: str, severity: str) -> tuple[str, str, str]:
    return text, name or text, severity
