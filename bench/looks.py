"""What a look costs, and what is lost by looking less often than at every sample: ``python -m bench.looks``.

First an image of 512 x 384 px, on one thread and on two. Then videos:
The densities of `TemporalAttention` as it is, beside those of the same model made to look at every fresh sample: their
correlation over the samples of the sample film and of the clip that the videos are timed on, which pans and zooms hard.
"""

from __future__ import annotations

import time
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bench.clips import TAKE_S, clip
from mediaan.evaluation.saliency.metrics import cc
from mediaan.media import Sampling, open_medium
from mediaan.saliency import TemporalAttention, load_frame_predictor, load_predictor
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Densities

FILM = Path(__file__).resolve().parents[1] / "tests" / "sample_ads" / "videos" / "coffee_spot.mp4"


class Counting:
    """The frame model, and how often it was asked."""

    def __init__(self) -> None:
        self._model = load_frame_predictor("attention", "cpu", threads=1)
        model = self._model
        self.name, self.sha256, self.device, self.view = model.name, model.sha256, model.device, model.view
        self.domains = model.domains
        self.looks, self.seconds = 0, 0.0

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        """As the model; each frame counts."""
        began = time.perf_counter()
        predicted = self._model.predict(frames, domain=domain)
        self.looks, self.seconds = self.looks + len(frames), self.seconds + time.perf_counter() - began
        return predicted


def densities(path: Path) -> tuple[list[Float32], Counting, float]:
    """Densities of a video's samples, the model with its looks, and the seconds that all but looks took."""
    counting = Counting()
    model = TemporalAttention(counting)
    state, densities, seconds = model.start(), [], 0.0
    with open_medium(path, [model.view], sampling=Sampling(threads=1)) as source:
        for chunk in source.chunks():
            view = chunk.views[model.view.name]
            began = time.perf_counter()
            some, state = model.advance(state, view, chunk.t, chunk.weight_s, chunk.shot, chunk.fresh)
            seconds += time.perf_counter() - began
            densities += some
    return densities, counting, seconds - counting.seconds


def image_ms(threads: int) -> float:
    """Return the median time of a prediction of one image in ms, over 30 after 5."""
    model = load_predictor("attention", "cpu", threads=threads)
    image = np.random.default_rng(0).integers(0, 256, (1, 384, 512, 3), np.uint8)
    seconds = []
    for _ in range(35):
        began = time.perf_counter()
        model.predict(image)
        seconds.append(time.perf_counter() - began)
    return 1000 * float(np.median(seconds[5:]))


def main() -> None:
    """Compare, print."""
    print(f"an image: {image_ms(1):.1f} ms on one thread, {image_ms(2):.1f} ms on two")
    for path in (FILM, clip("h264", TAKE_S)):
        seldom, counting, rest_s = densities(path)
        with patch("mediaan.saliency.frame_selection.INFERENCE_INTERVAL_S", 0.0):
            always, every, _ = densities(path)
        agreement = np.array([cc(density, other) for density, other in zip(seldom, always, strict=True)])
        mean, low = agreement.mean(dtype=np.float64), np.percentile(agreement, 5)
        look_ms, rest_ms = 1000 * counting.seconds / counting.looks, 1000 * rest_s / len(seldom)
        print(f"{path.name}: {look_ms:.1f} ms a look, and {rest_ms:.1f} ms a sample for everything else;")
        print(f"  {counting.looks} looks instead of {every.looks} at {len(seldom)} samples:", end=" ")
        print(f"CC {mean:.3f}, 5 % of the samples below {low:.3f}")


if __name__ == "__main__":
    main()
