"""Load the image of a logo and propose places where a frame may show it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image

from mediaan.aoi.detection.logo_features import FeaturePyramid, Keypoints, PyramidLevel, detect_keypoints, edge_field
from mediaan.errors import UsageError
from mediaan.types.arrays import Float32, Float64, UInt8

_LONGEST_PX = 512
_TRANSPARENT_SHARE = 0.005
_GROUND_STEP, _GROUND_SHARE = 24, 0.9
"""A ground is plain where so large a share of the rim is within so many levels of its median colour."""

_MARK_STEPS = 12.0, 52.0
"""Levels of difference from a plain ground at which the mark begins, and from which on it is wholly the mark."""

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


class LogoImage(NamedTuple):
    """A logo without its ground."""

    grey: Float32
    """(h, w) float32. Brightness, 0-255, on a ground that it stands out from."""
    mask: Float32
    """(h, w) float32. How much of each pixel the mark covers, 0-1."""
    ground: float
    """Brightness of that ground."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.grey.shape[1], self.grey.shape[0]

    def render(self, scale: float, rim: int) -> tuple[UInt8, Float32, Float64]:
        """Draw the logo at another size with a rim of ground.

        Returns
        -------
        grey : (H, W) uint8
        mask : (H, W) float32
        pose : (3, 3) float64
            Takes pixels of this image to pixels of the drawn one.
        """
        width, height = (max(3, round(side * scale)) for side in self.size)
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        grey, mask = (cv2.resize(plane, (width, height), interpolation=way) for plane in (self.grey, self.mask))
        rims = (rim, rim, rim, rim, cv2.BORDER_CONSTANT)
        pose = np.array([[width / self.size[0], 0, rim], [0, height / self.size[1], rim], [0, 0, 1]])
        framed = cv2.copyMakeBorder(np.clip(grey, 0, 255).astype(np.uint8), *rims, value=self.ground)
        return np.asarray(framed, np.uint8), np.asarray(cv2.copyMakeBorder(mask, *rims, value=0), np.float32), pose


def load_logo(path: Path) -> LogoImage:
    """Load the image of a logo: transparent or on a plain ground, cropped to the mark; else all of it.

    Raises
    ------
    UsageError
        If it cannot be read or shows nothing.
    """
    try:
        with Image.open(path) as opened:
            converted = opened.convert("RGBA")
    except (OSError, Image.DecompressionBombError) as error:
        raise UsageError(f"{path}: is no image of a logo that can be read", code="logo_unreadable") from error
    converted.thumbnail((_LONGEST_PX, _LONGEST_PX), Image.Resampling.LANCZOS)
    rgba = np.asarray(converted, np.uint8)
    rgb, mask = np.ascontiguousarray(rgba[..., :3]), rgba[..., 3].astype(np.float32) / 255
    if float((mask < 0.98).mean()) <= _TRANSPARENT_SHARE:
        rim = np.concatenate([rgb[0], rgb[-1], rgb[:, 0], rgb[:, -1]]).astype(np.float32)
        plain = np.median(rim, axis=0)
        if float((np.abs(rim - plain).max(axis=1) < _GROUND_STEP).mean()) < _GROUND_SHARE:
            mask = np.ones(rgb.shape[:2], np.float32)
        else:
            start, full = _MARK_STEPS
            steps = np.abs(rgb.astype(np.float32) - plain).max(axis=2)
            mask = np.asarray(np.clip((steps - start) / (full - start), 0, 1), np.float32)
    rows, columns = np.flatnonzero((mask > 0.3).any(axis=1)), np.flatnonzero((mask > 0.3).any(axis=0))
    if rows.size < 2 or columns.size < 2:
        raise UsageError(f"{path}: shows no logo; save it on a plain or transparent background", code="logo_empty")
    inside = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    grey, mask = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)[inside].astype(np.float32), mask[inside]
    ground = 255.0 if np.average(grey, weights=mask) < 128 else 0.0
    grey = np.asarray(grey * mask + ground * (1 - mask), np.float32)
    return LogoImage(grey, np.asarray(mask, np.float32), ground)


