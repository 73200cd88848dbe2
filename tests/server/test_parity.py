"""The same numbers from the library, the command line and the server, to the last bit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pyarrow.parquet as pq
import pytest
from budget import budget
from commands import mediaan_command
from plain_client import PlainClient
from serving import RunningServer
from short_film import SAMPLES, short_film

import mediaan as mn
from mediaan.judge.benchmark.ranges import recommended_ranges
from mediaan.report.pdf import sheet_formats
from mediaan.run.results import read_ranges
from mediaan.server.v2.media import METRICS

PICTURE = SAMPLES / "ads" / "serum_square.jpg"
BANNER = SAMPLES / "videos" / "sofa_banner.gif"
OBJECTIVES: dict[str, Any] = {
    "purpose": "conversion",
    "platform": "instagram",
    "industry": {"category": "beauty_personal_care"},
    "brand": {"name": "Quivelle", "aliases": ["QUIVELLE Paris"]},
}
DRAWN = UUID("6f0e3c4a-8a34-4c63-b5ae-0d50fe4d1a4f")
Numbers = dict[tuple[str, ...], tuple[Any, ...]]


class Ways(NamedTuple):
    """One file, analysed three ways."""

    library: mn.Result
    run: mn.Run
    server: RunningServer
    client: PlainClient
    media_id: str
    path: str

    @property
    def medium(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.ask("GET", f"media/{self.media_id}").body
        return found

    @property
    def aois(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.client.ask("GET", f"{self.path}/{self.media_id}/aois").body["aois"]
        return found

    def result(self, name: str) -> Any:
        with self.server.client() as client:
            return client.get(self.medium["results"][name]).json()


def command_line(file: Path, out: Path, *options: str, **more: Any) -> mn.Run:
    objectives = out.with_suffix(".yaml")
    objectives.write_text(json.dumps({"defaults": OBJECTIVES | more}), encoding="utf-8")
    words = ["analyze", file, "--out", out, "--aois", "all", "--objectives", objectives, "--quiet", "--workers", "1"]
    done = mediaan_command(*words, *options, cwd=out.parent)
    assert done.returncode == 0, done.stderr
    return mn.read_run(out)


def library(file: Path) -> mn.Result:
    brand = mn.Brand(OBJECTIVES["brand"]["name"], tuple(OBJECTIVES["brand"]["aliases"]))
    return mn.analyze(file, aois="all", brand=brand, platform=OBJECTIVES["platform"])


@pytest.fixture(scope="module")
def image(server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Ways:
    client = PlainClient(server.url, server.key)
    media_id = client.upload_picture(PICTURE).body["media_id"]
    client.ask("PUT", f"media/{media_id}/objectives", OBJECTIVES)
    assert client.ask("POST", f"images/{media_id}/aois/detect").status == 200
    run = command_line(PICTURE, tmp_path_factory.mktemp("image") / "run")
    return Ways(library(PICTURE), run, server, client, media_id, "images")


@pytest.fixture(scope="module")
def video(server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Ways:
    folder = tmp_path_factory.mktemp("video")
    file = short_film(folder / "film.mp4", last_s=3.2)
    client, media_id = analysed(server, "videos", "video/mp4", file)
    return Ways(library(file), command_line(file, folder / "run"), server, client, media_id, "videos")


@pytest.fixture(scope="module")
def animation(server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Ways:
    client, media_id = analysed(server, "mixed-media", "image/gif", BANNER)
    run = command_line(BANNER, tmp_path_factory.mktemp("animation") / "run")
    return Ways(library(BANNER), run, server, client, media_id, "mixed-media")


def analysed(server: RunningServer, path: str, content_type: str, file: Path) -> tuple[PlainClient, str]:
    """A medium that was uploaded, predicted, and searched for AOIs."""
    client = PlainClient(server.url, server.key)
    body = {"content_type": content_type, "total_bytes": file.stat().st_size, "name": file.name}
    created = client.ask("POST", path, body).body
    media_id = created["media_id"]
    client.put_bytes(created["resumable_url"], file.read_bytes())
    client.ask("PUT", f"media/{media_id}/objectives", OBJECTIVES)
    client.ask("PUT", f"{path}/{media_id}/predict")
    assert client.poll(f"media/{media_id}", "status").body["status"] == "done"
    client.ask("POST", f"{path}/{media_id}/aois/detect")
    assert client.poll(f"{path}/{media_id}/aois/status", "aoi_status").body["aoi_status"] == "done"
    return client, media_id


@pytest.fixture(params=["image", *(pytest.param(one, marks=pytest.mark.full) for one in ("video", "animation"))])
def ways(request: pytest.FixtureRequest) -> Ways:
    found: Ways = request.getfixturevalue(request.param)
    return found


def of_rows(rows: Iterable[Mapping[str, Any]], *keys: str) -> Numbers:
    """Rows of a table, NaN being its way to say null."""
    columns = ("value", "lo", "hi")
    return {
        tuple(row[key] for key in keys): tuple(None if row[name] != row[name] else row[name] for name in columns)
        for row in rows
    }


def of_body(body: Mapping[str, Mapping[str, Mapping[str, Any]]], *of: str) -> Numbers:
    return {
        (*of, metric, time): (one["value"], one["lo"], one["hi"])
        for metric, times in body.items()
        for time, one in times.items()
    }


def test_scores(ways: Ways) -> None:
    from_library = {(one.metric, one.time): (one.value, one.lo, one.hi) for one in ways.library.scores}
    from_command = of_rows(ways.run.metrics.to_dict("records"), "metric", "metric_time")
    assert from_library == from_command
    assert from_library == of_body(ways.result("metrics")["metrics"])


def test_how_far_scores_move(ways: Ways) -> None:
    """Beside each value of a still image, and of no video."""
    expected = {(one.metric, one.time): ways.library.repeatability(one) for one in ways.library.scores}
    assert any(expected.values()) != ways.library.moves
    metrics = ways.result("metrics")["metrics"]
    assert {(m, time): one["repeatability"] for m, times in metrics.items() for time, one in times.items()} == expected
    for aoi, answered in zip(ways.library.aois or (), ways.aois, strict=True):
        for one in aoi.scores:
            answer = answered["scores"][one.metric][one.time]
            assert answer["repeatability"] == ways.library.repeatability(one)


def test_scores_of_the_media_object(ways: Ways) -> None:
    row = ways.run.scores.iloc[0]
    assert ways.medium["metrics"] == {name: float(row[name]) for name in METRICS}
    assert ways.medium["metrics"] == {name: ways.library[name].value for name in METRICS}


def test_aois(ways: Ways) -> None:
    assert ways.library.aois
    expected = [(str(one.aoi_id), one.type, one.label, list(one.box), one.method) for one in ways.library.aois]
    assert [(o["uuid"], o["aoi_type"], o["label"], o["box"], o["method"]) for o in ways.aois] == expected
    rows = ways.run.aois.to_dict("records")
    assert [(r["aoi_id"], [r["x0"], r["y0"], r["x1"], r["y1"]]) for r in rows] == [(e[0], e[3]) for e in expected]


def test_scores_of_aois(ways: Ways) -> None:
    from_library = {
        (str(aoi.aoi_id), one.metric, one.time): (one.value, one.lo, one.hi)
        for aoi in ways.library.aois
        for one in aoi.scores
    }
    from_server: Numbers = {}
    for aoi in ways.aois:
        from_server |= of_body(aoi["scores"], aoi["uuid"])
    assert from_library
    assert from_library == from_server
    assert from_library == of_rows(ways.run.aoi_scores.to_dict("records"), "aoi_id", "metric", "metric_time")


def test_ranges_of_an_image(image: Ways) -> None:
    body = image.client.ask("GET", f"media/{image.media_id}/benchmark_ranges").body
    assert body["medium"]
    assert body["aois"]
    assert body == plain(recommended_ranges(mn.benchmark_ranges(image.library, OBJECTIVES)))
    assert body == plain(recommended_ranges(read_ranges(image.run.path)))


def test_checks_are_those_of_the_run(ways: Ways) -> None:
    body = ways.client.ask("GET", f"media/{ways.media_id}/checks").body
    assert body["checks"]
    rows = pq.read_table(ways.run.path / "tables" / "checks.parquet").drop_columns("medium_id").to_pylist()
    assert body["checks"] == plain(rows)


def test_the_report_shows_the_same_numbers(ways: Ways) -> None:
    with ways.server.client() as client:
        served = client.get(f"/media/{ways.media_id}/report/").text
    page = (ways.run.path / "report" / "index.html").read_text(encoding="utf-8")
    assert shown_by(served) == shown_by(page)


def test_the_report_can_be_downloaded_as_slides_and_as_a_pdf(image: Ways) -> None:
    pptx, pypdf = pytest.importorskip("pptx"), pytest.importorskip("pypdf")
    address, kinds = f"/media/{image.media_id}/report/", sheet_formats()
    with image.server.client() as client:
        page = client.get(address).text
        for kind in ("pdf", "pptx"):
            assert (f'href="report.{kind}" download' in page) == (kind in kinds)
        assert client.get(f"{address}report.html").status_code == 404
        slides = client.get(f"{address}report.pptx")
        paper = client.get(f"{address}report.pdf") if "pdf" in kinds else None
    assert slides.headers["content-disposition"].endswith('.pptx"')
    shapes = pptx.Presentation(BytesIO(slides.content)).slides[0].shapes
    name = image.medium["name"]
    assert shapes.title.text_frame.text == name
    if paper is not None:
        assert name in pypdf.PdfReader(BytesIO(paper.content)).pages[0].extract_text()


def shown_by(page: str) -> dict[str, Any]:
    """What a report is made of, but for films of maps, which only servers make, for where pictures lie: in the page
    itself, or at the server, and for edits that were tried, which go when areas are sent back."""
    data: dict[str, Any] = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    (medium,) = data["media"]
    assert medium["scores"]
    assert data["areas"]
    del data["maps"], medium["videos"]
    medium["maps"] = sorted(medium["maps"])
    del medium["summary"]["to_try"]
    return data


def plain(value: Any) -> Any:
    """As JSON carries it."""
    return json.loads(json.dumps(value, default=str))


@pytest.mark.full
@pytest.mark.parametrize("name", ["brand_detection", "brand_detection_metrics", "aoi_scores"])
def test_result_files_of_brands(video: Ways, name: str) -> None:
    maps = video.run.maps
    (path,) = maps[maps["map"] == name]["path"]
    of_run = json.loads((video.run.path / path).read_text(encoding="utf-8"))
    assert video.result(name) == of_run | {"media_id": video.media_id}


def test_scores_of_aois_follow_the_exposure(image: Ways, tmp_path: Path) -> None:
    run = command_line(PICTURE, tmp_path / "run", exposure_s=2)
    before = image.aois
    assert image.client.ask("PUT", f"media/{image.media_id}/objectives", OBJECTIVES | {"exposure_s": 2}).status == 200
    from_server: Numbers = {}
    for aoi in image.aois:
        from_server |= of_body(aoi["scores"], aoi["uuid"])
    assert from_server == of_rows(run.aoi_scores.to_dict("records"), "aoi_id", "metric", "metric_time")
    body = image.client.ask("GET", f"media/{image.media_id}/benchmark_ranges").body
    assert body == plain(recommended_ranges(read_ranges(run.path)))
    assert image.aois != before
    assert image.client.ask("PUT", f"media/{image.media_id}/objectives", OBJECTIVES).status == 200
    assert image.aois == before, "there and back changes nothing"


def test_an_area_that_is_drawn(image: Ways) -> None:
    box = (0.125, 0.25, 0.5, 0.75)
    drawing = mn.Drawing("product", "bottle", (box[:2], box[2:]), aoi_id=DRAWN)
    expected = mn.analyze(PICTURE, aois="none", drawings=[drawing])
    before = image.aois
    sent = {"uuid": str(DRAWN), "aoi_type": "product", "label": "bottle", "box": box}
    (got,) = image.client.ask("PUT", f"images/{image.media_id}/aois", {"aois": [sent]}).body["aois"]
    scores = {(one.metric, one.time): (one.value, one.lo, one.hi) for aoi in expected.aois for one in aoi.scores}
    assert of_body(got["scores"]) == scores
    assert image.client.ask("PUT", f"images/{image.media_id}/aois", {"aois": before}).status == 200


@pytest.mark.full
def test_a_new_prediction_and_a_restart_change_nothing(image: Ways, request: pytest.FixtureRequest) -> None:
    both = (image, *map(request.getfixturevalue, budget((), ("animation",))))
    before = [numbers(ways) for ways in both]
    for ways in both:
        assert ways.client.ask("PUT", f"{ways.path}/{ways.media_id}/predict").status == 200
        assert ways.client.poll(f"media/{ways.media_id}", "status").body["status"] == "done"
    assert [numbers(ways) for ways in both] == before
    image.server.restart()
    assert [numbers(ways) for ways in both] == before


def numbers(ways: Ways) -> list[Any]:
    """All that the server says of a medium's scores."""
    ranges = ways.client.ask("GET", f"media/{ways.media_id}/benchmark_ranges").body
    return [ways.medium["metrics"], ways.result("metrics"), ways.aois, ranges]
