"""A result read back from a run is the one that the analysis returned."""

from __future__ import annotations

import string
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from budget import budget
from hypothesis import given, settings
from hypothesis import strategies as st
from written_runs import FACTS, add_outcome, write_run

import mediaan as mn
from mediaan.aoi.legibility import with_legibility
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.metrics import metric_specs
from mediaan.metrics.contributions import DRIVER_SPECS
from mediaan.run import RunWriter, read_run
from mediaan.run.metadata import RunMetadata
from mediaan.run.result_store import write_maps
from mediaan.run.tables.schema import SCENE_METRICS, SCREEN_METRICS
from mediaan.saliency.density_storage import TRACK_ARRAYS, DensityTrack
from mediaan.storage import LocalStorage
from mediaan.types.aoi import AOI_TYPES, Aoi, Box, Sighting, TextFacts
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.edits import Edit, Suggestion
from mediaan.types.media import Medium, Problem
from mediaan.types.metrics import Contribution, Fold, FrameScores, Scene, Score
from mediaan.types.result import Failed, Result
from mediaan.types.scanpath import AoiLook, OrderOfLooks, PathFixation

ADS = Path(__file__).parents[1] / "sample_ads"
NOT_KEPT = {"stages", "pictures", "videos", "measured_with", "objective", "looked_for"}
"""Sums and JPEG in a run, or entries of ``run.json``; the test on real files looks at the last three."""

numbers = st.floats(0, 100)
maybe = st.none() | numbers
words = st.text(string.ascii_letters + "äß愛\n “", max_size=12)
ids = st.uuids()


@st.composite
def scores(draw: st.DrawFn, specs: Any) -> tuple[Score, ...]:
    chosen = draw(st.lists(st.tuples(st.sampled_from(specs), st.sampled_from(WINDOWS)), unique=True, max_size=4))
    return tuple(
        Score.of(spec, draw(maybe), (draw(maybe), draw(maybe)), time=time, reason=draw(st.none() | words))
        for spec, time in chosen
    )


@st.composite
def drivers(draw: st.DrawFn) -> tuple[Contribution, ...]:
    names = draw(st.lists(st.sampled_from(sorted(DRIVER_SPECS)), unique=True, max_size=3))
    return tuple(Contribution(name, draw(maybe), DRIVER_SPECS[name].unit, draw(numbers), draw(words)) for name in names)


boxes = st.builds(Box, *[st.floats(0, 1)] * 4)
texts = st.none() | st.builds(TextFacts, st.none() | words, numbers, maybe, st.none() | st.booleans())
of_screens = st.fixed_dictionaries(dict.fromkeys(SCREEN_METRICS, maybe))
corners = st.tuples(st.floats(0, 1), st.floats(0, 1))


@st.composite
def aois(draw: st.DrawFn) -> Aoi:
    times = sorted(draw(st.lists(st.floats(0, 10), max_size=3, unique=True)))
    return Aoi(
        aoi_id=draw(ids),
        type=draw(st.sampled_from(AOI_TYPES)),
        label=draw(words),
        box=draw(boxes),
        confidence=draw(st.none() | st.floats(0, 1)),
        method=draw(st.sampled_from(("text", "drawn", "detector"))),
        polygon=draw(st.none() | st.lists(corners, min_size=3, max_size=5).map(tuple)),
        text=draw(texts),
        t0_s=draw(maybe),
        t1_s=draw(maybe),
        track=tuple(Sighting(t, draw(boxes), draw(st.floats(0, 1))) for t in times),
        scores=draw(scores(AOI_METRICS)),
    )


