"""Areas of interest in the data of the page."""

import json
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from fake_areas import CARD, HEADLINE, MOVING, NOBODY, RUNNER, STILLS, add_areas, scores_of
from fake_run import data_of, write_fake_run
from fake_video import FPS, FakeVideo, add_videos

from mediaan.report import write_report
from mediaan.report.counts import count_area_types
from mediaan.report.entries import read_contents
from mediaan.report.timeline import TOLERANCE, AreaTrack, simplify_track
from mediaan.run import read_run
from mediaan.types.aoi import Aoi, Box, Sighting


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = add_videos(write_fake_run(tmp_path_factory.mktemp("areas") / "run", 4), [FakeVideo(100)])
    return add_areas(run, (*STILLS, *MOVING))


@pytest.fixture(scope="module")
def text(run: Path) -> str:
    return write_report(read_run(run)).read_text("utf-8")


def test_areas_are_numbered_by_how_many_see_them_and_unknown_ones_come_last(text: str):
    areas = data_of(text)["media"][0]["areas"]
    assert [area["id"] for area in areas] == [a.id for a in sorted(STILLS[:4], key=lambda a: -(a.seen or 0))]
    assert [area["type"] for area in areas] == ["headline_text", "product", "branding", "face"]


def test_scores_are_those_of_the_table_in_the_order_that_the_page_states(text: str):
    data = data_of(text)
    names, times = [metric["name"] for metric in data["areas"]["metrics"]], data["areas"]["times"]
    headline, face = data["media"][0]["areas"][0], data["media"][0]["areas"][3]
    for time in times:
        for name, value in scores_of(HEADLINE, time).items():
            found = headline["scores"][names.index(name)][times.index(time)]
            assert found == pytest.approx([value, value * 0.5, value * 1.25], abs=5e-4)
    seen = names.index("percentage_seen")
    assert face["scores"][seen] == [NOBODY] * 3
    assert headline["scores"][names.index("first_seen_s")][1:] == [None, None]


def test_types_are_counted_by_media(run: Path):
    counts = {count.type: (count.media, count.areas) for count in count_area_types(run)}
    assert counts == {
        "branding": (3, 4), "product": (1, 1), "headline_text": (1, 1), "face": (1, 1), "person": (1, 1)
    }  # fmt: skip


def test_tracks_tell_when_an_area_is_there(run: Path):
    (track,) = read_contents(read_run(run)).entries[-1].tracks.values()
    assert np.array(track.spans) == pytest.approx(np.array([[2 / FPS, 9 / FPS], [12 / FPS, 21 / FPS]]))
    assert track.t_s == pytest.approx(np.array(RUNNER.samples) / FPS)


def test_kept_boxes_lie_where_the_motion_changes(run: Path):
    (track,) = read_contents(read_run(run)).entries[-1].tracks.values()
    # straight until the gap; then at rest, a jump between samples 14 and 15, at rest
    assert [RUNNER.samples[i] for i in track.kept] == [2, 8, 12, 14, 15, 20]
    assert track.boxes == pytest.approx(np.array([RUNNER.box_at(k) for k in (2, 8, 12, 14, 15, 20)]))


def test_drawn_areas_without_a_track_have_none(text: str):
    card = next(area for area in data_of(text)["media"][-1]["areas"] if area["id"] == CARD.id)
    assert "track" not in card
    assert card["t0"] == 4.0
    assert "t1" not in card
    assert "confidence" not in card


@pytest.mark.parametrize("seed", range(5))
def test_thinned_tracks_miss_no_box_by_more_than_the_tolerance(seed: int):
    rng = np.random.default_rng(seed)
    t_s = np.cumsum(rng.uniform(0.1, 0.3, 300))
    boxes = np.cumsum(rng.normal(0, 0.003, (300, 4)), axis=0) + rng.choice([0, 0.2], (300, 1), p=[0.97, 0.03])
    kept = simplify_track(t_s, boxes, TOLERANCE)
    drawn = np.column_stack([np.interp(t_s, t_s[kept], boxes[kept, side]) for side in range(4)])
    assert np.abs(drawn - boxes).max() <= TOLERANCE
    assert len(kept) < 300


def test_an_hour_of_tracks_is_light():
    rng = np.random.default_rng(3)
    sides = np.repeat(rng.uniform(0.1, 0.4, (360, 2)), 50, axis=0)
    sightings = tuple(Sighting(k / 5, Box(x, y, x + 0.3, y + 0.3), 1.0) for k, (x, y) in enumerate(sides.tolist()))
    area = Aoi(UUID(int=1), "face", "", sightings[0].box, 1.0, "detector", track=sightings)
    track = AreaTrack.of(area, [(0.0, len(sides) / 5)])
    assert len(json.dumps(track.data(), separators=(",", ":"))) < 30_000


def test_a_sighting_between_samples_or_after_them_is_kept():
    """As in runs whose tracks a person drew: the second is between two samples, the third after the last one."""
    sightings = tuple(Sighting(t_s, Box(t_s / 9, 0, t_s / 9 + 0.1, 0.1), 1.0) for t_s in (0.2, 0.5, 9.0))
    area = Aoi(UUID(int=1), "face", "", sightings[0].box, 1.0, "drawn", track=sightings)
    for spans in ([(0.2, 0.4), (0.6, 0.8)], [(0.6, 0.8)], []):
        track = AreaTrack.of(area, spans)
        for t_s, box, _ in sightings:
            assert track.box_at(t_s) == pytest.approx(box)
