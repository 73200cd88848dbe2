"""A folder of files to a run directory: tables, maps, facts; the same whatever the number of workers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from ad_folder import BROKEN, DISTINCT, GOOD, IN_ORDER, QUOTED, as_jpeg, picture, write_ads
from PIL import Image

import mediaan as mn
from mediaan.errors import UsageError
from mediaan.maps import default_map_names, image_map_names
from mediaan.run import TABLES, Run

METRICS = [
    "focus", "focus_first_two", "focus_last_two", "hotspot_count", "cognitive_demand", "clarity", "engagement",
    "design", "memory",
]  # fmt: skip
COLUMNS = [*METRICS, "pacing"]
"""Also what only media that move have."""


def recipe(**settings: object) -> mn.Recipe:
    return mn.Recipe.model_validate({"model": "centre-prior", "maps": ("heat", "fog"), "aois": "none", **settings})


def analyse(paths: object, out: Path, **settings: object) -> Run:
    given = {key: settings.pop(key) for key in ("objectives", "workers", "limit") if key in settings}
    return mn.analyze_folder(paths, out, recipe(**settings), **given)


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ads(tmp_path_factory.mktemp("given") / "ads")


@pytest.fixture(scope="module")
def run(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return analyse(ads, tmp_path_factory.mktemp("serial") / "run", workers=1, maps=default_map_names())


@pytest.fixture(scope="module")
def parallel(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return analyse(ads, tmp_path_factory.mktemp("parallel") / "run", workers=2, maps=default_map_names())


def table_path(run: Run, name: str) -> Path:
    return run.path / "tables" / f"{name}.parquet"


def test_one_row_per_file_in_the_order_of_paths(run: Run) -> None:
    media = run.media
    assert list(media.path) == IN_ORDER
    assert dict(zip(media.path, media.error_code.fillna("none"), strict=True)) == dict.fromkeys(GOOD, "none") | BROKEN
    assert list(media.name) == [path.rsplit("/")[-1] for path in IN_ORDER]
    done = media[media.status == "done"].set_index("path")
    assert set(done.index) == set(GOOD)
    assert (done.loc["banner.jpg", "width"], done.loc["banner.jpg", "height"]) == (160, 120)
    assert (done.loc[QUOTED, "width"], done.loc[QUOTED, "height"], done.loc[QUOTED, "codec"]) == (90, 200, "png")
    assert done.loc["banner.jpg", "size_bytes"] == len(as_jpeg(4))
    assert set(done.type) == {"image"}
    assert (media.seconds >= 0).all()


def test_a_failed_file_says_why_and_has_nothing_else(run: Run) -> None:
    failed = run.media[run.media.status == "failed"].set_index("path")
    assert set(failed.index) == set(BROKEN)
    assert failed[["medium_id", "type", "width", "height", "codec"]].isna().all(axis=None)
    assert "truncated.jpg" in failed.loc["truncated.jpg", "error_message"]
    problems = run.problems[run.problems.severity == "error"]
    assert list(problems.path) == sorted(BROKEN)
    assert list(problems.code) == [BROKEN[path] for path in problems.path]
    assert not set(run.problems.path[run.problems.severity != "error"]) & set(BROKEN)


def test_the_numbers_are_those_of_the_library(ads: Path, run: Run) -> None:
    result = mn.analyze(ads / QUOTED, model="centre-prior", aois="none")
    row = run.scores.loc[str(result.medium.medium_id)]
    assert row.path == QUOTED
    assert {score.metric: score.value for score in result.scores} == row[METRICS].to_dict()


def test_workers_change_nothing_but_the_clock(run: Run, parallel: Run) -> None:
    for name in TABLES:
        one, two = (
            frame.table(name).drop(columns=["created_at", "seconds"], errors="ignore") for frame in (run, parallel)
        )
        pd.testing.assert_frame_equal(one, two)
    for path in run.maps.path:
        assert (run.path / path).read_bytes() == (parallel.path / path).read_bytes()


def test_maps_are_there_and_nothing_else(run: Run) -> None:
    maps = run.maps
    for _, rows in maps.groupby("medium_id"):
        assert list(rows["map"]) == ["original", *image_map_names(), "density"]
    written = {path.relative_to(run.path).as_posix() for path in run.path.glob("maps/**/*") if path.is_file()}
    assert written == set(maps.path), "no file is left over, also not of the copy"
    for row in maps.itertuples():
        assert Path(row.path).stem == row.map
        if row.map == "density":
            continue
        with Image.open(run.path / row.path) as opened:
            opened.load()
            assert opened.format == "JPEG"
            assert min(opened.size) >= 90


def test_tables_say_what_their_columns_are(run: Run) -> None:
    for name, schema in TABLES.items():
        stored = pq.read_schema(table_path(run, name))
        assert stored.equals(schema), name
        assert stored.metadata[b"caption"] == schema.metadata[b"caption"]
        for field in schema:
            found = stored.field(field.name).metadata
            assert found[b"caption"] == field.metadata[b"caption"] != b""
            assert found.get(b"unit") == field.metadata.get(b"unit")
    assert pq.read_schema(table_path(run, "media")).field("width").metadata[b"unit"] == b"px"


def test_scores_are_one_row_per_medium(run: Run) -> None:
    scores = run.scores
    assert len(scores) == DISTINCT
    assert list(scores.columns) == ["path", *COLUMNS]
    assert list(scores.path) == [path for path in IN_ORDER if path in GOOD and path != "copy of banner.jpeg"]
    assert scores[METRICS].notna().all(axis=None)


def test_densities_are_kept_unless_it_is_said_otherwise(ads: Path, run: Run, tmp_path: Path) -> None:
    assert len(list(run.path.rglob("density.npz"))) == DISTINCT
    assert not list(analyse(ads / "banner.jpg", tmp_path / "none", densities=False).path.rglob("*.npz"))
    kept = analyse(ads / "banner.jpg", tmp_path / "run", maps=())
    assert list(kept.maps["map"]) == ["density"]
    with np.load(kept.path / kept.maps.path[0], allow_pickle=False) as densities:
        assert set(densities) == {"start", "end", "total"}
        for window in ("start", "end", "total"):
            density = densities[window]
            assert density.dtype == np.float32
            assert density.min() >= 0
            assert density.sum(dtype=np.float64) == pytest.approx(1, abs=1e-5)


def test_a_metric_that_is_null_everywhere_keeps_its_column(tmp_path: Path) -> None:
    """A plain picture has no contours, so clarity is undefined: null with a reason, never NaN or 0."""
    Image.new("RGB", (64, 64), (200, 30, 30)).save(tmp_path / "plain.png")
    run = analyse(tmp_path / "plain.png", tmp_path / "run")
    row = next(row for row in pq.read_table(table_path(run, "metrics")).to_pylist() if row["metric"] == "clarity")
    assert (row["value"], row["lo"], row["hi"]) == (None, None, None)
    assert "contours" in row["reason"]
    assert list(run.scores.columns) == ["path", *COLUMNS]


def test_an_earlier_run_stays_until_the_new_one_is_whole(ads: Path, tmp_path: Path) -> None:
    earlier = analyse(ads / "banner.jpg", tmp_path / "run")

    def cut(report: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mn.analyze_folder(ads, tmp_path / "run", recipe=recipe(), execution=mn.Execution(workers=1), on_report=cut)
    assert mn.read_run(tmp_path / "run").facts == earlier.facts


def test_a_run_inside_the_folder_is_not_analysed(tmp_path: Path) -> None:
    picture(1).save(tmp_path / "a.png")
    first = analyse(tmp_path, tmp_path / "runs" / "one")
    second = analyse(tmp_path, tmp_path / "runs" / "two")
    assert list(first.media.path) == list(second.media.path) == ["a.png"]
    original = next((tmp_path / "runs" / "one").glob("maps/*/original.jpg"))
    assert analyse(original, tmp_path / "three").facts["counts"]["done"] == 1, "named itself, a file is always taken"


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (lambda out: out.write_text("x"), "is a file"),
        (lambda out: (out.mkdir(), (out / "thesis.docx").write_text("x")), "no run of mediaan"),
        (lambda out: (out.mkdir(), (out / "run.json").write_text("{}")), "no run of mediaan"),
        (lambda out: (out.mkdir(), (out / "run.json").write_text("[1")), "no run of mediaan"),
        (lambda out: (out.mkdir(), (out / "run.json").write_text('{"recipe_id": "0"}')), "another recipe"),
    ],
    ids=["file", "other files", "other json", "half a json", "another recipe"],
)
def test_an_out_that_holds_something_else_is_refused(ads: Path, tmp_path: Path, prepare: object, said: str) -> None:
    out = tmp_path / "out"
    prepare(out)  # type: ignore[operator]
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(UsageError, match=said) as caught:
        analyse(ads, out)
    assert caught.value.code == "bad_out"
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_a_name_that_is_no_unicode(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    picture(1).save(tmp_path / f"{name}.png")
    (tmp_path / f"{name} broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 broken")
    run = analyse(tmp_path, tmp_path / "run", workers=1)
    assert list(run.media.path) == ["caf\\xe9 broken.jpg", "caf\\xe9.png"]
    assert list(run.media.name) == ["caf\\xe9 broken.jpg", "caf\\xe9.png"]
    assert list(run.media.status) == ["failed", "done"]


@pytest.mark.parametrize("content", [None, "{", '{"counts": {}}'])
def test_reading_where_there_is_no_run(tmp_path: Path, content: str | None) -> None:
    if content:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(UsageError) as caught:
        mn.read_run(tmp_path)
    assert caught.value.code == "no_run"
    assert str(tmp_path) in caught.value.message
