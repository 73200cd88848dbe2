"""What travels inside a report: as much as there is room for, and what is inside is what lies in the run."""

from __future__ import annotations

import base64
import json
import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_densities import add_densities, made_up_densities
from fake_run import MAP_NAMES, data_of, medium_id, write_fake_run
from fake_video import FakeVideo, add_videos
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from mediaan.errors import UsageError
from mediaan.report import write_report
from mediaan.report.web.images import DENSITY_BYTES, is_one_file, shrink_jpeg, videos_that_fit
from mediaan.run import read_run
from mediaan.workflow.report import write_report as write_again


def blocks(page: Path, kind: str) -> dict[str, str]:
    """Text of the blocks of a kind, by medium."""
    found = re.findall(
        rf'<script type="[a-z/]+" id="{kind}-([^"]+)">(.*?)</script>', page.read_text("utf-8"), re.DOTALL
    )
    return dict(found)


def pictures(page: Path, medium: str) -> dict[str, bytes]:
    addresses = json.loads(blocks(page, "pictures")[medium])
    return {name: base64.b64decode(uri.removeprefix("data:image/jpeg;base64,")) for name, uri in addresses.items()}


def enlarge(run: Path, side: int = 900) -> Path:
    """Give each map of a run noise, and as many pixels as those of real media: a page of them is large."""
    for i, file in enumerate(sorted(run.glob("maps/*/*.jpg"))):
        noise = np.random.default_rng(i).integers(0, 255, (side // 4, side // 3, 3), np.uint8)
        Image.fromarray(noise).resize((side, side * 3 // 4), Image.Resampling.BICUBIC).save(file, quality=80)
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return enlarge(write_fake_run(tmp_path_factory.mktemp("layout") / "run", 3))


def test_with_room_all_maps_are_inside_to_the_last_byte(run: Path):
    page = write_report(read_run(run))
    assert is_one_file(page)
    assert "../maps" not in page.read_text("utf-8")
    found = pictures(page, medium_id(1))
    assert found == {file.stem: file.read_bytes() for file in run.glob("maps/m 1#*/*.jpg")}
    assert set(found) == set(MAP_NAMES)
    medium = data_of(page)["media"][1]
    assert medium["maps"] == dict.fromkeys(found, True)
    assert medium["left_out"] == []


def test_with_less_room_pictures_become_smaller_then_fewer_then_stay_outside(run: Path):
    whole = write_report(read_run(run)).stat().st_size
    seen = []
    for share in (1.05, 0.8, 0.45, 0.3, 0.02):
        page = write_report(read_run(run), max_bytes=int(share * whole))
        if not is_one_file(page):
            seen.append("folder")
            assert (page.parent / "../maps").is_dir()
            assert data_of(page)["media"][0]["maps"]["heat"].startswith("../maps/")
            continue
        assert page.stat().st_size <= share * whole
        found = pictures(page, medium_id(0))
        sides = {name: max(Image.open(BytesIO(data)).size) for name, data in found.items()}
        left_out = data_of(page)["media"][0]["left_out"]
        assert set(found) | set(left_out) == set(MAP_NAMES)
        seen.append((sides["heat"], sides.get("clarity_heat")))
    assert seen == [(900, 900), (900, 512), (512, 512), (512, None), "folder"]


def test_one_file_that_is_asked_for_is_one_file_however_large(run: Path):
    page = write_report(read_run(run), layout="file", max_bytes=1000)
    assert is_one_file(page)
    assert set(pictures(page, medium_id(0))) == {"original", "heat", "fog", "first_two_heat", "last_two_heat"}


def test_a_smaller_picture_shows_the_same():
    y, x = np.mgrid[0:675, 0:900]
    picture = np.stack([x / 4, y / 3, 127 + 120 * np.sin(x / 30)], axis=2).astype(np.uint8)
    whole = BytesIO()
    Image.fromarray(picture).save(whole, "JPEG", quality=90)
    data = whole.getvalue()
    small = Image.open(BytesIO(shrink_jpeg(data)))
    expected = Image.open(BytesIO(data)).resize(small.size, Image.Resampling.BOX)
    assert small.size == (512, 384)
    assert np.abs(np.asarray(small, float) - np.asarray(expected, float)).mean() < 2
    assert shrink_jpeg(b"no picture") == b"no picture"


def test_the_run_keeps_to_the_layout_that_was_chosen(tmp_path: Path):
    run = write_fake_run(tmp_path / "run", 2)
    assert not is_one_file(write_again(run, layout="folder"))
    assert not is_one_file(write_report(read_run(run)))
    forwarded = write_again(run, out=tmp_path / "forwarded.html")
    assert is_one_file(forwarded)
    assert not is_one_file(run / "report" / "index.html")
    assert is_one_file(write_again(run, layout="auto"))
    assert json.loads((run / "run.json").read_text())["report"] == "auto"


def test_what_cannot_be_is_refused(tmp_path: Path):
    run = write_fake_run(tmp_path / "run", 1)
    with pytest.raises(UsageError, match="has to hold its images"):
        write_again(run, layout="folder", out=tmp_path / "page.html")
    with pytest.raises(UsageError, match="auto, file, folder"):
        write_again(run, layout="zip")  # type: ignore[arg-type]


def test_maps_that_are_gone_are_left_out_and_said(tmp_path: Path):
    run = write_fake_run(tmp_path / "run", 1)
    next(run.glob("maps/*/fog.jpg")).unlink()
    medium = data_of(write_report(read_run(run)))["media"][0]
    assert "fog" not in medium["maps"]
    assert medium["left_out"] == ["fog"]


def test_previews_travel_the_shortest_first_and_films_never(tmp_path: Path):
    short, long = FakeVideo(100, n=5, cuts=()), FakeVideo(101, n=30, cuts=())
    run = add_videos(write_fake_run(tmp_path / "run", 1, maps=()), [short, long])
    sizes = {file.parent.name: 0 for file in run.glob("maps/*/*.mp4")}
    for file in run.glob("maps/*/preview*.mp4"):
        sizes[file.parent.name] += file.stat().st_size
    page = write_report(read_run(run))
    assert set(blocks(page, "preview")) == {medium_id(100), medium_id(101)}
    film = next(run.glob("maps/*/preview.mp4"))
    assert base64.b64encode(film.read_bytes()).decode() in blocks(page, "preview").values()
    assert blocks(page, "heat_video") == {}


def test_densities_of_pictures_travel_in_both_layouts_unless_there_are_too_many(tmp_path: Path):
    run = write_fake_run(tmp_path / "run", 3)
    add_densities(run, {i: made_up_densities(i) for i in (0, 1)})
    (run / "maps" / "m 2#-00000002" / "d.npz").write_bytes(b"damaged")
    for layout in ("file", "folder"):
        page = write_report(read_run(run), layout=layout)
        assert set(blocks(page, "densities")) == {medium_id(0), medium_id(1)}
        assert [medium["scoring"] for medium in data_of(page)["media"][:3]] == ["here", "here", "no_densities"]
        assert data_of(page)["areas"]["scoring"]["model"]
        assert max(map(len, blocks(page, "densities").values())) < 1.3 * DENSITY_BYTES
    page = write_report(read_run(run), layout="folder", max_bytes=2 * DENSITY_BYTES)
    assert blocks(page, "densities") == {}
    assert [medium["scoring"] for medium in data_of(page)["media"][:3]] == ["left_out"] * 3
    assert data_of(page)["areas"]["scoring"] is None


@given(st.dictionaries(st.text(min_size=1), st.integers(0, 10**8), max_size=20), st.integers(10**5, 10**8))
def test_previews_never_take_more_than_half_of_the_room(sizes: dict[str, int], room: int):
    chosen = videos_that_fit(sizes, room)
    assert sum(sizes[name] for name in chosen) * 4 / 3 <= room / 2
    left = [size for name, size in sizes.items() if name not in chosen]
    assert all(sizes[name] <= size for name in chosen for size in left)


def test_names_of_maps_cannot_leave_their_block(tmp_path: Path):

    run = write_fake_run(tmp_path / "run", 1)
    table = pq.read_table(run / "tables" / "maps.parquet")
    names = [name if name != "heat" else "</script><b id=out>" for name in table["map"].to_pylist()]
    pq.write_table(
        table.set_column(table.schema.get_field_index("map"), "map", pa.array(names)), run / "tables" / "maps.parquet"
    )
    text = write_report(read_run(run)).read_text("utf-8")
    assert "<b id=out>" not in text
    assert json.loads(blocks(run / "report" / "index.html", "pictures")[medium_id(0)])["</script><b id=out>"]
