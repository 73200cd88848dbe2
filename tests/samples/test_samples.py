"""The sample ads are what their README says: kinds, sizes, formats, nothing else in the folder."""

import re
from pathlib import Path

import av
import pytest
from PIL import Image, ImageOps
from PIL.GifImagePlugin import GifImageFile

ROOT = Path(__file__).resolve().parents[1] / "sample_ads"
ROW = re.compile(r"^\| (\w+\.\w+) \|.*?\| (\d+) x (\d+) \| (PNG|JPEG|WebP)(.*?) \|", re.MULTILINE)
TABLE = {name: (int(w), int(h), kind, rest) for name, w, h, kind, rest in ROW.findall((ROOT / "README.md").read_text())}


def test_table_and_folder_name_the_same_files() -> None:
    assert sorted(TABLE) == sorted(path.name for path in (ROOT / "ads").iterdir())
    assert len(TABLE) == 12


@pytest.mark.parametrize("name", sorted(TABLE))
def test_ad_is_as_the_table_says(name: str) -> None:
    width, height, kind, rest = TABLE[name]
    with Image.open(ROOT / "ads" / name) as picture:
        assert picture.format == kind.upper()
        assert (picture.mode == "P") == ("palette" in rest)
        assert bool(picture.info.get("progressive")) == ("progressive" in rest)
        assert picture.getexif().get(0x0112, 1) == (6 if "orientation 6" in rest else 1)
        assert ImageOps.exif_transpose(picture).size == (width, height)


@pytest.mark.parametrize("name", sorted(TABLE))
def test_ad_is_a_finished_picture(name: str) -> None:
    """A page that failed to load renders blank: no band of the picture may lack contrast altogether."""
    with Image.open(ROOT / "ads" / name) as picture:
        shown = ImageOps.exif_transpose(picture).convert("L")
    thirds = [shown.crop((0, shown.height * k // 3, shown.width, shown.height * (k + 1) // 3)) for k in range(3)]
    for third in thirds:
        low, high = third.getextrema()
        assert high - low > 30


def test_every_ad_has_its_page_and_everything_stays_small() -> None:
    assert {Path(name).stem for name in TABLE} == {page.stem for page in (ROOT / "source").glob("*.html")}
    assert sum(path.stat().st_size for path in ROOT.rglob("*") if path.is_file()) < 2_500_000


def test_film_and_banner_are_as_the_table_says() -> None:
    assert sorted(path.name for path in (ROOT / "videos").iterdir()) == ["coffee_spot.mp4", "sofa_banner.gif"]
    with av.open(str(ROOT / "videos" / "coffee_spot.mp4")) as film:
        (stream,) = film.streams.video
        assert (stream.width, stream.height, stream.codec_context.name) == (960, 540, "h264")
        assert (stream.average_rate, stream.frames) == (25, 250)
    with Image.open(ROOT / "videos" / "sofa_banner.gif") as banner:
        assert isinstance(banner, GifImageFile)
        assert banner.size == (300, 250)
        delays = []
        for index in range(banner.n_frames):
            banner.seek(index)
            delays.append(banner.info["duration"])
    assert delays == [1200, 800, 2000]


def test_every_photograph_has_a_stated_origin() -> None:
    made_here = {"bottle.jpg", "headphones.webp"}
    readme = (ROOT / "README.md").read_text()
    for photo in (ROOT / "source" / "photos").iterdir():
        assert photo.name in made_here or f"\n| {photo.name} |" in readme
