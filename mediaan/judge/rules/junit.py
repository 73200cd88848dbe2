"""Results of rules as JUnit XML, for the test views of GitLab, GitHub and Jenkins.

A suite is a medium, a case is a rule. Only elements and attributes that these three know are written: the schema of
Jenkins' xUnit plugin (junit-10.xsd), and for GitLab, which shows the text of a failure and not its message, both.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from mediaan.judge.rules.check import Check
from mediaan.types.checks import RuleResult

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
    media: dict[str, list[RuleResult]] = {}
    for result in check.results:
        media.setdefault(result.path, []).append(result)
    for path, results in media.items():
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
