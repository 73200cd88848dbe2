"""Every page that is written, for everybody: scanned by axe-core, light and dark, on a desk and on a phone."""

from __future__ import annotations

import csv
from pathlib import Path

import contrast
import numpy as np
import pytest
from accessible import assert_open_to_all, at_widths, emulate, show
from axe import needs_axe
from browsing import find, needs_browser, wait_until
from budget import budget
from click.testing import CliRunner
from fake_areas import MOVING, STILLS, add_areas
from fake_benchmark import add_benchmark, add_some_rules
from fake_densities import add_densities, made_up_densities
from fake_looks import add_looks
from fake_run import medium_id, write_fake_run
from fake_video import FakeVideo, add_videos
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from mediaan.cli.main import cli
from mediaan.report import write_report
from mediaan.run import read_run

MEDIA = 6
FAST = ("--aois", "none", "--maps", "heat", "--workers", "1", "-q")
VIEWS = {
    "overview": ("",),
    "gallery": ("", "document.querySelector('[data-look=gallery]').click()"),
    "side by side": (f"#compare={medium_id(0)},{medium_id(2)},{medium_id(3)}",),
    "keys": (f"#{medium_id(0)}", "document.getElementById('keys').click()"),
    "picture": (f"#{medium_id(0)}",),
    "medium with notes": (f"#{medium_id(2)}",),
    "video": (f"#{medium_id(100)}",),
    "editor": (
        f"#{medium_id(0)}",
        "document.getElementById('edit-areas').click(); document.querySelector('#draft-list button').click()",
    ),
}

_CONTROLS = """
const kinds = "a[href], button, input, select, textarea, summary, [tabindex='0']";
const canBe = (one) => one.tabIndex >= 0 && !one.disabled && (one.type !== "radio" || one.checked);
const nameOf = (one) => [one.tagName, one.id, one.ariaLabel, one.textContent.trim().slice(0, 60)].join(" ");
const controls = [...document.querySelectorAll(kinds)]
  .filter((one) => canBe(one) && one.checkVisibility({ visibilityProperty: true }));
window.visited = [];
const isRinged = (one) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
};
document.addEventListener("focusin", ({ target }) => visited.push({
  what: nameOf(target),
  seen: [target, target.parentElement, target.nextElementSibling].some((one) => one && isRinged(one)),
}));
return controls.map(nameOf);
"""
_FROM_THE_START = (
    "getSelection().removeAllRanges(); document.body.tabIndex = -1; document.body.focus();"
    "document.body.removeAttribute('tabindex')"
)
_PRESSES = 100
_BARS = """
return [...document.querySelectorAll(".bar")].filter((one) => one.checkVisibility()).flatMap((one) => {
  const box = one.getBoundingClientRect(), share = parseFloat(one.style.getPropertyValue("--v")) / 100;
  const high = parseFloat(one.style.getPropertyValue("--hi") || "0") / 100;
  if (box.bottom > innerHeight || box.top < 0 || share < 0.1 || Math.max(share, high) > 0.9) return [];
  return [[box.left + 0.05 * share * box.width, box.right - 0.04 * box.width, (box.top + box.bottom) / 2]];
})
"""

pytestmark = [needs_browser, needs_axe]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One that has everything: areas, populations, rules, a video, a file that failed."""
    run = add_videos(write_fake_run(tmp_path_factory.mktemp("accessible") / "run", MEDIA), [FakeVideo(100)])
    run = add_densities(add_areas(run, (*STILLS, *MOVING)), {0: made_up_densities(0)})
    run = add_some_rules(add_benchmark(run, areas=True), MEDIA)
    return write_report(read_run(add_looks(run))).as_uri()


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Pages that other commands write, of a few pictures that were analysed."""
    out = tmp_path_factory.mktemp("others")
    pictures = _write_pictures(out / "ads")
    attributes = _write_attributes(out / "attributes.csv", pictures)
    for name, model in (("old", "centre-prior"), ("new", "attention")):
        _command("analyze", out / "ads", "--out", out / name, "--model", model, *FAST)
    told = ("--attributes", attributes, "--by", "campaign", "--metric", "focus")
    _command("compare", "--runs", out / "old", *told, "--out", out / "groups")
    _command("compare", "--runs", out / "old", "--metric", "focus", "--out", out / "ranking", *pictures)
    _command("compare", "--runs", out / "old", "--out", out / "pair", *pictures[:2])
    _command("trend", out / "old", "--date", "date", *told, "--out", out / "trend")
    _command("drift", out / "old", out / "new", "--out", out / "drift.html")
    edit = ("--grey", "0.1,0.1,0.5,0.5", "--aois", "none", "--model", "centre-prior")
    _command("whatif", out / "ads" / pictures[0], *edit, "--out", out / "whatif")
    place = ("--screenshot", out / "ads" / pictures[1], "--at", "10%,10%,60%,60%", "--model", "centre-prior")
    _command("context", "page", out / "ads" / pictures[0], *place, "--out", out / "context")
    written = {"drift": out / "drift.html"} | {path.parent.name: path for path in out.glob("*/index.html")}
    return {name: path.as_uri() for name, path in written.items()}


