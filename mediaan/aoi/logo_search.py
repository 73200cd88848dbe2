"""Where a logo may be: places proposed by its edges at many sizes and angles, and by its key points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.aoi.edges import edge_field
from mediaan.aoi.logo_picture import LogoPicture
from mediaan.aoi.pyramid import KeyPoints, Level, Pyramid, key_points
from mediaan.types.arrays import Float32, Float64

SMALLEST, LARGEST = 0.045, 0.75
"""Long side of a logo that is searched for, as a share of the frame's long side."""

_COARSE_PX = 20.0
_SIZES = 3
_ANGLES, _ANGLES_OF_WIDE = (0, -20, 20, -40, 40), (0, -18, 18)
_WIDE = 2.0
_LEAST_LIKENESS = 0.2
_PEAKS = 2
_DAMPING = 0.7

_POINT_SIZES_PX = (256, 128)
_RATIO, _FARTHEST_BITS = 0.85, 130
_FEWEST_POINTS = 4
_MOST_COPIES = 3
_REPROJECTION_PX = 4.0


class Proposal(NamedTuple):
    """A place: `place` (3, 3) takes the logo's pixels to the largest level's; of higher `likeness` the likelier."""

    likeness: float
    place: Float64


class _Template(NamedTuple):
    cosine: Float32
    sine: Float32
    energy: float
    place: Float64