@st.composite
def results(draw: st.DrawFn, medium_id: UUID) -> Result:
    moves = draw(st.booleans())
    specs = metric_specs()
    areas = tuple(draw(st.lists(aois(), max_size=3, unique_by=lambda aoi: aoi.aoi_id)))
    frame_ids = range(draw(st.integers(1, 3)) if moves else 0)
    rate = draw(st.sampled_from((Fraction(25), Fraction(30000, 1001), Fraction(24000, 1001))))
    density = np.asarray(draw(st.lists(st.floats(0.1, 1), min_size=6, max_size=6)), np.float32).reshape(2, 3)
    domains = draw(st.none() | st.just({"photo": 0.25, "ad": 0.75}))
    track = DensityTrack()
    for i in frame_ids:
        track.add(float(i), 1.0, 0, density / density.sum())
    moving = {
        "frames": tuple(
            FrameScores(float(i), 1.0, 0, draw(numbers), draw(numbers), {name: draw(maybe) for name in SCENE_METRICS})
            for i in frame_ids
        ),
        "scenes": (Scene(0, 0.0, 3.0, "start", {name: draw(maybe) for name in SCENE_METRICS}),),
        "series": track.arrays() if moves else {},
    }
    suggestions = tuple(
        Suggestion(area.aoi_id, area.aoi_id, (Edit("scale", str(area.aoi_id), 1.5),), draw(words), "percentage_seen",
                   *draw(st.tuples(*[numbers] * 5)))
        for area in areas
    )  # fmt: skip
    looks = OrderOfLooks(
        (PathFixation(0.5, 0.5, 0.0, 0.3, areas[0].aoi_id if areas else None),),
        tuple(AoiLook(area.aoi_id, i + 1, draw(maybe)) for i, area in enumerate(areas)),
    )
    return Result(
        path=f"{medium_id}.png",
        medium=Medium(
            medium_id, f"{medium_id}.png", "video" if moves else "image", 30, 20, "png",
            *((3.0, rate, draw(st.none() | st.booleans())) if moves else (None, None, None)),
        ),
        scores=tuple(replace(score, drivers=draw(drivers())) for score in draw(scores(specs))),
        densities=Densities({"total": density}, domains=domains),
        problems=tuple(Problem(code, draw(words)) for code in draw(st.lists(st.sampled_from(("a", "b")), max_size=2))),
        size_bytes=draw(st.integers(0, 2**40)),
        share_read=draw(st.floats(0.9, 1)),
        aois=areas,
        novelty=draw(st.none() | st.floats(0, 1)),
        stated_domain=draw(st.sampled_from((None, "ad"))) if domains else None,
        brand_found=draw(st.none() | st.booleans()),
        brand_attention=draw(st.none() | st.floats(0, 100)),
        suggestions=suggestions,
        looks=draw(st.none() | st.just(looks)),
        folds=draw(st.lists(st.builds(Fold, st.just(1), *[numbers] * 4, of_screens), max_size=1).map(tuple)),
        **(moving if moves else {}),
    )  # fmt: skip


def assert_equal(read: Result, made: Result, *, without: set[str] = NOT_KEPT) -> None:
    for name in (field.name for field in fields(Result) if field.name not in without):
        ours, theirs = getattr(made, name), getattr(read, name)
        if name == "densities":
            assert (theirs.domains, theirs.screen) == (ours.domains, ours.screen)
            assert theirs.maps.keys() == ours.maps.keys()
            assert all(np.array_equal(theirs[window], ours[window]) for window in ours.maps)
        elif name == "series":
            assert set(theirs) == set(ours)
            assert all(np.array_equal(theirs[key], ours[key]) for key in ours)
        else:
            assert theirs == ours, f"{name}: {theirs!r} is not {ours!r}"


