"""How smoothly a page of very many media scrolls in a headless Chromium: ``python -m bench.scrolling --media 1000``.

The media are invented, their pictures drawn. Chromium opens the page from disk, as a table and as a gallery, and is
scrolled on by a fixed distance a frame; a frame's time is from one call of the browser before it paints to
the next. Without a screen Chromium paints on the processor, so a machine with a graphics card is smoother. A page of
nothing but lines is scrolled beside it, before and after: what that takes longer than 16.7 ms is the machine's.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from bench.million import _inventory, _ratings, _rules, _tables
from mediaan.report import write_report
from mediaan.run import read_run
from mediaan.run.tables.schema import TABLES

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_STEP = 120  # px a frame: 7,200 px a second at 60 frames
_FRAMES = 600
_SCROLL = """
const done = arguments[arguments.length - 1];
const [list, times] = [document.getElementById('all-media'), []];
scrollTo({ top: list.offsetTop, behavior: 'instant' });
let before = null;
function frame(at) {
  if (before !== null) times.push(at - before);
  before = at;
  if (scrollY >= list.offsetTop + list.offsetHeight - innerHeight || times.length >= %d) return done(times);
  scrollBy({ top: %d, behavior: 'instant' });
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
"""
_STRIPES = "repeating-linear-gradient(%23fff 0 9px,%23ccc 9px 10px)"
_LINES = f"data:text/html,<body><div id=all-media style='height:80000px;background:{_STRIPES}'>"
_FILTER = """
const at = performance.now();
mediaan.updateList({ text: '7' });
document.body.offsetHeight;
return performance.now() - at;
"""
_LAID_DOWN = "return mediaan.state.laying === null"
_LAID_OUT = """
const all = [...document.querySelectorAll('#media tbody tr, .gallery-card')].filter((one) => one.offsetParent);
return [all.length, all.filter((one) => one.firstElementChild.checkVisibility({ contentVisibilityAuto: true })).length];
"""


def main() -> None:
    """Invent a run, open its page in both looks, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--media", type=int, default=1000)
    parser.add_argument("--page", type=Path, help="a page that is there already")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = asked.page or _invented(Path(folder) / "run", asked.media)
        print(f"page of {page.stat().st_size / 1e6:.1f} MB")
        for look in ("table", "gallery"):
            print(json.dumps({"look": "nothing but lines"} | _idle()))
            print(json.dumps({"look": look} | _measured(page, look)))
        print(json.dumps({"look": "nothing but lines"} | _idle()))


def _invented(run: Path, media: int) -> Path:
    for step in (_inventory, _tables):
        step(run, media)
    _draw(run)
    for step in (_ratings, _rules):
        step(run, media)
    return write_report(read_run(run), limit=media, layout="folder")


def _draw(run: Path) -> None:
    """Write a thumbnail of each medium, 320 px wide."""
    ids = pq.read_table(run / "tables" / "media.parquet", columns=["medium_id"])["medium_id"].to_pylist()
    rng = np.random.default_rng(7)
    rows = []
    for medium_id in filter(None, ids):
        path = run / "maps" / medium_id / "thumb.jpg"
        path.parent.mkdir(parents=True)
        coarse = Image.fromarray(rng.integers(0, 256, (12, 16, 3), dtype=np.uint8))
        coarse.resize((320, 240), Image.Resampling.BICUBIC).save(path, quality=80)
        rows.append({"medium_id": medium_id, "map": "thumb", "path": path.relative_to(run).as_posix()})
    table = pq.read_table(run / "tables" / "maps.parquet").slice(0, 0)
    pq.write_table(type(table).from_pylist(rows, schema=TABLES["maps"]), run / "tables" / "maps.parquet")


@contextmanager
def _browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*_FLAGS, "--window-size=1440,900", "--enable-precise-memory-info"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    browser.set_script_timeout(300)
    try:
        yield browser
    finally:
        browser.quit()


def _idle() -> dict[str, Any]:
    with _browser() as browser:
        browser.get(_LINES)
        return _frames(browser)


def _frames(browser: webdriver.Chrome) -> dict[str, Any]:
    times = np.array(browser.execute_async_script(_SCROLL % (_FRAMES, _STEP)))
    return {
        "frames": len(times),
        "median_ms": round(float(np.median(times)), 1),
        "p95_ms": round(float(np.quantile(times, 0.95)), 1),
        "longest_ms": round(float(times.max()), 1),
        "over_50_ms": int((times > 50).sum()),
    }


def _measured(page: Path, look: str) -> dict[str, Any]:
    with _browser() as browser:
        browser.get("about:blank")
        began = time.perf_counter()
        browser.get(f"{page.as_uri()}#media?look={look}")
        opened = time.perf_counter() - began
        WebDriverWait(browser, 60).until(lambda page: page.execute_script(_LAID_DOWN))
        complete = time.perf_counter() - began
        filtered = browser.execute_script(_FILTER)
        browser.execute_script("mediaan.updateList({ text: '' })")
        WebDriverWait(browser, 60).until(lambda page: page.execute_script(_LAID_DOWN))
        made, laid_out = browser.execute_script(_LAID_OUT)
        frames = _frames(browser)
        heap = browser.execute_script("return performance.memory.usedJSHeapSize")
    return {
        "open_s": round(opened, 2),
        "all_there_s": round(complete, 2),
        "filter_ms": round(filtered),
        "made": made,
        "laid_out": laid_out,
        "heap_mb": round(heap / 1e6, 1),
    } | frames


if __name__ == "__main__":
    main()