class EdgeSearch:
    """Finds a logo by the directions of its edges; good for flat marks of few corners.

    Parameters
    ----------
    logo : LogoPicture

    References
    ----------
    Hinterstoisser et al. (2012). Gradient response maps for real-time detection of textureless objects. IEEE PAMI 34.
    """

    def __init__(self, logo: LogoPicture) -> None:
        width, height = self._size = logo.size
        aspect = max(width, height) / min(width, height)
        self._longest = _COARSE_PX * min(2.0, np.sqrt(aspect))
        sizes = [self._longest * 2 ** (i / (2 * _SIZES)) / max(width, height) for i in range(_SIZES)]
        angles = _ANGLES_OF_WIDE if aspect > _WIDE else _ANGLES
        self._templates = [_template(logo, scale, angle) for scale in sizes for angle in angles]

    def propose(self, frame: Pyramid, most: int) -> list[Proposal]:
        """The likeliest places, none twice."""
        found = [p for level in frame.levels if self._fits(level, frame) for p in self._at(level)]
        kept: list[Proposal] = []
        for proposal in sorted(found, key=lambda p: -p.likeness):
            if len(kept) < most and not any(same_place(proposal.place, other.place, self._size) for other in kept):
                kept.append(proposal)
        return kept

    def _fits(self, level: Level, frame: Pyramid) -> bool:
        longest = self._longest / level.scale / frame.longest_px
        return bool(SMALLEST / np.sqrt(2) < longest < LARGEST)

    def _at(self, level: Level) -> Iterator[Proposal]:
        for template in self._templates:
            height, width = template.cosine.shape
            if height >= level.grey.shape[0] or width >= level.grey.shape[1]:
                continue
            likeness = _likeness(level, template)
            for value, x, y in _peaks(likeness, width // 3, height // 3):
                place = np.array([[1, 0, x], [0, 1, y], [0, 0, 1]]) @ template.place
                yield Proposal(value, np.diag([1 / level.scale, 1 / level.scale, 1]) @ place)


class PointSearch:
    """Finds a logo by key points in agreement; good for letters and detail at any angle, and where parts are hidden.

    Parameters
    ----------
    logo : LogoPicture
    """

    def __init__(self, logo: LogoPicture) -> None:
        self._views = [view for size in _POINT_SIZES_PX for view in _point_views(logo, size)]

    @property
    def useful(self) -> bool:
        """Whether the logo has enough key points at all."""
        return bool(self._views)

    def propose(self, frame: Pyramid, most: int) -> list[Proposal]:
        """Places on which most key points agree."""
        found = [proposal for view in self._views for proposal in _agreeing(view, frame.key_points)]
        return sorted(found, key=lambda p: -p.likeness)[:most]


def same_place(a: Float64, b: Float64, size: tuple[int, int]) -> bool:
    """Whether two places of a logo are about the same: within a quarter of its size, and that within a quarter."""
    near = float(np.hypot(*(centre(a, size) - centre(b, size))))
    extent_a, extent_b = extent(a, size), extent(b, size)
    return near < 0.25 * extent_b and 0.8 < extent_a / extent_b < 1.25


def centre(place: Float64, size: tuple[int, int]) -> Float64:
    """Where the middle of a logo of that size lies, px."""
    return np.asarray((place @ np.array([size[0] / 2, size[1] / 2, 1.0]))[:2], np.float64)


def extent(place: Float64, size: tuple[int, int]) -> float:
    """Square root of the area that a logo of that size takes up, px."""
    return float(np.sqrt(abs(np.linalg.det(place[:2, :2])) * size[0] * size[1]))


def upright(place: Float64) -> bool:
    """Whether a place neither mirrors nor distorts beyond what a slanted surface does."""
    if not np.isfinite(place).all() or np.linalg.det(place[:2, :2]) <= 0:
        return False
    long, short = np.linalg.svd(place[:2, :2], compute_uv=False)
    return bool(short > 1e-3 and long / short < 2.2)


def _template(logo: LogoPicture, scale: float, angle: float) -> _Template:
    grey, _, drawn = logo.drawn(scale, 0)
    turn = np.vstack([cv2.getRotationMatrix2D((0, 0), angle, 1.0), [0, 0, 1]])
    height, width = grey.shape
    corners = turn[:2, :2] @ np.array([[0, width, width, 0], [0, 0, height, height]])
    low = corners.min(axis=1) - 2
    turn[:2, 2] = -low
    across, down = (int(side) for side in np.ceil(corners.max(axis=1) - low + 2))
    field = edge_field(
        np.asarray(cv2.warpAffine(grey, turn[:2], (across, down), borderValue=logo.ground), dtype=np.uint8)
    )
    cosine, sine = np.ascontiguousarray(field[..., 0]), np.ascontiguousarray(field[..., 1])
    return _Template(cosine, sine, float((field**2).sum(dtype=np.float64)), turn @ drawn)


def _likeness(level: Level, template: _Template) -> Float32:
    """Correlation of edges at every place, lowered moderately where there are many others."""
    along = cv2.matchTemplate(level.cosine, template.cosine, cv2.TM_CCORR)
    found = np.add(along, cv2.matchTemplate(level.sine, template.sine, cv2.TM_CCORR))
    height, width = template.cosine.shape
    energy = cv2.boxFilter(
        level.energy, -1, (width, height), normalize=False, anchor=(0, 0), borderType=cv2.BORDER_CONSTANT
    )[: found.shape[0], : found.shape[1]]
    return np.asarray(found / np.sqrt(template.energy * (energy + _DAMPING * template.energy)), np.float32)


def _peaks(likeness: Float32, across: int, down: int) -> Iterator[tuple[float, int, int]]:
    across, down = max(2, across), max(2, down)
    for _ in range(_PEAKS):
        _, value, _, (x, y) = cv2.minMaxLoc(likeness)
        if value < _LEAST_LIKENESS:
            return
        yield value, x, y
        likeness[max(0, y - down) : y + down + 1, max(0, x - across) : x + across + 1] = 0


def _point_views(logo: LogoPicture, longest: float) -> Iterator[KeyPoints]:
    """Key points of the logo, dark on light and light on dark, in its own pixels."""
    grey, _, place = logo.drawn(longest / max(logo.size), 20)
    back = np.linalg.inv(place)
    for version in (grey, 255 - grey):
        places, descriptors = key_points(version)
        if len(places) >= _FEWEST_POINTS:
            yield KeyPoints(places @ back[:2, :2].T + back[:2, 2], descriptors)


def _agreeing(view: KeyPoints, frame: KeyPoints) -> Iterator[Proposal]:
    """Places of copies of the logo, found one after the other."""
    pairs = cv2.BFMatcher.create(cv2.NORM_HAMMING).knnMatch(frame.descriptors, view.descriptors, k=2)
    sure = [p[0] for p in pairs if len(p) == 2 and p[0].distance < min(_RATIO * p[1].distance, _FARTHEST_BITS)]
    ours = view.places[[match.trainIdx for match in sure]].reshape(-1, 2)
    theirs = frame.places[[match.queryIdx for match in sure]].reshape(-1, 2)
    for _ in range(_MOST_COPIES):
        if len(ours) < _FEWEST_POINTS:
            return
        place, agree = cv2.estimateAffinePartial2D(ours, theirs, ransacReprojThreshold=_REPROJECTION_PX, maxIters=300)
        if place is None or int(agree.sum()) < _FEWEST_POINTS:
            return
        full, inside = np.vstack([place, [0, 0, 1]]), agree.ravel() > 0
        if upright(full):
            yield Proposal(float(inside.sum()), full)
        ours, theirs = ours[~inside], theirs[~inside]
