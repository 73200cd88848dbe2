"""The whole server is killed: what was started is done by the next one, what was done stays, nothing is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from job_store import JobStore, assert_same_run, children, lives, until
from serving import RunningServer
from short_film import ADS, short_film

import mediaan as mn
from mediaan.server.service.perform import analysis_options
from mediaan.server.settings import ServerSettings

AD = ADS / "coffee_leaderboard.jpg"
SERVER_OPTIONS = ("--workers", "1")


@pytest.fixture
def store(server: RunningServer) -> Iterator[JobStore]:
    """The same store as the server's."""
    made = JobStore(ServerSettings(server.data, workers=1))
    yield made
    made.close()


@pytest.mark.full
def test_killed_in_the_middle_of_a_video(server: RunningServer, store: JobStore, tmp_path: Path) -> None:
    with server.client(store.service.keys.create("store")) as client:
        film = short_film(tmp_path / "spot.mp4", 0.0, 6.0)
        done, media_id = store.bring("image", AD), store.bring("video", film)
        assert store.wait(store.ask(done, "predict")).state == "done"
        assert client.put(f"/predict/v2/videos/{media_id}/predict").json() == {"media_id": str(media_id)}
        runs = store.service.folder.run(media_id, "x").parent
        until(lambda: list(runs.glob("*/unfinished.json")))
        workers = children(server.process.pid)
        server.kill()
        until(lambda: not any(map(lives, workers)), 60.0)
        assert store.medium(media_id).status == "started"
        with pytest.raises(httpx.ConnectError):
            client.get(f"/predict/v2/media/{media_id}")
        server.start()
        assert client.put(f"/predict/v2/videos/{media_id}/predict").json() == {"detail": "Prediction already started"}
        until(lambda: client.get(f"/predict/v2/media/{media_id}").json()["status"] == "done")
        assert client.get(f"/predict/v2/media/{done}").json()["status"] == "done"
    undisturbed = mn.analyze_folder(film, tmp_path / "run", *analysis_options("video", store.settings))
    assert_same_run(store.run(media_id), undisturbed)
    assert [path.name for path in runs.iterdir()] == [store.medium(media_id).run]
