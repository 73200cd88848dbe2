"""What jobs make of media: the library's own results, kept as the service hands them out."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from job_store import WorkedJobStore, assert_same_run
from short_film import ADS, SAMPLES, short_film

from mediaan.report.pdf import sheet_formats
from mediaan.run.metadata import distinct_objectives
from mediaan.server.service.jobs import Job
from mediaan.server.service.perform import _identified
from mediaan.server.v2.media import METRICS, VIDEO_RESULTS

AD = ADS / "serum_square.jpg"
PLAIN = ADS / "coffee_leaderboard.jpg"
BANNER = SAMPLES / "videos" / "sofa_banner.gif"
ANSWERED = ("label", "box", "polygon", "t0_s", "t1_s", "track", "source", "method", "confidence", "text")


@pytest.fixture(scope="module")
def ad(store: WorkedJobStore) -> UUID:
    """An advertisement in which AOIs were looked for."""
    media_id = store.predicted(AD)
    assert store.do(media_id, "detect").state == "done"
    return media_id


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return short_film(tmp_path_factory.mktemp("film") / "spot.mp4")


@pytest.fixture(scope="module")
def spot(store: WorkedJobStore, film: Path) -> UUID:
    media_id = store.bring("video", film)
    assert store.do(media_id, "predict").state == "done"
    return media_id


def as_records(aois: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """AOIs as they were answered, as files of AOIs hold them."""
    return [{"type": aoi["aoi_type"], "aoi_id": aoi["uuid"], **{key: aoi[key] for key in ANSWERED}} for aoi in aois]


def test_a_report_is_written_when_asked_for_and_kept(store: WorkedJobStore) -> None:
    media_id = store.predicted(PLAIN)
    run, before = store.run(media_id).path, store.medium(media_id)
    page = store.service.folder.report(media_id, run.name)
    assert not page.exists()
    assert not (run / "report").exists()
    served = {"company": "A & B", "areas": "../a", "medium": "../m", "home": "../", "review": "../r"}
    assert store.do(media_id, "report", {"served": served}).state == "done"
    text = page.read_text("utf-8")
    assert "default-src 'none'; connect-src 'self'; img-src" in text
    (told,) = re.findall(r'<meta name="mediaan-served" content="([^"]*)">', text)
    assert json.loads(unescape(told)) == served | {"formats": list(sheet_formats())}
    assert store.medium(media_id) == before
    written = page.stat()
    assert store.do(media_id, "report", {"served": served}).state == "done"
    assert page.stat() == written
    assert store.runs(media_id) == {run.name}
    assert store.do(media_id, "detect").state == "done"
    assert not store.service.folder.report(media_id, str(store.medium(media_id).run)).exists()
    assert not (store.run(media_id).path / "report").exists()
    assert store.do(store.bring("image", PLAIN), "report", {"served": served}).error_code == "not_predicted"


def test_drawn_aois_take_the_place_of_all(store: WorkedJobStore) -> None:
    media_id = store.predicted(AD)
    box = {"type": "product", "box": [100, 200, 400, 500], "unit": "px"}
    assert store.do(media_id, "draw", {"aois": [box]}).state == "done"
    (first,) = store.answer(media_id, "aois")["aois"]
    assert first["box"] == [100 / 1080, 200 / 1080, 400 / 1080, 500 / 1080]
    assert (first["source"], store.medium(media_id).aoi_status) == ("drawn", "unspecified")
    assert store.do(media_id, "draw", {"aois": [box, *as_records([first])]}).state == "done"
    second, again = store.answer(media_id, "aois")["aois"]
    assert again == first
    assert second["uuid"] != first["uuid"]
    assert second["scores"] == first["scores"]
    assert store.do(media_id, "draw", {"aois": []}).state == "done"
    assert store.answer(media_id, "aois") == {"brand_found": None, "brand_attention": None, "aois": []}


def test_a_drawing_that_is_done_again_gives_new_areas_the_same_identifiers() -> None:
    """As after the death of a worker."""
    box = {"type": "product", "box": [0.1, 0.1, 0.4, 0.4]}
    one, other = (Job(job_id, uuid4(), "draw", {}, "") for job_id in (1, 2))
    names = [_identified(box, number, job)["aoi_id"] for job in (one, other) for number in (0, 1)]
    assert len({UUID(name) for name in names}) == 4
    assert names[:2] == [_identified(box, number, replace(one, lease="again"))["aoi_id"] for number in (0, 1)]


def test_aois_that_cannot_be_change_nothing(store: WorkedJobStore, ad: UUID) -> None:
    before, runs = store.answer(ad, "aois"), store.runs(ad)
    outside = {"type": "product", "box": [1.1, 1.1, 1.4, 1.4]}
    same = {"type": "product", "box": [0.1, 0.1, 0.4, 0.4], "aoi_id": "7f3a1d52-0a35-4f5e-9a27-6d5c1f0a2b3c"}
    for records, code in (([outside], "aoi_outside"), ([same, same], "aois_invalid")):
        result = store.do(ad, "draw", {"aois": records})
        assert (result.state, result.error_code) == ("failed", code)
    beyond = {"type": "product", "box": [5000, 10, 6000, 50], "unit": "px"}
    result = store.do(ad, "draw", {"aois": [same, *12 * [beyond]]})
    named = ", ".join(f"aois.{number}" for number in range(1, 11))
    assert result.error == f"{named} and 2 more: outside the medium, in space or in time", "as clients count"
    assert store.answer(ad, "aois") == before
    assert store.runs(ad) == runs
    assert store.medium(ad).status == "done"


def test_objectives_come_before_the_prediction_or_after(store: WorkedJobStore) -> None:
    """Either way the numbers are those of the command line with an objectives file."""
    said = {
        "purpose": "conversion",
        "industry": {"category": "food"},
        "brand": {"name": "Ärger \x7f😀"},
        "exposure_s": 2.5,
    }
    before, after = store.bring("image", AD), store.predicted(AD)
    assert store.do(before, "rate", objectives=said).state == "done"
    assert store.medium(before).run is None
    assert store.do(before, "predict").state == "done"
    assert store.do(after, "rate", objectives=said).state == "done"
    assert_same_run(store.run(before), store.run(after))
    for media_id in (before, after):
        assert store.do(media_id, "detect").state == "done"
    assert_same_run(store.run(before), store.run(after))
    (known,) = distinct_objectives(store.run(after).facts)
    assert known["brand"]["name"] == "Ärger \x7f😀"
    assert store.answer(before, "ranges") == store.answer(after, "ranges")


def test_objectives_that_were_set_just_before_a_search_do_not_break_it(store: WorkedJobStore) -> None:
    """The job that rates anew is still to come then."""
    media_id = store.predicted(AD)
    search = store.ask(media_id, "detect")
    rating = store.ask(media_id, "rate", objectives={"exposure_s": 3.0})
    assert store.worker.work_once()
    assert store.worker.work_once()
    assert [store.wait(job_id).state for job_id in (search, rating)] == ["done", "done"]


def test_a_video_has_films_and_everything_over_time(store: WorkedJobStore, spot: UUID, film: Path) -> None:
    medium, run = store.medium(spot), store.run(spot)
    assert set(VIDEO_RESULTS) - medium.results.keys() == {"brand_detection", "brand_detection_metrics", "aoi_scores"}
    assert medium.results["heat"].endswith("heat_video.mp4")
    assert medium.results["fog"].endswith("fog_video.mp4")
    assert (run.path / medium.results["formatted"]).read_bytes() == film.read_bytes()
    answer = store.answer(spot, "metrics")
    assert len(answer["frames"]) == len(run.frames)
    assert [scene["start_s"] for scene in answer["scenes"]] == list(run.scenes.start_s)
    assert {name for name in METRICS if medium.metrics[name] is None} == set()
    assert {one["metric_name"] for one in store.answer(spot, "ranges")["medium"]} >= {"focus", "clarity"}


def used_s(store: WorkedJobStore) -> float:
    """How much of videos was predicted so far, s."""
    return store.service.media.usage(store.company_id, None, None)["video_seconds_predicted"]


def test_an_animation_is_mixed_media(store: WorkedJobStore) -> None:
    media_id, before = store.bring("mixed", BANNER), used_s(store)
    assert store.do(media_id, "predict").state == "done"
    assert store.run(media_id).media.type[0] == "mixed"
    assert used_s(store) - before == pytest.approx(store.run(media_id).media.duration_s[0])
    assert store.answer(media_id, "metrics")["type"] == store.medium(media_id).type == "video", "as the API says"
    assert store.medium(media_id).results["formatted"].endswith(".gif")


def test_what_browsers_do_not_play_is_shown_as_its_small_film(store: WorkedJobStore, tmp_path: Path) -> None:
    picture = store.predicted(PLAIN)
    named = short_film(tmp_path / "spot.mp4", 0.0, 1.0).rename(tmp_path / "old.mp4")
    quicktime = named.read_bytes().replace(b"ftypisom", b"ftypqt  ", 1)
    (tmp_path / "new.mp4").write_bytes(quicktime)
    media_id = store.bring("video", tmp_path / "new.mp4")
    assert store.do(media_id, "predict").state == "done"
    assert store.medium(media_id).results["formatted"].endswith("/preview.mp4")
    assert store.medium(picture).results["formatted"].endswith("/original.jpg")


def test_there_is_no_verdict_while_nobody_has_looked_for_areas(store: WorkedJobStore) -> None:
    """What an ad needs most is seen in its areas: without them it is not undecided, but not looked at."""
    media_id = store.predicted(PLAIN)
    checks = store.answer(media_id, "checks")
    assert checks["verdict"] in ("unknown", "attention")
    headline = {"type": "headline_text", "label": "Hello", "box": [0.1, 0.1, 0.9, 0.5]}
    assert store.do(media_id, "draw", payload={"aois": [headline]}).state == "done"
    assert store.answer(media_id, "checks")["verdict"] != "unknown"
