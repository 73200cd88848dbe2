"""Picture of README: `python docs/site/example.py` analyzes a sample ad and draws its report into docs/example.webp.

Needs `pip install 'mediaan[web]'` and Chromium.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import mediaan as mn

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "sample_ads"
PARTS = ("#compare", "#medium-summary")
BACKGROUND, MARGIN_PX, WINDOW = (244, 245, 249), 20, {"width": 1200, "height": 1140}
VERDICT_SCALE = 1.34  # so that its words can be read in a README


def parts_of(page: Path) -> list[Image.Image]:
    """Take a picture of each part of the page of the only ad of a report."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        opened = browser.new_page(viewport=WINDOW, device_scale_factor=VERDICT_SCALE)
        opened.goto(page.as_uri())
        opened.locator(".gallery-card button, .gallery-card a").first.click()
        opened.mouse.move(0, 0)  # no area is under it
        opened.wait_for_timeout(2000)  # maps fade in
        pictures = [Image.open(io.BytesIO(opened.locator(part).screenshot())).convert("RGB") for part in PARTS]
        browser.close()
    return pictures


def main() -> None:
    """Analyze the ad, and put picture and verdict side by side."""
    with tempfile.TemporaryDirectory() as folder:
        ad_path, objectives = SAMPLES / "ads" / "museum_story.jpg", SAMPLES / "mediaan.yaml"
        mn.analyze_folder(ad_path, folder, objectives=objectives, progress=False)
        ad, verdict = parts_of(mn.write_report(folder))
    ad = ad.resize((round(ad.width * 800 / ad.height), 800), Image.Resampling.LANCZOS)
    picture = Image.new("RGB", (ad.width + verdict.width + 3 * MARGIN_PX, ad.height + 2 * MARGIN_PX), BACKGROUND)
    picture.paste(ad, (MARGIN_PX, MARGIN_PX))
    picture.paste(verdict, (ad.width + 2 * MARGIN_PX, (picture.height - verdict.height) // 2))
    picture.save(ROOT / "docs" / "example.webp", quality=82, method=6)


if __name__ == "__main__":
    main()
