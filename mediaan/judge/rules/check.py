"""Summarize the results of rules over the media of a run, and write them as JUnit XML."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple
from xml.etree import ElementTree

from mediaan.judge.rules.parse import parse_rule
from mediaan.judge.rules.rule import Rule
from mediaan.types.checks import RULE_STATUSES, RuleCounts, RuleResult, RuleStatus


class UnanalyzedFile(NamedTuple):
    """A file that could not be analyzed, so that no rule was applied, and why."""

    path: str
    code: str
    message: str


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
        """True if no rule could be applied to any medium."""
        return all(result.status == "skipped" for result in self.results)

    @property
    def incomplete(self) -> bool:
        """True if files could not be analyzed, or a rule could be applied to none of the media that it is meant for."""
        return bool(self.unanalysed or self.never_checked) or (bool(self.results) and self.is_vacuous)

    @property
    def never_checked(self) -> tuple[str, ...]:
        """Names of rules of severity error that are meant for media and could be applied to none of them."""
        errors = (count for count in self.counts if count.severity == "error")
        return tuple(count.name for count in errors if count.media and count.media == count.skipped)

    def fails(self, *, strict: bool = False) -> bool:
        """Return True if a rule of severity error failed on any medium; `strict`: or was skipped, or all were."""
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
    def counts(self) -> tuple[RuleCounts, ...]:
        """Results by rule, in the order of the file; rules that read alike are one."""
        statuses = Counter((result.rule, result.name, result.severity, result.status) for result in self.results)
        rules = {(rule.text, rule.name or rule.text, rule.severity): rule.why or None for rule in reversed(self.rules)}
        return tuple(
            RuleCounts(*key, why, *(statuses[*key, status] for status in RULE_STATUSES))
            for key, why in reversed(rules.items())
        )

    @property
    def unused(self) -> tuple[str, ...]:
        """Names of rules that are meant for no medium of the run: perhaps misspelt."""
        return tuple(count.name for count in self.counts if not count.media)

    @property
    def media_results(self) -> Mapping[str, list[RuleResult]]:
        """Results by the path of their medium, in the order of the run."""
        media: dict[str, list[RuleResult]] = {}
        for result in self.results:
            media.setdefault(result.path, []).append(result)
        return media

    def by_medium(self) -> Iterator[tuple[str, list[RuleResult]]]:
        """Yield the results of each medium, the worst medium first, and of each the worst failure first."""

        def severity(result: RuleResult) -> tuple[bool, bool, bool, float]:
            failed, grave = result.status == "failed", result.severity == "error"
            return failed and grave, failed, result.status == "skipped", shortfall(result)

        def severity_of_medium(item: tuple[str, list[RuleResult]]) -> tuple[int, int, float]:
            """Return errors, then warnings as well, then by how much."""
            failed = [result for result in item[1] if result.status == "failed"]
            errors = sum(result.severity == "error" for result in failed)
            return errors, len(failed), max(map(shortfall, item[1]), default=0.0)

        media = [(path, sorted(results, key=severity, reverse=True)) for path, results in self.media_results.items()]
        yield from sorted(media, key=severity_of_medium, reverse=True)

    def to_dict(self, *, strict: bool = False, only_failed: bool = False) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return {
            "run": self.run,
            "passes": not self.fails(strict=strict) and not self.incomplete,
            "media": self.media,
            "failing_media": self.failing_media,
            "unanalysed": [file._asdict() for file in self.unanalysed],
            "passed": self.count("passed"),
            "failed": self.count("failed", "error"),
            "warnings": self.count("failed", "warning"),
            "skipped": self.count("skipped"),
            "rules": [count.to_dict() for count in self.counts],
            "results": [asdict(r) for r in self.results if r.status == "failed" or not only_failed],
        }


def shortfall(result: RuleResult) -> float:
    """Return by how much a rule fails, as a share of the score's range, so that scores of all units can be ordered.

    Infinite if there is no score, 0 if the rule does not fail, and tiny if only its interval fails.

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


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""

_ANALYSIS = "analysis"
"""Case of a file that could not be analyzed."""


def junit_xml(check: Check, *, strict: bool = False) -> str:
    """Write results as the text of an XML file.

    `strict`: rules that could not be told are failures too, but for warnings.
    Returns: with its declaration. Failed warnings are skipped cases: they are seen, and fail nothing.
    """
    why = {(rule.text, rule.name or rule.text): rule.why for rule in check.rules}
    root = ElementTree.Element("testsuites", {"name": "mediaan check"})
    for path, results in check.media_results.items():
        cases, names = [], set[str]()
        for result in results:
            # each case has a name of its own, since GitLab keeps only the first of those alike
            name, number = result.name, 2
            while name in names:
                name, number = f"{result.name} ({number})", number + 1
            names.add(name)
            cases.append(_case(path, name, result, why.get((result.rule, result.name), ""), strict))
        root.append(_suite(path, cases))
    for file in check.unanalysed:
        case = _element("testcase", classname=file.path, name=_ANALYSIS, time="0")
        case.append(_element("error", file.message, type=file.code, message=file.message))
        root.append(_suite(file.path, [case]))
    root.attrib |= {
        key: str(sum(int(suite.get(key, "0")) for suite in root)) for key in ("tests", "failures", "errors")
    }
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(path: str, cases: list[ElementTree.Element]) -> ElementTree.Element:
    counts = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
        "skipped": sum(case.find("skipped") is not None for case in cases),
    }
    suite = _element("testsuite", name=path, **{key: str(value) for key, value in counts.items()}, time="0")
    suite.extend(cases)
    return suite


def _case(path: str, name: str, result: RuleResult, why: str, strict: bool) -> ElementTree.Element:
    case = _element("testcase", classname=path, name=name, time="0")
    error = result.severity == "error"
    text = "\n".join(part for part in (result.message, why, f"rule: {result.rule}") if part)
    if error and result.status == "failed":
        case.append(_element("failure", text, type="rule", message=result.message))
    elif error and strict and result.status == "skipped":
        case.append(_element("failure", text, type="not_checked", message=f"not checked: {result.message}"))
    elif result.status == "failed":
        case.append(_element("skipped", text, type="warning", message=f"warning: {result.message}"))
    elif result.status == "skipped":
        case.append(_element("skipped", text, type="not_checked", message=f"not checked: {result.message}"))
    else:
        case.append(_element("system-out", result.message))
    return case


def _element(tag: str, text: str = "", **attributes: str) -> ElementTree.Element:
    element = ElementTree.Element(tag, {key: _clean(value) for key, value in attributes.items()})
    element.text = _clean(text) or None
    return element


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
