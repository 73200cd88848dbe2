"""Media that move for a fake run: tables over time from formulas, previews whose frames carry their number as grey."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fake_run import add_facts, facts_of, medium_id
from PIL import Image

from mediaan.run.tables.rows import frame_of, scene_of
from mediaan.run.tables.schema import TABLES
from mediaan.types.densities import Densities
from mediaan.types.media import Medium
from mediaan.types.metrics import Scene
from mediaan.types.result import Result

FPS = 5
PACING = ("pacing", "Pacing", "total", "middle", "measured", "Cuts per minute.")
PREVIEWS = ("preview", "preview_heat")
SCORES = ("focus", "cognitive_demand", "clarity", "engagement", "memory")
OVER_TIME = (*SCORES, "design")
HOSTILE_VIDEO = "</script><img src=x onerror=\"alert('2')\">.mp4"


@dataclass(frozen=True)
class FakeVideo:
    """A video of `n` samples, 0.2 s apart, that cuts where `cuts` say (sample numbers)."""

    index: int
    n: int = 30
    cuts: tuple[int, ...] = (10, 15)
    name: str = ""
    codec: str = "h264"
    share_read: float = 1.0
    previews: tuple[str, ...] = PREVIEWS
    sheet: bool = True

    @property
    def title(self) -> str:
        return self.name or f"spot {self.index}.mp4"

    @property
    def duration_s(self) -> float:
        return self.n / FPS

    def scene_of(self, k: int) -> int:
        return bisect_right(self.cuts, k)

    def score(self, metric: str, k: int) -> float | None:
        """Focus rises evenly from 10 to 90; clarity is undefined at sample 3; the others are waves."""
        if metric == "focus":
            return 10 + 80 * k / max(self.n - 1, 1)
        if metric == "clarity" and k == 3:
            return None
        phase = OVER_TIME.index(metric)
        return 50 + 30 * math.sin(k / 4 + phase) - 6 * self.scene_of(k) % 11


def grey(k: int) -> int:
    """Level of the `k`-th sampled frame of a preview."""
    return 24 + 7 * k % 231


def add_videos(run_dir: Path, videos: Sequence[FakeVideo]) -> Path:
    """Add media that move to a fake run."""
    rows = {
        "media": [_media_row(video) for video in videos],
        "metrics": [row for video in videos for row in _metric_rows(video)],
        "frames": [row for video in videos for row in frame_rows(video)],
        "scenes": [row for video in videos for row in scene_rows(video)],
        "maps": [row for video in videos for row in _write_maps(run_dir, video)],
    }
    for name, more in rows.items():
        path = run_dir / "tables" / f"{name}.parquet"
        added = pa.Table.from_pylist(more, schema=TABLES[name])
        pq.write_table(pa.concat_tables([pq.read_table(path, schema=TABLES[name]), added]), path)
    keys = ("name", "title", "time", "direction", "basis", "caption")
    pacing = dict(zip(keys, PACING, strict=True))
    pacing |= {"unit": "1/min", "low": 0.0, "high": 60.0, "reference": "Invented 2026"}
    add_facts(run_dir, metrics=[*facts_of(run_dir)["metrics"], pacing])
    return run_dir


def _media_row(video: FakeVideo) -> dict[str, object]:
    return {
        "path": f"spots/{video.title}",
        "medium_id": medium_id(video.index),
        "name": video.title,
        "type": "video",
        "status": "done",
        "width": 1280,
        "height": 720,
        "codec": video.codec,
        "duration_s": video.duration_s,
        "frame_rate": 25.0,
        "share_read": video.share_read,
        "size_bytes": 2_345_678,
        "created_at": 0,
        "seconds": 1.4,
    }


def _metric_rows(video: FakeVideo) -> list[dict[str, object]]:
    window = 2 * FPS
    first, last = range(min(window, video.n)), range(max(video.n - window, 0), video.n)
    spans = {"total": range(video.n), "start": first, "end": last}
    found = {(metric, time): _mean(video, metric, span) for metric in SCORES for time, span in spans.items()}
    found["focus_first_two", "start"] = found["focus", "start"]
    found["focus_last_two", "end"] = found["focus", "end"]
    rows = [_metric_row(video, metric, time, value, 5.0) for (metric, time), value in found.items()]
    # the end comes last in the table: it must not stand for the whole
    rows.append(_metric_row(video, "pacing", "total", 60 * len(video.cuts) / video.duration_s, None))
    return sorted(rows, key=lambda row: ("total", "start", "end").index(str(row["metric_time"])))


def _metric_row(video: FakeVideo, metric: str, time: str, value: float | None, half: float | None) -> dict[str, object]:
    return {
        "medium_id": medium_id(video.index),
        "metric": metric,
        "metric_time": time,
        "value": value,
        "lo": None if half is None or value is None else max(value - half, 0.0),
        "hi": None if half is None or value is None else min(value + half, 100.0),
        "basis": "proxy" if metric in ("engagement", "memory") else "learned",
        "unit": "1/min" if metric == "pacing" else "score",
    }


def _mean(video: FakeVideo, metric: str, span: range) -> float | None:
    known = [value for k in span if (value := video.score(metric, k)) is not None]
    return float(np.mean(known)) if known else None


def frame_rows(video: FakeVideo) -> list[dict[str, object]]:
    return [
        {"medium_id": medium_id(video.index), "t_s": k / FPS, "weight_s": 1 / FPS, "scene_id": video.scene_of(k)}
        | {("engagement_frt" if metric == "engagement" else metric): video.score(metric, k) for metric in OVER_TIME}
        | {"x": 0.5, "y": 0.5}
        for k in range(video.n)
    ]


def scene_rows(video: FakeVideo) -> list[dict[str, object]]:
    edges = [0, *video.cuts, video.n]
    return [
        {"medium_id": medium_id(video.index), "scene_id": i, "start_s": a / FPS, "end_s": b / FPS}
        | {"cut_type": "start" if i == 0 else ("fade" if i % 2 == 0 else "cut")}
        | {metric: _mean(video, metric, range(a, b)) for metric in OVER_TIME}
        for i, (a, b) in enumerate(pairwise(edges))
    ]


def result_of(video: FakeVideo, scenes: Sequence[Scene] | None = None) -> Result:
    """Return the result of a video, with other scenes where they are given."""
    row = _media_row(video)
    names = ("name", "width", "height", "codec", "duration_s")
    medium = Medium(UUID(medium_id(video.index)), kind="video", **{name: row[name] for name in names})
    own_scenes = tuple(map(scene_of, scene_rows(video)))
    frames = tuple(map(frame_of, frame_rows(video)))
    return Result(str(row["path"]), medium, (), Densities({}), frames=frames, scenes=tuple(scenes or own_scenes))


def _write_maps(run_dir: Path, video: FakeVideo) -> list[dict[str, object]]:
    folder = run_dir / "maps" / f"v {video.index}#"
    folder.mkdir(parents=True)
    files = []
    for name in video.previews:
        _write_film(folder / f"{name}.mp4", video, heat=name != "preview")
        files.append(f"{name}.mp4")
    if video.sheet:
        for name, size in {"original": (160, 90), "heat": (160, 104), "contact_sheet": (240, 300)}.items():
            Image.new("RGB", size, (90, 120, 60)).save(folder / f"{name}.jpg")
            files.append(f"{name}.jpg")
    found = {"medium_id": medium_id(video.index)}
    return [found | {"map": Path(f).stem, "path": (folder / f).relative_to(run_dir).as_posix()} for f in files]


def _write_film(path: Path, video: FakeVideo, *, heat: bool) -> None:
    """Frames are even: the plain ones grey, those with heat of that red and a constant blue."""
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as film:
        stream = film.add_stream("libx264", rate=FPS, options={"preset": "ultrafast", "crf": "10", "g": "5"})
        stream.width, stream.height, stream.pix_fmt = 160, 90, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        for k in range(video.n):
            pixels = np.full((90, 160, 3), grey(k), np.uint8)
            if heat:
                pixels[..., 1:] = (0, 200)
            frame = av.VideoFrame.from_ndarray(pixels, "rgb24")
            frame.pts, frame.time_base = round(1000 * k / FPS), Fraction(1, 1000)
            film.mux(stream.encode(frame))
        film.mux(stream.encode())
