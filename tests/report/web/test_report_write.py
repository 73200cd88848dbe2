import base64
import json
import re
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pyarrow.parquet as pq
import pytest
from fake_run import add_facts, data_of, facts_of, name_of, score_of, write_fake_run
from fake_video import FakeVideo, add_videos
from page_tags import PageTags
from PIL import Image

from mediaan.errors import UsageError
from mediaan.report import write_report
from mediaan.report.entries import read_contents
from mediaan.report.web.images import LONG_SIDE, thumbnail_uri
from mediaan.report.web.page import ServedPage
from mediaan.report.write import render_report
from mediaan.run import read_run


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(read_run(write_fake_run(tmp_path_factory.mktemp("written") / "run")))


def test_files_with_the_same_bytes_are_one_entry(tmp_path: Path):
    entries = read_contents(read_run(write_fake_run(tmp_path, 3, maps=()))).entries
    assert [entry.name for entry in entries] == [name_of(0), name_of(1), name_of(2), "broken <b>.jpg"]
    assert entries[0].paths == ["ads/spring hero.jpg", "copies/spring hero.jpg"]
    assert [entry.done for entry in entries] == [True, True, True, False]
    assert entries[0].objective_words == "Brand building · Food"
    assert entries[2].notes[0].code == "profile_ignored"


def test_data_of_the_page_are_the_numbers_of_the_tables(page: Path):
    media = data_of(page)["media"]
    assert media[3]["scores"]["focus"]["value"] == score_of(3, "focus", 12)
    # 72.5 ± 11; 80 ± 8 and 65 to 50 are within what both move, 87.5 ± 4 and 42.5 ± 13 are not
    assert media[3]["scores"]["focus"]["standing"] == {"rank": 4, "first": 3, "last": 7, "of": 12}
    assert media[4]["scores"]["clarity"]["value"] is None
    assert media[4]["scores"]["clarity"]["reason"] == "no text was found"
    assert media[-1]["error_code"] == "truncated"


def test_map_addresses_reach_the_files(tmp_path: Path):
    page = write_report(read_run(write_fake_run(tmp_path / "run", 1)), layout="folder")
    address = data_of(page)["media"][0]["maps"]["heat"]
    assert (page.parent / unquote(address)).is_file()


def test_nothing_in_the_page_points_outside_the_run(page: Path):
    for _, attributes in PageTags(page.read_text("utf-8")).tags:
        for key in ("src", "href", "srcset", "action"):
            assert not re.match(r"(?i)(https?:)?//", attributes.get(key) or "")
    assert "@import" not in page.read_text("utf-8")


def test_rewriting_replaces_the_page_and_leaves_nothing_else(tmp_path: Path):
    run = write_fake_run(tmp_path, 2, maps=("original",))
    first = write_report(read_run(run)).read_bytes()
    assert write_report(read_run(run)).read_bytes() == first
    assert [path.name for path in (run / "report").iterdir()] == ["index.html"]


def test_a_run_without_maps_or_values_has_a_page(tmp_path: Path):
    page = write_report(read_run(write_fake_run(tmp_path, 0, maps=())))
    assert "no values" in page.read_text("utf-8")


def test_a_table_without_a_column_says_to_run_it_again(tmp_path: Path):
    run = write_fake_run(tmp_path, 1, maps=())
    path = run / "tables" / "media.parquet"
    pq.write_table(pq.read_table(path).drop_columns("share_read"), path)
    with pytest.raises(UsageError, match="lacks its column share_read; run the analysis again"):
        write_report(read_run(run))


def test_pictures_alone_have_nothing_of_videos(page: Path):
    run = page.parent.parent
    metrics = facts_of(run)["metrics"]
    pacing = metrics[0] | {"name": "pacing", "title": "Pacing", "unit": "1/min", "high": 60.0}
    add_facts(run, metrics=[*metrics, pacing])
    text = write_report(read_run(run)).read_text("utf-8")
    assert not [attributes for _, attributes in PageTags(text).tags if attributes.get("data-metric") == "pacing"]
    assert not [attributes for _, attributes in PageTags(text).tags if attributes.get("id") in ("kind", "read-videos")]
    assert {medium["timeline"] for medium in data_of(page)["media"]} == {None}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_fake_run(tmp_path_factory.mktemp("mixed") / "run", 2)
    bare = {"previews": (), "sheet": False}
    slow, fast = FakeVideo(100, **bare), FakeVideo(101, n=15, cuts=tuple(range(1, 15)), share_read=0.9999, **bare)
    return write_report(read_run(add_videos(run, [slow, fast, FakeVideo(102, n=36_000, **bare)])))


