"""Findings of axe-core about the page that a browser shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver

GRAVE = ("serious", "critical")
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
COLOUR_RULES = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
_RUN = """
const [rules, done] = arguments;
axe.run(document, { runOnly: rules, resultTypes: ["violations", "incomplete"] })
  .then(done, (error) => done({ error: String(error) }));
"""

needs_axe = pytest.mark.skipif(
    find_spec("axe_playwright_python") is None, reason="needs axe.min.js of axe-playwright-python"
)


@dataclass(frozen=True, slots=True)
class Scan:
    """What axe says of a page.

    Attributes
    ----------
    findings : list of str
        What keeps people out, one line each: the rule, where, and why.
    unmeasured : list of str
        Selectors of texts whose ground axe cannot tell: gradients, pictures, what lies on other things.
    """

    findings: list[str]
    unmeasured: list[str]


def scan(browser: webdriver.Chrome, rules: Mapping[str, Any] = RULES) -> Scan:
    """Look at the page as it is now."""
    if not browser.execute_script("return 'axe' in window"):
        browser.execute_script(_source())
    result = browser.execute_async_script(_RUN, rules)
    assert "error" not in result, result["error"]
    broken = [(rule, node) for rule in result["violations"] for node in rule["nodes"] if node["impact"] in GRAVE]
    unclear = [node for rule in result["incomplete"] if rule["id"] == "color-contrast" for node in rule["nodes"]]
    return Scan([_said(rule, node) for rule, node in broken], [node["target"][-1] for node in unclear])


def _said(rule: dict[str, Any], node: dict[str, Any]) -> str:
    why = "; ".join(check["message"] for group in ("any", "all", "none") for check in node[group])
    return f"{node['impact']} {rule['id']} at {node['target'][-1]}: {why}"


@cache
def _source() -> str:
    found = find_spec("axe_playwright_python")
    assert found.origin is not None
    return (Path(found.origin).parent / "axe.min.js").read_text("utf-8")