class LogoProposal(NamedTuple):
    """A pose, (3, 3), that takes the logo's pixels to the largest level's; of higher `likeness` the likelier."""

    likeness: float
    pose: Float64


class _Template(NamedTuple):
    """The edges of a logo at a size and an angle; `pose` takes the logo's pixels to those of the template."""

    cosine: Float32
    sine: Float32
    energy: float
    pose: Float64


class EdgeTemplateSearch:
    """Find a logo by the directions of its edges; good for flat marks of few corners.

    Parameters
    ----------
    logo : LogoImage

    References
    ----------
    Hinterstoisser et al. (2012). Gradient response maps for real-time detection of textureless objects. IEEE PAMI 34.
    """

    def __init__(self, logo: LogoImage) -> None:
        width, height = self._size = logo.size
        aspect = max(width, height) / min(width, height)
        self._longest = _COARSE_PX * min(2.0, np.sqrt(aspect))
        sizes = [self._longest * 2 ** (i / (2 * _SIZES)) / max(width, height) for i in range(_SIZES)]
        angles = _ANGLES_OF_WIDE if aspect > _WIDE else _ANGLES
        self._templates = []
        for scale in sizes:
            grey, _, rendered = logo.render(scale, 0)
            rows, columns = grey.shape
            for angle in angles:
                turn = np.vstack([cv2.getRotationMatrix2D((0, 0), angle, 1.0), [0, 0, 1]])
                corners = turn[:2, :2] @ np.array([[0, columns, columns, 0], [0, 0, rows, rows]])
                low = corners.min(axis=1) - 2
                turn[:2, 2] = -low
                across, down = (int(side) for side in np.ceil(corners.max(axis=1) - low + 2))
                turned = cv2.warpAffine(grey, turn[:2], (across, down), borderValue=logo.ground)
                field = edge_field(np.asarray(turned, dtype=np.uint8))
                cosine, sine = np.ascontiguousarray(field[..., 0]), np.ascontiguousarray(field[..., 1])
                energy = float((field**2).sum(dtype=np.float64))
                self._templates.append(_Template(cosine, sine, energy, turn @ rendered))

    def propose(self, frame: FeaturePyramid, most: int) -> list[LogoProposal]:
        """Return the likeliest poses, none twice."""
        proposals: list[LogoProposal] = []
        for level in frame.levels:
            if SMALLEST / np.sqrt(2) < self._longest / level.scale / frame.longest_px < LARGEST:
                proposals += (
                    proposal for template in self._templates for proposal in _template_matches(level, template)
                )
        kept: list[LogoProposal] = []
        for proposal in sorted(proposals, key=lambda p: -p.likeness):
            if len(kept) < most and not any(same_place(proposal.pose, other.pose, self._size) for other in kept):
                kept.append(proposal)
        return kept