def test_scores_of_a_video_are_those_of_the_whole(mixed: Path):
    scores = data_of(mixed)["media"][3]["scores"]
    assert scores["focus"]["value"] == pytest.approx(50)  # rises evenly from 10 to 90; its windows have 22 and 78
    assert scores["focus"]["time"] == "total"
    assert scores["focus_last_two"]["value"] == pytest.approx(10 + 80 * 24.5 / 29)
    assert scores["pacing"]["value"] == pytest.approx(20)  # two cuts in six seconds


def test_a_value_beyond_the_range_of_its_metric_is_drawn_at_its_end(mixed: Path):
    assert data_of(mixed)["media"][4]["scores"]["pacing"]["value"] == pytest.approx(280)  # range 0-60
    assert "280.0" in mixed.read_text("utf-8")


def test_what_was_read_in_part_never_says_all_of_it(mixed: Path):
    assert "99 % read" in mixed.read_text("utf-8")
    assert "100 % read" not in mixed.read_text("utf-8")


def test_a_metric_that_the_run_does_not_explain_is_an_error(tmp_path: Path):
    run = write_fake_run(tmp_path, 1, maps=())
    add_facts(run, metrics=[metric for metric in facts_of(run)["metrics"] if metric["name"] != "memory"])
    with pytest.raises(UsageError, match="memory"):
        write_report(read_run(run))


def test_a_model_without_weights_is_called_a_baseline(tmp_path: Path):
    run = write_fake_run(tmp_path, 1, maps=())
    assert "is a baseline" not in write_report(read_run(run)).read_text("utf-8")
    add_facts(run, models=[{"name": "centre-prior", "sha256": None}])
    assert "is a baseline" in write_report(read_run(run)).read_text("utf-8")


def test_run_json_without_a_needed_key_is_an_error(tmp_path: Path):
    run = write_fake_run(tmp_path, 1, maps=())
    metrics = facts_of(run)["metrics"]
    del metrics[0]["direction"]
    add_facts(run, metrics=metrics)
    with pytest.raises(UsageError, match="direction"):
        write_report(read_run(run))


def test_thumbnail_keeps_the_aspect_and_the_colours(tmp_path: Path):
    Image.fromarray(np.full((300, 1000, 3), (200, 40, 90), np.uint8)).save(tmp_path / "wide.jpg", quality=95)
    uri = thumbnail_uri(tmp_path / "wide.jpg")
    small = Image.open(BytesIO(base64.b64decode(uri.removeprefix("data:image/webp;base64,"))))
    assert small.size == (LONG_SIDE, 96)
    assert np.abs(np.asarray(small).mean(axis=(0, 1)) - (200, 40, 90)).max() < 4


def test_only_a_page_of_a_server_may_speak_to_it(tmp_path: Path):
    run = write_fake_run(tmp_path / "run", 1, maps=())
    served = ServedPage("A & “B”", "/v2/images/1/aois", "/v2/media/1", "/", "/review/1")
    plain, shown = (
        {meta.get("http-equiv") or meta.get("name"): meta["content"] for tag, meta in PageTags(text).tags
         if tag == "meta" and "content" in meta}
        for text in (render_report(read_run(run)), render_report(read_run(run), served=served))
    )  # fmt: skip
    assert "mediaan-served" not in plain
    assert "connect-src" not in str(plain["Content-Security-Policy"])
    assert json.loads(str(shown["mediaan-served"])) == asdict(served) | {"formats": []}
    assert "default-src 'none'; connect-src 'self'; img-src" in str(shown["Content-Security-Policy"])
