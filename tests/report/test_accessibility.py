"""Every page that is written, for everybody: scanned by axe-core, light and dark, on a desk and on a phone."""

from __future__ import annotations

import csv
from pathlib import Path

import contrast
import numpy as np
import pytest
from axe import COLOUR_RULES, RULES, needs_axe, scan
from browsing import needs_browser, open_fresh, wait_until
from click.testing import CliRunner
from fake_areas import MOVING, STILLS, add_areas
from fake_benchmark import add_benchmark, add_some_rules
from fake_run import medium_id, write_fake_run
from fake_video import FakeVideo, add_videos
from PIL import Image
from selenium import webdriver

from mediaan.cli.main import cli
from mediaan.report import write_report

MEDIA = 6
FAST = ("--aois", "none", "--maps", "heat", "--intervals", "none", "--workers", "1", "-q")
WIDTHS = (1440, 390)
VIEWS = {
    "overview": ("",),
    "picture": (f"#{medium_id(0)}",),
    "medium with notes": (f"#{medium_id(2)}",),
    "video": (f"#{medium_id(100)}",),
    "editor": (f"#{medium_id(0)}", "document.getElementById('edit-areas').click()"),
}
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"

pytestmark = [needs_browser, needs_axe]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One that has everything: areas, populations, rules, a video, a file that failed."""
    run = add_videos(write_fake_run(tmp_path_factory.mktemp("accessible") / "run", MEDIA), [FakeVideo(100)])
    run = add_some_rules(add_benchmark(add_areas(run, (*STILLS, *MOVING)), areas=True), MEDIA)
    return write_report(run).as_uri()


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


def show(browser: webdriver.Chrome, address: str, width: int, theme: str) -> None:
    open_fresh(browser, "about:blank")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wanted = [{"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})
    browser.get(address)
    wait_until(browser, "document.readyState === 'complete'")


def assert_open_to_all(browser: webdriver.Chrome, address: str, width: int, *deeds: str) -> None:
    """Scan a page in its state after some deeds: all rules in light, what depends on colours in dark."""
    for theme, rules in (("light", RULES), ("dark", COLOUR_RULES)):
        show(browser, address, width, theme)
        for deed in (OPEN_ALL, *deeds):
            browser.execute_script(deed)
        found = scan(browser, rules)
        faint = [str(text) for text in contrast.measured(browser, found.unmeasured) if text.is_faint]
        assert not found.findings + faint, "\n".join([theme, *found.findings, *faint])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("view", VIEWS)
def test_the_report(browser: webdriver.Chrome, report: str, view: str, width: int) -> None:
    place, *deeds = VIEWS[view]
    assert_open_to_all(browser, report + place, width, *deeds)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", ["groups", "ranking", "pair", "trend", "drift", "whatif"])
def test_pages_of_other_commands(browser: webdriver.Chrome, others: dict[str, str], page: str, width: int) -> None:
    assert_open_to_all(browser, others[page], width)
