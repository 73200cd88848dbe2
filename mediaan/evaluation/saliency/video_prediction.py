"""Predict a video at its sampled instants, in order, a chunk at a time."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mediaan.errors import MediumError, UsageError
from mediaan.media.limits import MediaLimits
from mediaan.media.source import Sampling, Source
from mediaan.saliency.predictor import AttentionPredictor, PredictorWrapper
from mediaan.types.arrays import Bool, Float32, Float64, Int32, UInt8
from mediaan.types.densities import Densities
from mediaan.types.media import ViewSpec

# Predictions of one chunk of a video and some more; older ones are not asked for again.
_MAX_CACHED = 128


class CachedPredictor(PredictorWrapper):
    """A predictor that caches its last predictions by the pixels of a frame.

    A video is scored over time and frame by frame: both need the same prediction of most frames.
    """

    def __init__(self, predictor: AttentionPredictor) -> None:
        super().__init__(predictor)
        self._kept: OrderedDict[bytes, Densities] = OrderedDict()

    def predict(self, frames: UInt8, **options: Any) -> list[Densities]:
        """Predict the densities of each frame; further arguments are those of the predictor."""
        request = repr((frames.shape[1:], sorted(options.items()))).encode()
        keys = [hashlib.blake2b(frame.tobytes(), digest_size=16).digest() + request for frame in frames]
        missing = [i for i, key in enumerate(keys) if key not in self._kept]
        kept = {key: self._kept[key] for key in keys if key in self._kept}
        if missing:
            fresh = self._predictor.predict(np.ascontiguousarray(frames[missing]), **options)
            kept |= {keys[i]: densities for i, densities in zip(missing, fresh, strict=True)}
        self._kept.update(kept)
        while len(self._kept) > _MAX_CACHED:
            self._kept.popitem(last=False)
        return [kept[key] for key in keys]


_LIMITS = MediaLimits(time_limit_s=86_400.0)
"""For a user's own videos, each of which is scored at hundreds of instants: a day."""


class VideoModel(Protocol):
    """Frames in order in, densities out, with a state between the chunks; as `mediaan.saliency.TemporalAttention`."""

    @property
    def view(self) -> ViewSpec:
        """View in which it takes frames."""
        ...

    def start(self) -> Any:
        """Return the state before the first frame."""
        ...

    def advance(
        self, state: Any, frames: UInt8, t: Float64, weight_s: Float64, shot: Int32, fresh: Bool, /
    ) -> tuple[list[Float32], Any]:
        """Return densities (h, w) of the frames of a chunk, and the state after it; see `Chunk` for the arguments."""
        ...


class MediumOpener(Protocol):
    """Opens a medium, as `mediaan.media.open_medium`."""

    def __call__(self, path: Path, views: Sequence[ViewSpec], limits: MediaLimits, sampling: Sampling, /) -> Source:
        """See `mediaan.media.open_medium`."""
        ...


@dataclass(frozen=True, slots=True)
class Instant:
    """Predictions at one sampled instant."""

    t_s: float
    """From the first frame."""
    model: Float32
    frame_wise: Float32
    """model, frame_wise: (h, w) float32. Density of the temporal model, and of the image model on this frame alone;
    each on its own grid."""


@contextmanager
def open_video(path: Path, view: ViewSpec, opener: MediumOpener, sampling: Sampling) -> Iterator[Source]:
    """Open a video for as long as the ``with`` statement lasts.

    Raises UsageError: it cannot be opened or read to its end: a set with a hole would be scored on other videos than
        were asked for.
    """
    try:
        with opener(path, [view], _LIMITS, sampling) as source:
            yield source
    except MediumError as error:
        raise UsageError(f"{error.message}; mend the video or leave it out by --pictures", code=error.code) from error


def predict_instants(source: Source, model: VideoModel, frame_model: AttentionPredictor) -> Iterator[Instant]:
    """Yield the predictions for an open video.

    Raises UsageError: the image model does not predict the window total.
    """
    state, frame_wise = model.start(), None
    for chunk in source.chunks():
        frames = chunk.views[model.view.name]
        densities, state = model.advance(state, frames, chunk.t, chunk.weight_s, chunk.shot, chunk.fresh)
        for index, (t, density) in enumerate(zip(chunk.t, densities, strict=True)):
            if frame_wise is None or chunk.fresh[index]:
                frame_wise = _total(frame_model, frames[index : index + 1])
            yield Instant(float(t), density, frame_wise)


def _total(frame_model: AttentionPredictor, frame: UInt8) -> Float32:
    densities = frame_model.predict(frame)[0]
    if "total" not in densities.maps:
        windows = ", ".join(densities.maps)
        raise UsageError(f"the model {frame_model.name} does not predict the window 'total', only: {windows}")
    return densities["total"]