def _template_matches(level: PyramidLevel, template: _Template) -> Iterator[LogoProposal]:
    """Yield peaks of the correlation of edges, which is lowered moderately where there are many other edges."""
    height, width = template.cosine.shape
    if height >= level.grey.shape[0] or width >= level.grey.shape[1]:
        return
    along = cv2.matchTemplate(level.cosine, template.cosine, cv2.TM_CCORR)
    correlation = np.add(along, cv2.matchTemplate(level.sine, template.sine, cv2.TM_CCORR))
    energy = cv2.boxFilter(
        level.energy, -1, (width, height), normalize=False, anchor=(0, 0), borderType=cv2.BORDER_CONSTANT
    )[: correlation.shape[0], : correlation.shape[1]]
    likeness = np.asarray(correlation / np.sqrt(template.energy * (energy + _DAMPING * template.energy)), np.float32)
    across, down = max(2, width // 3), max(2, height // 3)
    for _ in range(_PEAKS):
        _, value, _, (x, y) = cv2.minMaxLoc(likeness)
        if value < _LEAST_LIKENESS:
            return
        shifted = np.array([[1, 0, x], [0, 1, y], [0, 0, 1]]) @ template.pose
        yield LogoProposal(value, np.diag([1 / level.scale, 1 / level.scale, 1]) @ shifted)
        likeness[max(0, y - down) : y + down + 1, max(0, x - across) : x + across + 1] = 0


class KeypointSearch:
    """Find a logo by keypoints in agreement; good for letters and detail at any angle, and where parts are hidden.

    Parameters
    ----------
    logo : LogoImage
    """

    def __init__(self, logo: LogoImage) -> None:
        self._views: list[Keypoints] = []
        for longest in _POINT_SIZES_PX:
            grey, _, pose = logo.render(longest / max(logo.size), 20)
            back = np.linalg.inv(pose)
            for version in (grey, 255 - grey):  # dark on light, and light on dark
                points, descriptors = detect_keypoints(version)
                if len(points) >= _FEWEST_POINTS:
                    self._views.append(Keypoints(points @ back[:2, :2].T + back[:2, 2], descriptors))

    @property
    def useful(self) -> bool:
        """True where the logo has enough keypoints at all."""
        return bool(self._views)

    def propose(self, frame: FeaturePyramid, most: int) -> list[LogoProposal]:
        """Return the poses on which most keypoints agree."""
        proposals = [proposal for view in self._views for proposal in _agreeing_poses(view, frame.keypoints)]
        return sorted(proposals, key=lambda p: -p.likeness)[:most]


def _agreeing_poses(view: Keypoints, frame: Keypoints) -> Iterator[LogoProposal]:
    """Yield poses of copies of the logo, found one after the other (RANSAC)."""
    pairs = cv2.BFMatcher.create(cv2.NORM_HAMMING).knnMatch(frame.descriptors, view.descriptors, k=2)
    sure = [p[0] for p in pairs if len(p) == 2 and p[0].distance < min(_RATIO * p[1].distance, _FARTHEST_BITS)]
    ours = view.points[[match.trainIdx for match in sure]].reshape(-1, 2)
    theirs = frame.points[[match.queryIdx for match in sure]].reshape(-1, 2)
    for _ in range(_MOST_COPIES):
        if len(ours) < _FEWEST_POINTS:
            return
        pose, agree = cv2.estimateAffinePartial2D(ours, theirs, ransacReprojThreshold=_REPROJECTION_PX, maxIters=300)
        if pose is None or int(agree.sum()) < _FEWEST_POINTS:
            return
        full, inside = np.vstack([pose, [0, 0, 1]]), agree.ravel() > 0
        if is_plausible_pose(full):
            yield LogoProposal(float(inside.sum()), full)
        ours, theirs = ours[~inside], theirs[~inside]


def same_place(a: Float64, b: Float64, size: tuple[int, int]) -> bool:
    """Tell whether two poses of a logo are about the same: within a quarter of its size, and that within a quarter."""
    near = float(np.hypot(*(centre(a, size) - centre(b, size))))
    extent_a, extent_b = extent(a, size), extent(b, size)
    return near < 0.25 * extent_b and 0.8 < extent_a / extent_b < 1.25


def centre(pose: Float64, size: tuple[int, int]) -> Float64:
    """Return the middle of a logo of that size, (2,) px."""
    return np.asarray((pose @ np.array([size[0] / 2, size[1] / 2, 1.0]))[:2], np.float64)


def extent(pose: Float64, size: tuple[int, int]) -> float:
    """Return the square root of the area that a logo of that size takes up, px."""
    return float(np.sqrt(abs(np.linalg.det(pose[:2, :2])) * size[0] * size[1]))


def is_plausible_pose(pose: Float64) -> bool:
    """Tell whether a pose neither mirrors nor distorts beyond what a slanted surface does."""
    if not np.isfinite(pose).all() or np.linalg.det(pose[:2, :2]) <= 0:
        return False
    long, short = np.linalg.svd(pose[:2, :2], compute_uv=False)
    return bool(short > 1e-3 and long / short < 2.2)
