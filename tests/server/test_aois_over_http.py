"""AOIs that clients send: what is taken, what is refused and how it is said, what becomes of the job."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from asking import API, Asker

from mediaan.server.service.jobs import Job, Outcome

BOX = [0.1, 0.2, 0.5, 0.6]


@pytest.fixture
def picture(ask: Asker) -> UUID:
    media_id = ask.add("image", "ad.png")
    ask.change(media_id, file="ad.png", status="done", run="one")
    folder = ask.service.folder.run(media_id, "one") / "answers"
    folder.mkdir(parents=True)
    (folder / "aois.json").write_text('{"aois": []}', encoding="utf-8")
    return media_id


def put(ask: Asker, picture: UUID, *aois: dict[str, Any], ends: str | tuple[str, str] = "done") -> Any:
    """Send AOIs while a worker takes the job and ends it."""
    jobs = ask.service.jobs
    taken: list[Job] = []

    def end(job: Job) -> None:
        taken.append(job)
        _ = jobs.finish(job, Outcome()) if ends == "done" else jobs.fail(job, *ends)

    (answer,) = ask.at_work(end, "PUT", f"{API}/images/{picture}/aois", json={"aois": list(aois)})
    return answer, (taken[0].payload if taken else None)


def refused(ask: Asker, picture: UUID, *aois: Any, **more: Any) -> str:
    answer = ask("PUT", f"{API}/images/{picture}/aois", json={"aois": list(aois)} | more)
    assert answer.status_code == 422
    count = ask.service.database.connection.execute("SELECT count(*) FROM jobs").fetchone()[0]
    assert count == 0
    detail: str = answer.json()["detail"]
    return detail


def test_the_job_gets_what_files_of_aois_hold(ask: Asker, picture: UUID) -> None:
    known = uuid4()
    sent: list[dict[str, Any]] = [
        {"aoi_type": "branding", "label": "Acme", "box": BOX, "uuid": str(known)},
        {"aoi_type": "product", "polygon": [[10, 10], [90, 10], [50, 80]], "unit": "px"},
        {"aoi_type": "other", "box": BOX, "t0_s": 1, "t1_s": 2.5, "track": [[1, 0.1, 0.2, 0.3, 0.4, 1]]},
    ]
    answer, payload = put(ask, picture, *sent)
    assert answer.status_code == 200
    assert payload["aois"] == [
        {"type": "branding", "label": "Acme", "box": BOX, "unit": "unit", "track": [], "none": False,
         "aoi_id": str(known)},
        {"type": "product", "label": "", "polygon": [[10, 10], [90, 10], [50, 80]], "unit": "px", "track": [],
         "none": False},
        {"type": "other", "label": "", "box": BOX, "unit": "unit", "t0_s": 1, "t1_s": 2.5,
         "track": [[1, 0.1, 0.2, 0.3, 0.4, 1]], "none": False},
    ]  # fmt: skip


def test_what_get_gives_can_be_sent_back(ask: Asker, picture: UUID) -> None:
    got = {
        "uuid": str(uuid4()), "aoi_type": "headline_text", "label": "", "box": BOX, "polygon": None, "t0_s": None,
        "t1_s": None, "track": [], "source": "detected", "method": "text", "confidence": 0.5, "text": "Sale",
        "scores": {
            "attention": {
                "total": {"value": 3.5, "repeatability": 0.6, "lo": 1.0, "hi": 5.0, "unit": "%", "reason": None}
            }
        },
    }  # fmt: skip
    (ask.service.folder.run(picture, "one") / "answers" / "aois.json").write_text(json.dumps({"aois": [got]}))
    body = ask("GET", f"{API}/images/{picture}/aois").json()
    of_brand = {"brand_found": None, "brand_attention": None}
    assert body == {"media_id": str(picture), "aoi_status": "unspecified", **of_brand, "aois": [got]}
    answer, payload = put(ask, picture, *body["aois"])
    assert answer.json() == body
    assert payload["aois"][0]["aoi_id"] == got["uuid"]
    whole = ask("PUT", f"{API}/images/{picture}/aois", json=body | {"aois": [got | {"box": [1, 0, 0, 1]}]})
    assert whole.json()["detail"].startswith("aois.0: box"), "media_id and aoi_status are taken"


@pytest.mark.parametrize(
    ("aoi", "said"),
    [
        ({"box": BOX}, "aois.1.aoi_type: Field required"),
        ({"aoi_type": "logo", "box": BOX}, "aois.1.aoi_type: no AOI type is called 'logo'; did you mean 'branding'?"),
        ({"aoi_type": "face"}, "aois.1: needs a box [x0, y0, x1, y1] or a polygon [[x, y], ...]"),
        ({"aoi_type": "face", "box": [0.5, 0, 0.5, 1]}, "aois.1: box [0.5, 0.0, 0.5, 1.0] must be [x0, y0, x1, y1]"),
        ({"aoi_type": "face", "box": [0, 0, 100, 80]}, 'if they are pixels, add "unit": "px"'),
        ({"aoi_type": "face", "box": [1.1, 0, 1.2, 1]}, "aois.1: is outside the image"),
        ({"aoi_type": "face", "box": [0, 0, 1]}, "aois.1.box.3: Field required"),
        ({"aoi_type": "face", "box": [0, 0, "1", 1]}, "aois.1.box.2: Input should be a valid number"),
        ({"aoi_type": "face", "polygon": [[0, 0], [1, 1]]}, "aois.1.polygon: "),
        ({"aoi_type": "face", "box": BOX, "t0_s": 3, "t1_s": 2}, "aois.1: t0_s 3.0 must be before t1_s 2.0"),
        ({"aoi_type": "face", "box": BOX, "track": [[1, *BOX, 1], [1, *BOX, 1]]}, "aois.1: the times of a track must"),
        ({"aoi_type": "face", "box": BOX, "uuid": "7"}, "aois.1.uuid: Input should be a valid UUID"),
        ({"aoi_type": "face", "box": BOX, "colour": "red"}, "aois.1.colour: Extra inputs are not permitted"),
        ({"aoi_type": "face", "box": BOX, "unit": "pt"}, "aois.1.unit: Input should be 'unit' or 'px'"),
    ],
)
def test_what_does_not_hold_together_is_named(ask: Asker, picture: UUID, aoi: dict[str, Any], said: str) -> None:
    assert said in refused(ask, picture, {"aoi_type": "face", "box": BOX}, aoi)


def test_areas_of_another_medium_are_not_taken_by_mistake(ask: Asker, picture: UUID) -> None:
    assert refused(ask, picture, media_id=str(uuid4())).startswith("media_id: is that of another medium")


def asked(ask: Asker, media_id: UUID) -> bool:
    """Whether there is a job."""
    query = "SELECT 1 FROM jobs WHERE media_id = ?"
    return ask.service.database.connection.execute(query, (str(media_id),)).fetchone() is not None


def test_who_waits_for_a_medium_that_is_deleted_hears_of_it(ask: Asker, picture: UUID) -> None:
    async def both() -> Any:
        working = asyncio.create_task(ask.send("PUT", f"{API}/images/{picture}/aois", json={"aois": []}))
        while not asked(ask, picture):
            await asyncio.sleep(0.01)
        await ask.send("DELETE", f"{API}/media/{picture}")
        return await working

    assert asyncio.run(both()).status_code == 404
