"""What jobs make of media: the library's own results, kept as the service hands them out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pandas as pd
import pytest
from desk import Office, assert_same_run
from PIL import Image
from short_film import short_film

import mediaan as mn
from mediaan.run.objectives import distinct_objectives
from mediaan.server.api.media import IMAGE_RESULTS, METRICS, VIDEO_RESULTS
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.jobs import Job
from mediaan.server.work.answers import write_answers
from mediaan.server.work.perform import _identified
from mediaan.workflow.rating.ranges import recommended_ranges_of

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
AD = SAMPLES / "ads" / "serum_square.jpg"
PLAIN = SAMPLES / "ads" / "coffee_leaderboard.jpg"
BANNER = SAMPLES / "videos" / "sofa_banner.gif"
ANSWERED = ("label", "box", "polygon", "t0_s", "t1_s", "track", "source", "method", "confidence", "text")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    made = Office(ServerSettings(tmp_path_factory.mktemp("office") / "data", workers=1))
    yield made
    made.close()


@pytest.fixture(scope="module")
def ad(office: Office) -> UUID:
    """An advertisement in which AOIs were looked for."""
    media_id = office.predicted(AD)
    assert office.do(media_id, "detect").state == "done"
    return media_id


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return short_film(tmp_path_factory.mktemp("film") / "spot.mp4")


@pytest.fixture(scope="module")
def spot(office: Office, film: Path) -> UUID:
    media_id = office.bring("video", film)
    assert office.do(media_id, "predict").state == "done"
    return media_id


def as_records(aois: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """AOIs as they were answered, as files of AOIs hold them."""
    return [{"type": aoi["aoi_type"], "aoi_id": aoi["uuid"], **{key: aoi[key] for key in ANSWERED}} for aoi in aois]


def test_a_picture_is_analysed_as_on_the_command_line(office: Office, tmp_path: Path) -> None:
    media_id = office.predicted(PLAIN)
    alone = mn.analyze_folder(PLAIN, tmp_path / "run", settings=mn.Settings(mn.Recipe(aois="none")))
    assert_same_run(office.run(media_id), alone)
    assert office.run(media_id).facts["recipe_id"] == alone.facts["recipe_id"]
    (scores,) = alone.scores.to_dict("records")
    metrics = office.medium(media_id).metrics
    assert {name: metrics[name] for name in METRICS} == {name: scores[name] for name in METRICS}
    for file in alone.maps.path:
        if not file.endswith(".npz"):  # an archive with the time in it
            assert (alone.path / file).read_bytes() == (office.run(media_id).path / file).read_bytes()


def test_every_result_of_a_picture_is_a_file(office: Office, ad: UUID) -> None:
    medium, run = office.medium(ad), office.run(ad).path
    assert {*IMAGE_RESULTS, "thumbnail"} <= medium.results.keys()
    assert all((run / path).is_file() and ".." not in path for path in medium.results.values())
    with Image.open(run / medium.results["thumbnail"]) as small, Image.open(AD) as large:
        assert (small.format, max(small.size)) == ("WEBP", 320)
        assert small.width / small.height == pytest.approx(large.width / large.height, abs=0.01)


def test_metrics_are_all_there_with_their_intervals(office: Office, ad: UUID) -> None:
    answer, table = office.answer(ad, "metrics"), office.run(ad).metrics
    assert answer["media_id"] == str(ad)
    assert sum(map(len, answer["metrics"].values())) == len(table)
    for row in table.to_dict("records"):
        found = answer["metrics"][row["metric"]][row["metric_time"]]
        assert all(found[key] == (None if pd.isna(row[key]) else row[key]) for key in ("value", "lo", "hi", "unit"))


def test_a_report_is_written_when_asked_for_and_kept(office: Office) -> None:
    media_id = office.predicted(PLAIN)
    run, before = office.run(media_id).path, office.medium(media_id)
    page = office.services.folder.report(media_id, run.name)
    assert not page.exists()
    assert not (run / "report").exists()
    served = {"company": "A & B", "areas": "../a", "medium": "../m", "home": "../"}
    assert office.do(media_id, "report", {"served": served}).state == "done"
    text = page.read_text("utf-8")
    assert "default-src 'none'; connect-src 'self'; img-src" in text
    (told,) = re.findall(r'<meta name="mediaan-served" content="([^"]*)">', text)
    assert json.loads(unescape(told)) == served
    assert office.medium(media_id) == before
    written = page.stat()
    assert office.do(media_id, "report", {"served": served}).state == "done"
    assert page.stat() == written
    assert office.runs(media_id) == {run.name}
    assert office.do(media_id, "detect").state == "done"
    assert not office.services.folder.report(media_id, str(office.medium(media_id).run)).exists()
    assert not (office.run(media_id).path / "report").exists()
    assert office.do(office.bring("image", PLAIN), "report", {"served": served}).error_code == "not_predicted"


def test_what_the_result_answers_is_what_the_tables_hold(office: Office, spot: UUID) -> None:
    for media_id in (office.predicted(AD), spot):
        folder = office.run(media_id).path / "answers"
        before = {file.name: json.loads(file.read_bytes()) for file in folder.glob("*.json")}
        medium = office.medium(media_id)
        source = office.services.folder.source(media_id, str(medium.file))
        answers = write_answers(folder.parent, medium, source)
        assert {file.name: json.loads(file.read_bytes()) for file in folder.glob("*.json")} == before
        assert (answers.metrics, answers.results) == (medium.metrics, medium.results)


def test_ranges_are_the_library_s(office: Office, ad: UUID) -> None:
    (expected,) = recommended_ranges_of(office.run(ad).path)
    answer = office.answer(ad, "ranges")
    assert {key: answer[key] for key in ("medium", "aois")} == {key: expected[key] for key in ("medium", "aois")}
    assert answer["medium"]
    assert answer["reason"] is None


def test_aois_are_found_and_scored(office: Office, ad: UUID) -> None:
    aois, run = office.answer(ad, "aois")["aois"], office.run(ad)
    assert office.medium(ad).aoi_status == "done"
    assert [aoi["uuid"] for aoi in aois] == list(run.aois.aoi_id)
    for row in run.aoi_scores.to_dict("records"):
        (aoi,) = (aoi for aoi in aois if aoi["uuid"] == row["aoi_id"])
        score = aoi["scores"][row["metric"]][row["metric_time"]]
        assert score["value"] == (None if pd.isna(row["value"]) else row["value"])
        assert (score["value"] is None) == ("reason" in score)
    named = json.loads((run.path / office.medium(ad).results["aoi_scores"]).read_text())
    assert named["media_id"] == str(ad) != run.media.medium_id[0]
    assert [aoi["uuid"] for aoi in named["aois"]] == [aoi["uuid"] for aoi in aois]


def test_what_is_answered_can_be_sent_back(office: Office, ad: UUID) -> None:
    before = office.answer(ad, "aois")["aois"]
    assert office.do(ad, "draw", {"aois": as_records(before)}).state == "done"
    assert office.answer(ad, "aois")["aois"] == before


def test_a_new_prediction_keeps_aois_and_numbers(office: Office, ad: UUID) -> None:
    before, run = office.answer(ad, "aois"), office.medium(ad).run
    assert office.do(ad, "predict").state == "done"
    assert office.medium(ad).run != run
    assert office.answer(ad, "aois") == before
    assert office.medium(ad).aoi_status == "done"
    assert "aoi_scores" in office.medium(ad).results


def test_drawn_aois_take_the_place_of_all(office: Office) -> None:
    media_id = office.predicted(AD)
    box = {"type": "product", "box": [100, 200, 400, 500], "unit": "px"}
    assert office.do(media_id, "draw", {"aois": [box]}).state == "done"
    (first,) = office.answer(media_id, "aois")["aois"]
    assert first["box"] == [100 / 1080, 200 / 1080, 400 / 1080, 500 / 1080]
    assert (first["source"], office.medium(media_id).aoi_status) == ("drawn", "unspecified")
    assert office.do(media_id, "draw", {"aois": [box, *as_records([first])]}).state == "done"
    second, again = office.answer(media_id, "aois")["aois"]
    assert again == first
    assert second["uuid"] != first["uuid"]
    assert second["scores"] == first["scores"]
    assert office.do(media_id, "draw", {"aois": []}).state == "done"
    assert office.answer(media_id, "aois") == {"brand_found": None, "aois": []}


def test_a_drawing_that_is_done_again_gives_new_areas_the_same_identifiers() -> None:
    """As after the death of a worker."""
    box = {"type": "product", "box": [0.1, 0.1, 0.4, 0.4]}
    one, other = (Job(job_id, uuid4(), "draw", {}, "") for job_id in (1, 2))
    names = [_identified(box, number, job)["aoi_id"] for job in (one, other) for number in (0, 1)]
    assert len({UUID(name) for name in names}) == 4
    assert names[:2] == [_identified(box, number, replace(one, lease="again"))["aoi_id"] for number in (0, 1)]


def test_aois_that_cannot_be_change_nothing(office: Office, ad: UUID) -> None:
    before, runs = office.answer(ad, "aois"), office.runs(ad)
    outside = {"type": "product", "box": [1.1, 1.1, 1.4, 1.4]}
    same = {"type": "product", "box": [0.1, 0.1, 0.4, 0.4], "aoi_id": "7f3a1d52-0a35-4f5e-9a27-6d5c1f0a2b3c"}
    for records, code in (([outside], "aoi_outside"), ([same, same], "aois_invalid")):
        result = office.do(ad, "draw", {"aois": records})
        assert (result.state, result.error_code) == ("failed", code)
    beyond = {"type": "product", "box": [5000, 10, 6000, 50], "unit": "px"}
    result = office.do(ad, "draw", {"aois": [same, *12 * [beyond]]})
    named = ", ".join(f"aois.{number}" for number in range(1, 11))
    assert result.error == f"{named} and 2 more: outside the medium, in space or in time", "as clients count"
    assert office.answer(ad, "aois") == before
    assert office.runs(ad) == runs
    assert office.medium(ad).status == "done"


def test_objectives_come_before_the_prediction_or_after(office: Office) -> None:
    """Either way the numbers are those of the command line with an objectives file."""
    said = {
        "purpose": "conversion",
        "industry": {"category": "food"},
        "brand": {"name": "Ärger \x7f😀"},
        "exposure_s": 2.5,
    }
    before, after = office.bring("image", AD), office.predicted(AD)
    assert office.do(before, "rate", objectives=said).state == "done"
    assert office.medium(before).run is None
    assert office.do(before, "predict").state == "done"
    assert office.do(after, "rate", objectives=said).state == "done"
    assert_same_run(office.run(before), office.run(after))
    for media_id in (before, after):
        assert office.do(media_id, "detect").state == "done"
    assert_same_run(office.run(before), office.run(after))
    (known,) = distinct_objectives(office.run(after).facts)
    assert known["brand"]["name"] == "Ärger \x7f😀"
    assert office.answer(before, "ranges") == office.answer(after, "ranges")


def test_without_a_comparison_there_is_a_reason(office: Office) -> None:
    media_id = office.predicted(PLAIN)
    assert office.do(media_id, "rate", objectives={"benchmark": "none"}).state == "done"
    answer = office.answer(media_id, "ranges")
    assert (answer["medium"], answer["aois"]) == ([], [])
    assert "no comparison" in answer["reason"]


def test_objectives_that_were_set_just_before_a_search_do_not_break_it(office: Office) -> None:
    """The job that rates anew is still to come then."""
    media_id = office.predicted(AD)
    search = office.ask(media_id, "detect")
    rating = office.ask(media_id, "rate", objectives={"exposure_s": 3.0})
    assert office.worker.work_once()
    assert office.worker.work_once()
    assert [office.wait(job_id).state for job_id in (search, rating)] == ["done", "done"]


def test_a_video_has_films_and_everything_over_time(office: Office, spot: UUID, film: Path) -> None:
    medium, run = office.medium(spot), office.run(spot)
    assert set(VIDEO_RESULTS) - medium.results.keys() == {"brand_detection", "brand_detection_metrics", "aoi_scores"}
    assert medium.results["heat"].endswith("heat_video.mp4")
    assert medium.results["fog"].endswith("fog_video.mp4")
    assert (run.path / medium.results["formatted"]).read_bytes() == film.read_bytes()
    answer = office.answer(spot, "metrics")
    assert len(answer["frames"]) == len(run.frames)
    assert [scene["start_s"] for scene in answer["scenes"]] == list(run.scenes.start_s)
    assert {name for name in METRICS if medium.metrics[name] is None} == set()
    assert {one["metric_name"] for one in office.answer(spot, "ranges")["medium"]} >= {"focus", "clarity"}


def test_a_video_has_the_numbers_of_the_command_line(office: Office, spot: UUID, film: Path, tmp_path: Path) -> None:
    """Which makes no films unless they are asked for."""
    alone = mn.analyze_folder(film, tmp_path / "run", settings=mn.Settings(mn.Recipe(aois="none")))
    for name in ("metrics", "drivers", "frames", "scenes", "benchmark_ranges"):
        pd.testing.assert_frame_equal(office.run(spot).table(name), alone.table(name), obj=name)


def test_aois_of_a_video_can_be_sent_back(office: Office, spot: UUID) -> None:
    drawn = {"type": "branding", "label": "end card", "box": [0.6, 0.6, 0.9, 0.9], "t0_s": 0.5, "t1_s": 1.5}
    moving = {
        **{"type": "product", "box": [0.1, 0.1, 0.3, 0.3]},
        "track": [[0.2, 0.1, 0.1, 0.3, 0.3, 1.0], [0.4, 0.2, 0.1, 0.4, 0.3, 1.0]],
    }
    assert office.do(spot, "draw", {"aois": [drawn, moving]}).state == "done"
    before = office.answer(spot, "aois")
    assert [(aoi["t0_s"], aoi["t1_s"], len(aoi["track"])) for aoi in before["aois"]] == [(0.5, 1.5, 0), (None, None, 2)]
    assert office.do(spot, "draw", {"aois": as_records(before["aois"])}).state == "done"
    assert office.answer(spot, "aois") == before
    assert {"brand_detection", "aoi_scores"} <= office.medium(spot).results.keys()


def used_s(office: Office) -> float:
    """How much of videos was predicted so far, s."""
    return office.services.usage.between(office.company_id, None, None)["video_seconds_predicted"]


def test_an_animation_is_mixed_media(office: Office) -> None:
    media_id, before = office.bring("mixed", BANNER), used_s(office)
    assert office.do(media_id, "predict").state == "done"
    assert office.run(media_id).media.type[0] == "mixed"
    assert used_s(office) - before == pytest.approx(office.run(media_id).media.duration_s[0])
    assert office.answer(media_id, "metrics")["type"] == office.medium(media_id).type == "video", "as the API says"
    assert office.medium(media_id).results["formatted"].endswith(".gif")


def test_what_browsers_do_not_play_is_shown_as_its_small_film(office: Office, tmp_path: Path) -> None:
    picture = office.predicted(PLAIN)
    named = short_film(tmp_path / "spot.mp4", 0.0, 1.0).rename(tmp_path / "old.mp4")
    quicktime = named.read_bytes().replace(b"ftypisom", b"ftypqt  ", 1)
    (tmp_path / "new.mp4").write_bytes(quicktime)
    media_id = office.bring("video", tmp_path / "new.mp4")
    assert office.do(media_id, "predict").state == "done"
    assert office.medium(media_id).results["formatted"].endswith("/preview.mp4")
    assert office.medium(picture).results["formatted"].endswith("/original.jpg")
