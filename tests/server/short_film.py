"""Films of a second or two, for tests that need a real one."""

from __future__ import annotations

from pathlib import Path

import av

from mediaan.media.overlay_video import VideoWriter

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
ADS = SAMPLES / "ads"
SPOT = SAMPLES / "videos" / "coffee_spot.mp4"
_RATE = 10
_SIZE = (320, 180)


def short_film(path: Path, first_s: float = 2.0, last_s: float = 4.0) -> Path:
    """A part of the sample spot, small, ten frames a second."""
    with av.open(str(SPOT)) as spot, VideoWriter(path, _SIZE, _RATE) as film:
        shown = 0
        for frame in spot.decode(video=0):
            at = (frame.time or 0.0) - first_s
            if at >= shown / _RATE and at < last_s - first_s:
                film.add(frame.to_ndarray(format="rgb24", width=_SIZE[0], height=_SIZE[1]), shown / _RATE, 1 / _RATE)
                shown += 1
    return path
