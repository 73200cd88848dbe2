"""Media listed, fetched and deleted; account and usage."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from asking import API, Asker

from mediaan.maps import MAPS, image_map_names
from mediaan.metrics import METRICS as REGISTERED
from mediaan.server.pages.listing import PROXIES, SCORES
from mediaan.server.service.jobs import Outcome
from mediaan.server.service.media import Kind
from mediaan.server.service.service import Service
from mediaan.server.v2.media import IMAGE_RESULTS, METRICS, VIDEO_RESULTS

# as the v2 specification lists them under "Media object"
FIELDS = [
    "media_id", "name", "status", "type", "aoi_status", "results", "metrics", "created_at", "updated_at", "deleted_at",
]  # fmt: skip
COMMON = ["heat", "clarity_heat", "engagement_heat", "cognitive_demand_heat", "fog", "formatted", "metrics"]
OF_IMAGES = ["first_two_heat", "first_two_fog", "last_two_heat", "last_two_fog"]
OF_VIDEOS = ["brand_detection", "brand_detection_metrics", "aoi_scores"]
SEEN_METRICS = ["cognitive_demand", "focus", "focus_first_two", "focus_last_two", "clarity", "engagement"]


def listed(ask: Asker, query: str = "") -> list[str]:
    answer = ask("GET", f"{API}/media{query}")
    assert answer.status_code == 200
    body = answer.json()
    assert list(body) == ["items", "count", "total"]
    assert body["count"] == len(body["items"])
    return [one["media_id"] for one in body["items"]]


def predicted(ask: Asker, media_id: UUID, **columns: object) -> None:
    results = {"heat": "maps/heat.webp", "metrics": "answers/metrics.json"}
    metrics = {"focus": 61.5, "clarity": None}
    ask.change(media_id, **({"status": "done", "run": "r1", "metrics": metrics, "results": results} | columns))


def test_a_new_medium_has_every_field_and_nothing_in_it(ask: Asker) -> None:
    body = ask("GET", f"{API}/media/{ask.add(name='Ein Bild.png')}").json()
    assert set(FIELDS) <= set(body)
    assert (body["name"], body["status"], body["type"], body["aoi_status"]) == (
        "Ein Bild.png",
        "init",
        "image",
        "unspecified",
    )
    assert set(body["results"].values()) == {""}
    assert set(body["metrics"].values()) == {None}
    assert body["deleted_at"] is None
    for name in ("created_at", "updated_at"):
        assert abs((datetime.now(UTC) - datetime.fromisoformat(body[name])).total_seconds()) < 60


def test_names_of_results_and_metrics_are_those_of_the_service(ask: Asker) -> None:
    kinds: dict[Kind, list[str]] = {"image": OF_IMAGES, "video": OF_VIDEOS, "mixed": OF_VIDEOS}
    for kind, names in kinds.items():
        body = ask("GET", f"{API}/media/{ask.add(kind)}").json()
        assert set(body["results"]) == {*COMMON, *names}
        assert set(SEEN_METRICS) <= set(body["metrics"])
        assert body["type"] == ("image" if kind == "image" else "video")


def test_names_that_the_server_writes_out_are_those_of_the_registries() -> None:
    scores = [metric for metric in REGISTERED.values() if metric.spec.unit == "score"]
    assert set(METRICS) == {metric.spec.name for metric in scores}
    assert {name: metric.spec.title for metric in scores if not metric.part_of for name in [metric.spec.name]} == SCORES
    assert set(PROXIES) == {metric.spec.name for metric in scores if metric.spec.basis == "proxy"}
    assert set(IMAGE_RESULTS) == {*image_map_names(), "formatted", "metrics"}
    assert {name for name in image_map_names() if MAPS[name].window in (None, "total")} == {*IMAGE_RESULTS} & {
        *VIDEO_RESULTS
    } - {"formatted", "metrics"}


def test_what_is_there_has_an_address_and_a_number(ask: Asker) -> None:
    media_id = ask.add()
    predicted(ask, media_id)
    body = ask("GET", f"{API}/media/{media_id}").json()
    assert {name for name, url in body["results"].items() if url} == {"heat", "metrics"}
    assert all(url.startswith("http://testserver/files/") for url in body["results"].values() if url)
    assert body["metrics"] == {name: 61.5 if name == "focus" else None for name in METRICS}


def test_filters(ask: Asker) -> None:
    image, video, mixed = ask.add("image"), ask.add("video"), ask.add("mixed")
    predicted(ask, image)
    ask.change(mixed, aoi_status="failed")
    found = {
        "?status=done": [image],
        "?status=init": [video, mixed],
        "?status=started": [],
        "?type=image": [image],
        "?type=video": [video, mixed],
        "?aoi_status=failed": [mixed],
        "?type=video&status=init&aoi_status=unspecified": [video],
        "?type=image&status=init": [],
    }
    for query, ids in found.items():
        assert listed(ask, query) == [str(one) for one in ids], query


def test_pages_put_together_are_the_list(ask: Asker) -> None:
    ids = [str(ask.add()) for _ in range(7)]
    assert [one for offset in range(0, 9, 3) for one in listed(ask, f"?limit=3&offset={offset}")] == ids
    assert ask("GET", f"{API}/media?limit=3&offset=6&status=init").json()["total"] == 7
    assert ask("GET", f"{API}/media?limit=3&offset=700").json() == {"items": [], "count": 0, "total": 7}


def test_deleting(ask: Asker) -> None:
    media_id = ask.add()
    predicted(ask, media_id, file="ad.png")
    source = ask.service.folder.source(media_id, "ad.png")
    source.parent.mkdir(parents=True)
    source.write_bytes(b"picture")
    ask.service.jobs.add(media_id, "predict", "short")
    answer = ask("DELETE", f"{API}/media/{media_id}")
    body = answer.json()
    assert (answer.status_code, body["media_id"]) == (200, str(media_id))
    assert datetime.fromisoformat(body["deleted_at"]).tzinfo is not None
    assert set(body["results"].values()) == {""}
    assert not ask.service.folder.medium(media_id).exists()
    assert ask.service.jobs.take("worker", ("short", "long")) is None
    assert listed(ask) == []
    for method in ("GET", "DELETE"):
        assert ask(method, f"{API}/media/{media_id}").status_code == 404


def test_what_is_kept_of_a_medium_never_outlives_a_change(ask: Asker) -> None:
    media_id = ask.add()
    path = f"{API}/media/{media_id}"
    assert ask("GET", path).json()["status"] == "init"
    job_id = ask.service.jobs.add(media_id, "predict", "short")
    assert job_id is not None
    assert ask("GET", path).json()["status"] == "started"
    job = ask.service.jobs.take("worker", ["short"])
    assert job is not None
    ask.service.jobs.fail(job, "unreadable", "ad.png: is no picture")
    body = ask("GET", path).json()
    assert (body["status"], body["error"]) == ("failed", "ad.png: is no picture")
    assert ask("GET", f"{API}/media").json()["items"] == [body]


def used(ask: Asker, query: str = "", key: str = "") -> dict[str, float]:
    answer = ask("GET", f"{API}/account/usage{query}", key=key)
    assert answer.status_code == 200, answer.text
    return {name: value for name, value in answer.json().items() if value}


def work(ask: Asker, media_id: UUID, kind: str, outcome: Outcome | None) -> None:
    jobs = ask.service.jobs
    assert jobs.add(media_id, kind, "short")  # type: ignore[arg-type]
    job = jobs.take("worker", ["short"])
    assert job
    assert jobs.finish(job, outcome) if outcome else jobs.fail(job, "truncated", "It ends too early")


def on_day(service: Service, day: str) -> None:
    """Move what was used since the last call to a day."""
    with service.database.transaction() as connection:
        connection.execute("UPDATE usage SET at = ? WHERE length(at) = 27", (f"{day}T12:00:00Z",))


def test_the_account_is_that_of_the_key(ask: Asker) -> None:
    body = ask("GET", f"{API}/account").json()
    assert (body["company_name"], body["plan"], body["plan_expires_at"]) == ("acme", "local", None)
    assert body["limits"]["max_video_bytes"] == ask.service.settings.max_video_bytes
    other = ask.service.keys.create("Other")
    assert ask("GET", f"{API}/account", key=other).json()["company_name"] == "Other"


def test_what_was_done_is_counted_once_and_what_failed_is_not(ask: Asker) -> None:
    picture, video = ask.add("image"), ask.add("video")
    assert used(ask) == {}
    for media_id in (picture, video):
        assert ask.service.media.has_file(media_id, "file")
        assert ask.service.media.has_file(media_id, "file"), "told twice, as after a crash"
    work(ask, picture, "predict", Outcome(run="a"))
    work(ask, picture, "predict", Outcome(run="b"))
    work(ask, picture, "predict", None)
    work(ask, picture, "detect", Outcome(run="c"))
    work(ask, picture, "draw", Outcome(run="d"))
    work(ask, picture, "rate", Outcome(run="e"))
    work(ask, video, "predict", Outcome(run="f", duration_s=12.5))
    expected = {"images_predicted": 2, "videos_predicted": 1, "video_seconds_predicted": 12.5, "aoi_detections": 1}
    expected |= {"uploads": 2, "uploaded_bytes": 20, "media_stored": 2, "stored_bytes": 20}
    assert used(ask) == expected
    assert ask("DELETE", f"{API}/media/{picture}").status_code == 200
    assert used(ask) == expected | {"media_deleted": 1, "media_stored": 1, "stored_bytes": 10}


def test_both_days_belong_to_the_period(ask: Asker) -> None:
    for day in ("2026-01-30", "2026-01-31", "2026-02-01"):
        ask.service.media.has_file(ask.add(), "file")
        on_day(ask.service, day)
    counts = {
        "": 3,
        "?start_date=2026-01-31": 2,
        "?end_date=2026-01-31": 2,
        "?start_date=2026-01-31&end_date=2026-01-31": 1,
        "?start_date=2026-01-30&end_date=2026-02-01": 3,
        "?start_date=2026-02-02": 0,
        "?start_date=0001-01-01&end_date=9999-12-31": 3,
    }
    assert {query: used(ask, query).get("uploads", 0) for query in counts} == counts


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("?start_date=2026-02-01&end_date=2026-01-31", "end_date"),
        ("?start_date=yesterday", "start_date"),
        ("?end_date=20260131", "end_date"),
        ("?end_date=2026-02-30", "end_date"),
        ("?start=2026-01-01", "start"),
    ],
)
def test_days_that_cannot_be_are_refused_by_name(ask: Asker, query: str, named: str) -> None:
    answer = ask("GET", f"{API}/account/usage{query}")
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(f"{named}: ")