@given(data=st.data())
@settings(max_examples=budget(15, 50), deadline=None)
def test_any_result_is_read_back_as_it_was(data: st.DataObject) -> None:
    """Between others, a failure, and under a second path."""
    made = [data.draw(results(UUID(int=number))) for number in range(1, data.draw(st.integers(2, 4)))]
    made = [replace(one, aois=one.aois and with_legibility(one.aois, one.medium, one.platform)) for one in made]
    with TemporaryDirectory() as folder:
        writer = RunWriter(Path(folder), RunMetadata.parse(FACTS | {"recipe_id": "r"}))
        for result in made:
            add_outcome(writer, result, write_maps(LocalStorage(Path(folder)), result))
        add_outcome(writer, Failed("bad.png", "bad.png", "truncated", "It ends too early.", 7), {})
        writer.assign("copy.png", dict(writer.assigned())[made[0].path])
        writer.finish(
            order=[made[0].path, "bad.png", *(one.path for one in made[1:]), "copy.png"], skipped=0, seconds=1
        )
        writer.close()
        read = list(read_run(folder).results(densities=True))
        assert [one.path for one in read] == [*(one.path for one in made), "copy.png"]
        for ours, theirs in zip(made, read, strict=False):
            assert_equal(theirs, ours)
        copy = replace(made[0], path="copy.png", medium=replace(made[0].medium, name="copy.png"))
        assert_equal(read[-1], copy)


@pytest.mark.parametrize("name", ["ads/serum_square.jpg", "videos/coffee_spot.mp4"])
def test_a_real_analysis_is_read_back_as_it_was(name: str, tmp_path: Path) -> None:
    """Like `mediaan.analyze` says it, ranges, checks and verdict included."""
    made = mn.analyze(ADS / name, purpose=None)
    run = mn.analyze_folder(ADS / name, tmp_path / "run")
    (read,) = run.results(densities=True)
    assert_equal(read, made, without={"path", "stages", "pictures", "videos", "series", "densities", "measured_with"})
    assert all(read.measured_with[key] == made.measured_with[key] for key in ("mediaan", "models", "scores_id"))
    assert np.array_equal(read.densities["total"], made.densities["total"])
    assert set(read.pictures) >= {"heat", "original"}
    assert read.pictures["original"].dtype == np.uint8
    assert set(read.series) == (set(TRACK_ARRAYS) if read.moves else set())


def test_only_the_tables_that_are_asked_for_are_read(tmp_path: Path) -> None:
    run = mn.analyze_folder(ADS / "ads" / "serum_square.jpg", tmp_path / "run")
    (tmp_path / "run" / "tables" / "problems.parquet").write_bytes(b"nothing that is read")
    (read,) = run.results(("metrics",), metrics=["focus"])
    assert [score.metric for score in read.scores] == ["focus"]
    assert (read.aois, read.checks, read.looks) == (None, (), None)


def test_of_some_media_alone_the_same_is_read_in_the_same_order(tmp_path: Path) -> None:
    areas = {name: [("face", (0.1, 0.1, 0.4, 0.5), 10.0 * number)] for number, name in enumerate("abcd", 1)}
    run = read_run(write_run(tmp_path / "run", {name: {"focus": 50.0} for name in "abcd"}, areas=areas, failed=["e"]))
    every = {result.path: result for result in run.results(("metrics", "aois", "aoi_scores"))}
    ids = [str(every[name].medium.medium_id) for name in ("d", "b")]
    chosen = list(run.results(("metrics", "aois", "aoi_scores"), media=ids))
    assert chosen == [every["b"], every["d"]]
    assert [aoi.attention for result in chosen for aoi in result.aois or ()] == [20.0, 40.0]


def test_columns_and_metrics_that_another_version_had_otherwise_are_no_obstacle(tmp_path: Path) -> None:
    areas = {"a": [("face", (0.1, 0.1, 0.4, 0.5), 10.0)]}
    run = read_run(write_run(tmp_path / "run", {"a": {"focus": 50.0}}, areas=areas))
    for table, lacking in (("media", ["novelty", "domain_stated"]), ("metrics", ["lo", "hi"])):
        file = run.path / "tables" / f"{table}.parquet"
        pq.write_table(pq.read_table(file).drop_columns(lacking), file)
    file = run.path / "tables" / "aoi_scores.parquet"
    rows = pq.read_table(file).to_pylist()
    pq.write_table(pa.Table.from_pylist([rows[0] | {"metric": "glances"}], pq.read_schema(file)), file)
    (result,) = run.results()
    assert (result["focus"].value, result["focus"].bounds, result.novelty) == (50.0, None, None)
    assert [score.metric for aoi in result.aois or () for score in aoi.scores] == ["glances"]
