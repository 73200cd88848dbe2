"""What is lost by looking less often than at every sample: ``python -m bench.looks``.

The densities of `TemporalAttention` as it is, beside those of the same model made to look at every fresh sample: their
correlation over the samples of the sample film and of the clip that the videos are timed on, which pans and zooms hard.
"""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np

from bench.clips import TAKE_S, clip
from mediaan.maps.compare import cc
from mediaan.media import open_medium
from mediaan.predictors import TemporalAttention, load_frame_predictor
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.maps import Densities

FILM = Path(__file__).resolve().parents[1] / "tests" / "sample_ads" / "videos" / "coffee_spot.mp4"


class Counting:
    """The frame model, and how often it was asked."""

    def __init__(self) -> None:
        self._model = load_frame_predictor("attention", "cpu", threads=1)
        self.name, self.sha256, self.device, self.view = (
            self._model.name,
            self._model.sha256,
            self._model.device,
            self._model.view,
        )
        self.looks = 0

    def predict(self, frames: UInt8) -> list[Densities]:
        """As the model; each frame counts."""
        self.looks += len(frames)
        return self._model.predict(frames)


def densities(path: Path) -> tuple[list[Float32], int]:
    """Densities of a video's samples, and the number of looks that they took."""
    counting = Counting()
    model = TemporalAttention(counting)
    state, found = model.start(), []
    with open_medium(path, [model.view]) as source:
        for chunk in source.chunks():
            view = chunk.views[model.view.name]
            some, state = model.advance(state, view, chunk.t, chunk.weight_s, chunk.shot, chunk.fresh)
            found += some
    return found, counting.looks


def main() -> None:
    """Compare, print."""
    for path in (FILM, clip("h264", TAKE_S)):
        seldom, few = densities(path)
        with patch("mediaan.predictors.looking.LOOK_EVERY_S", 0.0):
            always, many = densities(path)
        agreement = np.array([cc(one, other) for one, other in zip(seldom, always, strict=True)])
        mean, low = agreement.mean(dtype=np.float64), np.percentile(agreement, 5)
        print(
            f"{path.name}: {few} looks instead of {many} at {len(seldom)} samples: CC {mean:.3f}, 5 % below {low:.3f}"
        )


if __name__ == "__main__":
    main()
