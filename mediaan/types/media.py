"""A medium, its problems, and its pixels: a stream of chunks, each a few frames in named sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal
from uuid import UUID

if TYPE_CHECKING:  # who only handles facts of media need not load NumPy
    from mediaan.types.arrays import Bool, Float64, Int32, UInt8

Purpose = Literal["brand_building", "conversion"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a medium that a reader of its numbers should know."""

    code: str
    """Stable snake_case name for tables."""
    message: str
    """A sentence for people."""


MediumKind = Literal["image", "video", "mixed"]
Transition = Literal["start", "cut", "fade"]


@dataclass(frozen=True, slots=True)
class Medium:
    """An image, animation or video, identified by its content."""

    medium_id: UUID
    """Derived from the sha256 of the bytes: the same bytes are the same medium wherever they lie."""
    name: str
    """File name without folder."""
    kind: MediumKind
    width: int
    height: int
    """width, height: px, as displayed (after EXIF rotation and pixel aspect)."""
    codec: str
    """Lower-case format or codec name, such as ``jpeg``."""
    duration_s: float | None = None
    """Seconds; None for a still image."""
    frame_rate: Fraction | None = None
    """Frames per second, on average, as the container states it; None for a still image, or where it is not stated."""
    has_audio: bool | None = None
    """Whether the file has an audio track; None for a still image, or where it is not known."""


@dataclass(frozen=True, slots=True)
class ViewSpec:
    """A size in which frames are wanted.

    The medium is scaled down, never up unless `upscale`, with its aspect kept but for rounding each side to a
    multiple of `multiple`.
    """

    name: str
    """Key of the view in a chunk."""
    pixels: int | None = None
    """Target area, px²; exactly one of `pixels` and `long_side` is given."""
    long_side: int | None = None
    """Target length of the longer side, px."""
    multiple: int = 1
    """Both sides are rounded to a multiple of this, at least once it."""
    upscale: bool = False
    """Whether small media are enlarged to the target."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A few consecutive frames."""

    t: Float64
    """(N,) float64. Presentation times, s."""
    weight_s: Float64
    """(N,) float64. Seconds of the exposure that each frame stands for."""
    views: Mapping[str, UInt8]
    """Mapping of str to (N, H, W, 3) uint8. The same frames in the sizes that were asked for, sRGB, in RGB order."""
    shot: Int32
    """(N,) int32. Which shot each frame belongs to, counted from 0."""
    fresh: Bool
    """(N,) bool. False where the pixels are those of the frame before."""

    def samples(self) -> Iterator[tuple[float, float, int, bool, dict[str, UInt8]]]:
        """Yield each frame's time, seconds, shot, whether its pixels are new, and its views, (H, W, 3) uint8."""
        columns = zip(self.t.tolist(), self.weight_s.tolist(), self.shot.tolist(), self.fresh.tolist(), strict=True)
        for i, (t_s, weight_s, shot, fresh) in enumerate(columns):
            yield t_s, weight_s, shot, fresh, {name: view[i] for name, view in self.views.items()}


@dataclass(frozen=True, slots=True)
class Shot:
    """The time between two cuts; the shots of a medium tile its duration."""

    start_s: float
    end_s: float
    """start_s, end_s: Half-open, s from the first frame."""
    begins: Transition
    """How it begins: with the medium, by a cut, or by a fade from black."""
