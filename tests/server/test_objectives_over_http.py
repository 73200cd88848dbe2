"""Objectives that clients send: what is taken, what is refused, and what follows from them."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from asking import API, Asker

from mediaan.server.service.jobs import Job, JobKind, Outcome
from mediaan.server.v2.benchmark_ranges import Objectives

NOTHING = dict.fromkeys(Objectives.model_fields)


@pytest.fixture
def medium(ask: Asker) -> UUID:
    return ask.add("image", "ad.png")


def put(ask: Asker, media_id: UUID, objectives: Any) -> tuple[int, Any]:
    answer = ask("PUT", f"{API}/media/{media_id}/objectives", json=objectives)
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({}, {}),
        ({"industry": "food"}, {"industry": {"category": "food", "subcategory": None}}),
        ({"industry": "food/snacks"}, {"industry": {"category": "food", "subcategory": "snacks"}}),
        ({"usecase": {"category": "banner"}}, {"usecase": {"category": "banner", "subcategory": None}}),
        ({"brand": "Acme"}, {"brand": {"name": "Acme", "aliases": []}}),
        ({"brand": {"name": "Acme", "aliases": ["ACME"]}}, {"brand": {"name": "Acme", "aliases": ["ACME"]}}),
        ({"purpose": "conversion", "platform": "instagram", "country": "DE", "exposure_s": 2, "benchmark": "web"},
         {"purpose": "conversion", "platform": "instagram", "country": "DE", "exposure_s": 2.0, "benchmark": "web"}),
        ({"benchmark": "none", "country": None}, {"benchmark": "none"}),
        ({"benchmark": "auto"}, {"benchmark": "auto"}),
    ],
)  # fmt: skip
def test_they_are_kept_as_they_were_set(ask: Asker, medium: UUID, sent: Any, stored: Any) -> None:
    assert put(ask, medium, sent) == (200, NOTHING | stored)
    answer = ask("GET", f"{API}/media/{medium}/objectives")
    assert (answer.status_code, answer.json()) == (200, NOTHING | stored)
    assert put(ask, medium, answer.json()) == (200, NOTHING | stored), "what GET gives can be sent back"


def test_before_any_are_set_all_are_null(ask: Asker, medium: UUID) -> None:
    answer = ask("GET", f"{API}/media/{medium}/objectives")
    assert (answer.status_code, answer.json()) == (200, NOTHING)
    ranges = ask("GET", f"{API}/media/{medium}/benchmark_ranges")
    assert ranges.status_code == 412, "which does not say that they are set"


def test_later_ones_replace_all_of_the_earlier(ask: Asker, medium: UUID) -> None:
    put(ask, medium, {"purpose": "conversion", "country": "DE"})
    assert put(ask, medium, {"country": "AT"}) == (200, NOTHING | {"country": "AT"})


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"platform": "instagran"}, "platform: 'instagran' is no known platform; did you mean 'instagram'?"),
        ({"industry": "food/x"}, "industry.subcategory: 'x' is no known subcategory of 'food'"),
        ({"purpose": "sales"}, "purpose: 'sales' is no known purpose; did you mean 'conversion'?"),
        ({"country": "de"}, "country: "),
        ({"exposure_s": 0}, "exposure_s: "),
        ({"exposure_s": "2"}, "exposure_s: Input should be a valid number"),
        ({"exposure_s": 61}, "exposure_s: "),
        ({"brand": {"name": "Acme", "logos": ["/etc/passwd"]}}, "brand.logos: Extra inputs are not permitted"),
        ({"benchmark": "/etc/passwd"}, "benchmark: '/etc/passwd' is no norm set that ships"),
        ({"benchmark": "../benchmarks_data/ads.parquet"}, "benchmark: "),
        ({"benchmark": "ad"}, "benchmark: 'ad' is no norm set that ships; did you mean 'ads'?"),
        ({"contry": "DE"}, "contry: Extra inputs are not permitted"),
        ([], "body: "),
    ],
)
def test_what_is_wrong_is_named_with_the_fix(ask: Asker, medium: UUID, sent: Any, said: str) -> None:
    status, body = put(ask, medium, sent)
    assert status == 422
    assert said in body["detail"]
    assert "values." not in body["detail"], "there is no file that could hold words of one's own"
    assert ask("GET", f"{API}/media/{medium}/objectives").json() == NOTHING


def test_a_predicted_medium_is_rated_before_the_answer(ask: Asker, medium: UUID) -> None:
    ask.change(medium, file="ad.png", status="done", run="one")
    seen: list[Any] = []

    def end(job: Job) -> None:
        stored = ask.service.media.get(medium)
        seen.append((job.kind, stored and stored.objectives))
        ask.service.jobs.finish(job, Outcome())

    (answer,) = ask.at_work(end, "PUT", f"{API}/media/{medium}/objectives", json={"purpose": "conversion"})
    assert answer.status_code == 200
    assert seen == [("rate", {"purpose": "conversion"})]


def test_ranges_wait_for_objectives_that_were_just_set(ask: Asker, medium: UUID) -> None:
    ask.change(medium, file="ad.png", status="done", run="one")
    for run in ("one", "two"):
        folder = ask.service.folder.run(medium, run) / "answers"
        folder.mkdir(parents=True)
        content = {"medium": [], "aois": [], "reason": f"of run {run}"}
        (folder / "ranges.json").write_text(json.dumps(content), encoding="utf-8")
    jobs = ask.service.jobs
    assert jobs.add(medium, "rate", "short", objectives={})

    def end(job: Job) -> None:
        jobs.finish(job, Outcome(run="two"))

    (answer,) = ask.at_work(end, "GET", f"{API}/media/{medium}/benchmark_ranges")
    assert answer.json() == {"detail": "of run two"}


def test_nor_are_they_where_the_medium_could_not_be_rated(ask: Asker, medium: UUID) -> None:
    """Only a later job that rates it makes its ranges those of its objectives."""
    ask.change(medium, file="ad.png", status="done", run="one")
    folder = ask.service.folder.run(medium, "one") / "answers"
    folder.mkdir(parents=True)
    (folder / "ranges.json").write_text('{"medium": [], "aois": [], "reason": null}', encoding="utf-8")
    jobs, ranges = ask.service.jobs, f"{API}/media/{medium}/benchmark_ranges"
    steps: list[tuple[JobKind, bool]] = [("rate", True), ("predict", True), ("rate", False), ("draw", True)]
    for kind, done in steps:
        assert jobs.add(medium, kind, "short", {"aois": []}, {} if kind == "rate" else None)
        job = jobs.take("w", ("short",))
        assert job
        assert jobs.finish(job, Outcome()) if done else jobs.fail(job, "setup", "The disk is full")
    answer = ask("GET", ranges)
    assert (answer.status_code, answer.json()) == (503, {"detail": "The disk is full"})
    assert jobs.add(medium, "detect", "short")
    job = jobs.take("w", ("short",))
    assert job
    assert jobs.finish(job, Outcome())
    assert ask("GET", ranges).json() == {"medium": [], "aois": []}
