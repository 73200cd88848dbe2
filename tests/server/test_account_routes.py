"""Account and usage, as a client sees them."""

from __future__ import annotations

from uuid import UUID

import pytest
from asking import API, Asker

from mediaan.server.service.jobs import Outcome
from mediaan.server.service.service import Service


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
    work(ask, video, "predict", Outcome(run="f", usage={"video_seconds_predicted": 12.5}))
    expected = {"images_predicted": 2, "videos_predicted": 1, "video_seconds_predicted": 12.5, "aoi_detections": 1}
    expected |= {"uploads": 2, "uploaded_bytes": 20, "media_stored": 2, "stored_bytes": 20}
    assert used(ask) == expected
    assert ask("DELETE", f"{API}/media/{picture}").status_code == 200
    assert used(ask) == expected | {"media_deleted": 1, "media_stored": 1, "stored_bytes": 10}


def test_companies_do_not_share_their_usage(ask: Asker) -> None:
    other = ask.service.keys.create("Other")
    media_id = ask.add(company="Other")
    ask.service.media.has_file(media_id, "file")
    assert used(ask) == {}
    assert used(ask, key=other)["uploads"] == 1


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
        ("?start_date=0", "start_date"),
        ("?end_date=86400", "end_date"),
        ("?end_date=20260131", "end_date"),
        ("?end_date=", "end_date"),
        ("?end_date=2026-02-30", "end_date"),
        ("?start=2026-01-01", "start"),
    ],
)
def test_days_that_cannot_be_are_refused_by_name(ask: Asker, query: str, named: str) -> None:
    answer = ask("GET", f"{API}/account/usage{query}")
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(f"{named}: ")