def _write_pictures(folder: Path) -> list[str]:
    folder.mkdir()
    rng = np.random.default_rng(9)
    names = [f"ad {i}.png" for i in range(6)]
    for i, name in enumerate(names):
        picture = np.full((96, 128, 3), 200 - 20 * i, np.uint8)
        picture[20:60, 10 + 8 * i : 50 + 8 * i] = rng.integers(0, 255, (40, 40, 3))
        Image.fromarray(picture).save(folder / name)
    return names


def _write_attributes(path: Path, names: list[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("path", "campaign", "date"))
        writer.writerows((name, "spring" if i % 2 else "autumn", f"2025-0{i + 1}-15") for i, name in enumerate(names))
    return path


def _command(*arguments: object) -> None:
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=False)
    assert done.exception is None, (arguments, done.exception, done.output)


@pytest.mark.parametrize(("view", "width"), at_widths(VIEWS))
def test_the_report(browser: webdriver.Chrome, report: str, view: str, width: int) -> None:
    place, *actions = VIEWS[view]
    assert_open_to_all(browser, report + place, width, *actions)


@pytest.mark.parametrize("view", ["overview", "editor", *budget([], ["gallery", "picture", "video", "side by side"])])
def test_tab_comes_to_every_control_in_the_order_of_the_page(browser: webdriver.Chrome, report: str, view: str) -> None:
    place, *actions = VIEWS[view]
    show(browser, report + place, 1440, "light", *actions, _FROM_THE_START)
    controls = browser.execute_script(_CONTROLS)
    assert len(controls) > 10
    for done in range(0, len(controls) + 20, _PRESSES):
        ActionChains(browser, duration=0).send_keys(Keys.TAB * min(_PRESSES, len(controls) + 20 - done)).perform()
    visited = browser.execute_script("return visited")
    controls = [name for name in controls if not name.startswith("g ")]  # shapes come to the front when chosen
    stops = iter([stop["what"] for stop in visited])
    assert [one for one in controls if one not in stops] == [], "missed, or not in this order"
    assert [stop["what"] for stop in visited if not stop["seen"]] == []


def test_escape_closes_the_keys_and_nothing_else(browser: webdriver.Chrome, report: str) -> None:
    show(browser, report + VIEWS["keys"][0], 1440, "light")
    find(browser, "#keys").click()
    assert browser.execute_script("return document.getElementById('shortcuts').open")
    ActionChains(browser).send_keys(Keys.ESCAPE).perform()
    wait_until(browser, "!document.getElementById('shortcuts').open")
    assert browser.execute_script("return document.activeElement.id") == "keys"
    assert browser.execute_script("return document.getElementById('detail').checkVisibility()")
    ActionChains(browser).send_keys(Keys.ESCAPE).perform()
    wait_until(browser, "document.getElementById('detail').hidden")


@pytest.mark.parametrize("view", ["overview", "video", "side by side"])
def test_nothing_moves_where_motion_is_unwanted(browser: webdriver.Chrome, report: str, view: str) -> None:
    show(browser, report + VIEWS[view][0], 1440, "light")
    moving = (
        "[...document.querySelectorAll('*')].filter((one) => /[1-9]/.test(getComputedStyle(one).transitionDuration))"
    )
    assert browser.execute_script(f"return [document.getAnimations().length, {moving}.length]") == [0, 0]
    assert browser.execute_script("return getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.parametrize("view", ["gallery", "picture"])
def test_bars_are_seen_in_colours_that_the_system_forces(browser: webdriver.Chrome, report: str, view: str) -> None:
    place, *actions = VIEWS[view]
    show(browser, report + place, 1440, "light", *actions)
    emulate(browser, forced_colors="active")
    assert browser.execute_script("return matchMedia('(forced-colors: active)').matches")
    browser.execute_script("document.querySelector('main:not([hidden]) .bar').scrollIntoView({ block: 'center' })")
    bars = browser.execute_script(_BARS)
    screen = contrast.screen(browser)
    assert bars
    for x_filled, x_rest, y in bars:
        assert contrast.ratio(screen[round(y), round(x_filled)], screen[round(y), round(x_rest)]) > 1.4
