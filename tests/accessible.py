"""What every page owes everybody, told from a real browser: axe-core's rules, contrast, landmarks, identifiers."""

from __future__ import annotations

from collections.abc import Iterable

import contrast
from axe import COLOUR_RULES, RULES, scan
from browsing import open_fresh, wait_until
from budget import budget
from selenium import webdriver

WIDTHS = (1440, 390)
_HEIGHT = 900
_OPEN_ALL = "for (const one of document.querySelectorAll('details:not(.menu)')) one.open = true"
_TWINS = (
    "const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);"
    "return ids.filter((id, i) => ids.indexOf(id) !== i)"
)
_DANGLING = (
    "return ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for', 'list'].flatMap((name) =>"
    "[...document.querySelectorAll(`[${name}]`)].flatMap((one) => one.getAttribute(name).split(' '))"
    ".filter((id) => !document.getElementById(id)))"
)
_SHOWN = (
    "return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility())"
    ".map((one) => one.textContent.trim())"
)


def emulate(browser: webdriver.Chrome, width: int = 1440, **features: str) -> None:
    """Give the browser a width and what a person prefers, such as `prefers_color_scheme="dark"`."""
    size = {"width": width, "height": _HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wanted = {"prefers_reduced_motion": "reduce"} | features
    listed = [{"name": name.replace("_", "-"), "value": value} for name, value in wanted.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": listed})


def show(browser: webdriver.Chrome, address: str, width: int, theme: str, *actions: str) -> None:
    """Open a page again, open all that folds, and do something there."""
    open_fresh(browser, "about:blank")
    emulate(browser, width, prefers_color_scheme=theme)
    browser.get_log("browser")
    browser.get(address)
    wait_until(browser, "document.readyState === 'complete'")
    for action in (_OPEN_ALL, *actions):
        browser.execute_script(action)
    complaints = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not complaints, complaints


def at_widths(names: Iterable[str]) -> list[tuple[str, int]]:
    """Return each name with a width, by turns; with ``--full`` with both."""
    return [(name, width) for i, name in enumerate(names) for width in budget((WIDTHS[i % 2],), WIDTHS)]


def assert_open_to_all(browser: webdriver.Chrome, address: str, width: int, *actions: str) -> None:
    """Scan a page in its state after some actions, by all rules: light on a desk, dark on a phone.

    With ``--full`` at every width all rules in light, and what depends on colours in dark.
    """
    one = {"light": RULES} if width == WIDTHS[0] else {"dark": RULES}
    for theme, rules in budget(one, {"light": RULES, "dark": COLOUR_RULES}).items():
        show(browser, address, width, theme, *actions)
        assert_scanned(browser, rules, theme)
    assert_well_formed(browser)


def assert_scanned(browser: webdriver.Chrome, rules: dict[str, object] = RULES, theme: str = "") -> None:
    found = scan(browser, rules)
    faint = [str(text) for text in contrast.measured(browser, found.unmeasured) if text.is_faint]
    assert not found.findings + faint, "\n".join([theme, *found.findings, *faint])


def assert_well_formed(browser: webdriver.Chrome) -> None:
    """One heading of the first level, one main part, identifiers that are one thing's and lead somewhere."""
    found = {
        "twin identifiers": browser.execute_script(_TWINS),
        "identifiers that are nowhere": browser.execute_script(_DANGLING),
    }
    assert not any(found.values()), found
    for what, selector in (("h1", "h1"), ("main", "main, [role=main]")):
        shown = browser.execute_script(_SHOWN, selector)
        assert len(shown) == 1, f"{what}: {[text[:60] for text in shown]}"
    assert browser.execute_script("return document.documentElement.lang !== '' && document.title !== ''")
