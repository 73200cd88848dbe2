"""A folder that mixes pictures, videos and animations: one set of tables, one report."""

from __future__ import annotations

import shutil
from pathlib import Path

import av
import numpy as np
import pytest
from ad_folder import picture

import mediaan as mn
from mediaan.maps import default_map_names
from mediaan.media.overlay_video import VideoWriter
from mediaan.run import Run

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads" / "videos"
SECONDS = 6.0


def write_clip(path: Path, seconds: float = SECONDS, size: tuple[int, int] = (160, 96)) -> Path:
    """A new picture every 2 s, 10 frames a second."""
    with VideoWriter(path, size, 10) as film:
        for i in range(round(seconds * 10)):
            film.add(np.asarray(picture(i // 20, *size)), i / 10, 0.1)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixed")
    write_clip(folder / "clip.mp4")
    data = write_clip(folder / "cut short.mp4").read_bytes()
    (folder / "cut short.mp4").write_bytes(data[: len(data) // 2])
    (folder / "playlist.mp4").write_text("#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:6,\nclip.mp4\n#EXT-X-ENDLIST\n")
    shutil.copy(SAMPLES / "sofa_banner.gif", folder / "banner.gif")
    shutil.copy(folder / "clip.mp4", folder / "copy of clip.mp4")
    picture(9).save(folder / "still.png")
    return folder


def analyse(paths: object, out: Path, *, workers: int = 1, **settings: object) -> Run:
    recipe = mn.Recipe.model_validate({"model": "centre-prior", "aois": "none", **settings})
    return mn.analyze_folder(paths, out, recipe=recipe, execution=mn.Execution(workers=workers))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def run(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return analyse(folder, tmp_path_factory.mktemp("serial") / "run")


def test_each_kind_has_its_row(run: Run) -> None:
    media = run.media.set_index("path")
    assert media.type.dropna().to_dict() == {
        "banner.gif": "video",
        "clip.mp4": "video",
        "copy of clip.mp4": "video",
        "still.png": "image",
    }
    assert media.duration_s.dropna().to_dict() == {"banner.gif": 4.0, "clip.mp4": 6.0, "copy of clip.mp4": 6.0}
    assert media.loc["clip.mp4", ["width", "height", "codec", "frame_rate"]].tolist() == [160, 96, "h264", 10.0]
    assert set(media[media.status == "failed"].index) == {"cut short.mp4", "playlist.mp4"}
    assert "playlist" in media.error_message["playlist.mp4"]
    assert (media.share_read.dropna() == 1).all()


def test_frames_tile_the_medium_and_scenes_are_where_the_picture_changes(run: Run) -> None:
    clip = run.media.set_index("path").medium_id["clip.mp4"]
    frames = run.frames[run.frames.medium_id == clip]
    assert frames.t_s.tolist() == pytest.approx(np.arange(30) / 5)
    assert frames.weight_s.sum() == pytest.approx(SECONDS)
    scenes = run.scenes[run.scenes.medium_id == clip]
    assert scenes[["start_s", "end_s", "cut_type"]].values.tolist() == [
        [0.0, 2.0, "start"],
        [2.0, 4.0, "cut"],
        [4.0, 6.0, "cut"],
    ]
    assert frames.groupby("scene_id").t_s.min().tolist() == pytest.approx([0.0, 2.0, 4.0])
    assert run.frames.medium_id.nunique() == run.scenes.medium_id.nunique() == 2, "copies share their rows"


def test_the_mediums_scores_are_means_of_its_frames(run: Run) -> None:
    clip = run.media.set_index("path").medium_id["clip.mp4"]
    frames = run.frames[run.frames.medium_id == clip]
    metrics = run.metrics[run.metrics.medium_id == clip].set_index(["metric", "metric_time"]).value
    for metric, column in [("focus", "focus"), ("clarity", "clarity"), ("engagement", "engagement_frt")]:
        assert metrics[metric, "total"] == pytest.approx(np.average(frames[column], weights=frames.weight_s))
    assert metrics["memory", "start"] == pytest.approx(frames.memory[frames.t_s < 1.9].mean())
    assert metrics["memory", "end"] == pytest.approx(frames.memory[frames.t_s > 3.9].mean())
    assert metrics["focus_last_two", "end"] == pytest.approx(frames.focus[frames.t_s > 3.9].mean())
    assert metrics["pacing", "total"] == pytest.approx(20)
    wide = run.scores.set_index("path")
    assert wide.loc["clip.mp4", "memory"] == pytest.approx(metrics["memory", "total"])
    assert np.isnan(wide.loc["still.png", "pacing"])


def test_maps_of_a_video(run: Run) -> None:
    clip = run.media.set_index("path").medium_id["clip.mp4"]
    paths = run.maps[run.maps.medium_id == clip].set_index("map").path
    assert set(paths.index) == {"original", *default_map_names(), "preview", "preview_heat", "density"}
    assert all((run.path / path).stat().st_size for path in paths)
    for name in ("preview", "preview_heat"):
        with av.open(str(run.path / paths[name])) as film:
            assert sum(1 for _ in film.decode(video=0)) == 30
    assert not (run.path / ".scratch").exists()


def test_films_are_made_when_they_are_named(folder: Path, tmp_path: Path) -> None:
    run = analyse(folder / "clip.mp4", tmp_path / "run", maps=("heat_video", "fog_video"))
    paths = run.maps.set_index("map").path
    assert set(paths.index) == {"original", "preview", "preview_heat", "heat_video", "fog_video", "density"}
    with av.open(str(run.path / paths["heat_video"])) as film:
        stream = film.streams.video[0]
        assert (stream.width, stream.height) == (160, 96)
        times = [frame.time for frame in film.decode(stream)]
    assert times == pytest.approx(np.arange(60) / 10)


def test_fast_looks_at_key_frames(folder: Path) -> None:
    result = mn.analyze(folder / "clip.mp4", model="centre-prior", fast=True, aois="none")
    assert 3 <= len(result.frames) < 30
    assert sum(frame.weight_s for frame in result.frames) == pytest.approx(SECONDS)


def test_mixed_media_only(folder: Path, tmp_path: Path) -> None:
    run = analyse(folder, tmp_path / "run", mixed=True, max_side=200, maps=())
    media = run.media.set_index("path")
    assert media.error_code["still.png"] == "not_mixed_media"
    assert media.error_code["banner.gif"] == "too_large"
    assert media.type["clip.mp4"] == "mixed"
