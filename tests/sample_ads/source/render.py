"""Render the sample ads: every HTML page here becomes one picture in ``../ads``.

``python render.py [NAME ...]`` needs Chromium (``--browser``) and Pillow.
Run products.py first if its pictures are missing.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
ADS = HERE.parent / "ads"


@dataclass(frozen=True)
class Ad:
    """A page and the picture made of it: size in CSS px, device scale, file kind."""

    name: str
    width: int
    height: int
    suffix: str
    scale: int = 1
    turned: bool = False

    @property
    def file(self) -> Path:
        return ADS / f"{self.name}{self.suffix}"


ADS_LIST = (
    Ad("app_screenshot", 1080, 1920, ".png"),
    Ad("bank_infographic", 1080, 1350, ".png"),
    Ad("cat_food_feed", 1200, 628, ".jpg"),
    Ad("coffee_leaderboard", 728, 90, ".jpg", scale=2),
    Ad("headphones_hero", 1440, 900, ".webp"),
    Ad("museum_story", 1080, 1920, ".jpg", turned=True),
    Ad("observatory_poster", 1240, 1754, ".jpg"),
    Ad("rocket_skyscraper", 300, 600, ".jpg", scale=2),
    Ad("serum_square", 1080, 1080, ".jpg"),
    Ad("sofa_sale_flyer", 1080, 1080, ".png"),
    Ad("spa_low_contrast", 1200, 628, ".jpg"),
    Ad("supermarket_flyer", 1240, 1754, ".jpg"),
)

QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--force-color-profile=srgb", "--allow-file-access-from-files",
]  # fmt: skip


def screenshot(ad: Ad, browser: str, folder: Path) -> Image.Image:
    target = folder / f"{ad.name}.png"
    # Headless Chromium keeps some rows for window furniture in small windows: ask for more and crop.
    size = f"--window-size={max(ad.width, 500)},{ad.height + 200}"
    page = HERE / f"{ad.name}.html"
    command = [browser, *QUIET, f"--user-data-dir={folder / 'profile'}", f"--force-device-scale-factor={ad.scale}"]
    command += [size, "--virtual-time-budget=3000", f"--screenshot={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with Image.open(target) as picture:
        return picture.convert("RGB").crop((0, 0, ad.width * ad.scale, ad.height * ad.scale))


def save(picture: Image.Image, ad: Ad) -> None:
    if ad.suffix == ".png":
        # The pages saved as PNG use flat colours: a palette without dither loses nothing visible.
        picture.quantize(256, dither=Image.Dither.NONE).save(ad.file, optimize=True)
    elif ad.suffix == ".webp":
        picture.save(ad.file, quality=86, method=6)
    elif ad.turned:
        # Stored on its side as a phone does; EXIF orientation 6 = turn 90° clockwise to view.
        exif = Image.Exif()
        exif[0x0112] = 6
        picture.transpose(Image.Transpose.ROTATE_90).save(ad.file, quality=85, optimize=True, exif=exif)
    else:
        picture.save(ad.file, quality=85, optimize=True, progressive=ad.width >= 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *(ad.name for ad in ADS_LIST)])
    parser.add_argument("--browser", default="chromium")
    options = parser.parse_args()
    ADS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for ad in ADS_LIST:
            if not options.names or ad.name in options.names:
                save(screenshot(ad, options.browser, Path(folder)), ad)
                print(f"{ad.file.name}: {ad.file.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
