"""Propose where a frame may show the image of a logo, by edge directions and keypoints at several sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image

from mediaan.errors import UsageError
from mediaan.types.arrays import Float32, Float64, UInt8

HALF_STRENGTH = 8.0
"""Step of brightness from pixel to pixel, 0-255, that counts as half an edge; JPEG noise stays under a third of it."""

LONGEST_PX = 1024
"""Larger frames are made smaller: a logo of 5 % of the width has about 50 px then."""


@dataclass(frozen=True, slots=True)
class LogoSearchSettings:
    """Sizes, steps and thresholds of the search for logos."""

    smallest_px: int = 36
    """Long side of the smallest level of the pyramid, and of images with keypoints."""
    akaze_threshold: float = 0.0008
    """Response of a keypoint, as of ``cv2.AKAZE``."""
    most_points: int = 2500
    """Keypoints of a frame."""
    longest_px: int = 512
    """Long side to which the image of a logo is reduced."""
    transparent_share: float = 0.005
    """Share of see-through pixels from which on an image has no ground."""
    ground_step: int = 24
    """Difference from the median colour of the rim, 0-255, within which a pixel is ground."""
    ground_share: float = 0.9
    """Share of the rim that must be ground for it to be plain."""
    mark_steps: tuple[float, ...] = (12.0, 52.0)
    """Levels of difference from a plain ground at which the mark begins, and from which on it is wholly the mark."""
    coarse_px: float = 20.0
    """Long side of a square template; wide logos get up to twice as much."""
    sizes: int = 3
    """Sizes of the templates in half an octave."""
    angles: tuple[int, ...] = (0, -20, 20, -40, 40)
    """By which templates are turned, degrees."""
    angles_of_wide: tuple[int, ...] = (0, -18, 18)
    """The same of wide logos, which cost more."""
    wide: float = 2.0
    """Aspect from which on a logo is wide."""
    least_likeness: float = 0.2
    """Correlation of edges of a proposal."""
    peaks: int = 2
    """Proposals of one template at one level."""
    damping: float = 0.7
    """Lowers the correlation where there are many other edges."""
    point_sizes_px: tuple[int, ...] = (256, 128)
    """Long sides at which the keypoints of a logo are taken."""
    ratio: float = 0.85
    """Distance of the best match over that of the second (Lowe 2004)."""
    farthest_bits: int = 130
    """Hamming distance of a match."""
    fewest_points: int = 4
    """Keypoints that agree on a pose."""
    most_copies: int = 3
    """Copies of the logo that are looked for by keypoints."""
    reprojection_px: float = 4.0
    """By which an agreeing keypoint may miss."""


SETTINGS = LogoSearchSettings()


def edge_field(grey: UInt8) -> Float32:
    """Compute strength and direction of edges at every pixel.

    The direction is doubled, so that a step up and a step down are one and the same, and opposite directions (a
    horizontal and a vertical edge) cancel out: texture correlates with nothing.

    Parameters
    ----------
    grey : (H, W) uint8

    Returns
    -------
    (H, W, 2) float32
        Strength (0-1) times cosine and sine of the doubled angle.

    Examples
    --------
    >>> step = np.zeros((8, 8), np.uint8); step[:, 4:] = 200
    >>> bool(np.allclose(edge_field(step), edge_field(255 - step), atol=1e-6))
    True
    """
    smooth = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 0.7)
    dx, dy = cv2.Scharr(smooth, cv2.CV_32F, 1, 0, scale=1 / 32), cv2.Scharr(smooth, cv2.CV_32F, 0, 1, scale=1 / 32)
    squared = dx * dx + dy * dy
    strength = np.sqrt(squared)
    weight = 1.0 / np.maximum(squared + HALF_STRENGTH * strength, 1e-6)
    return np.stack([(dx * dx - dy * dy) * weight, 2 * dx * dy * weight], axis=-1)


def edge_strength(field: Float32) -> Float32:
    """Return the strength of edges, 0-1, (H, W) float32, of a field (H, W, 2)."""
    return np.asarray(np.sqrt(field[..., 0] ** 2 + field[..., 1] ** 2), np.float32)


class Keypoints(NamedTuple):
    """Corners and blobs, `points` (n, 2) float64 px, and their binary descriptors, (n, k) uint8."""

    points: Float64
    descriptors: UInt8


class PyramidLevel(NamedTuple):
    """A frame at one size."""

    grey: UInt8
    """(h, w) uint8."""
    scale: float
    """Its pixels per pixel of the largest level."""
    cosine: Float32
    sine: Float32
    """cosine, sine: (h, w) float32. The two planes of its `edge_field`."""
    energy: Float32
    """(h, w) float32. Squared strength of edges."""


class FeaturePyramid:
    """A frame in sizes that fall by half an octave.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    """

    def __init__(self, rgb: UInt8) -> None:
        grey = np.asarray(cv2.cvtColor(np.ascontiguousarray(rgb), cv2.COLOR_RGB2GRAY), np.uint8)
        self.grey = _shrunk(grey, min(1.0, LONGEST_PX / max(grey.shape)))
        self.scale = self.grey.shape[1] / rgb.shape[1]

    @property
    def longest_px(self) -> int:
        """Long side of the largest level."""
        return int(max(self.grey.shape))

    @cached_property
    def levels(self) -> tuple[PyramidLevel, ...]:
        """From the largest to about 36 px."""
        count = max(1, 1 + int(2 * np.log2(self.longest_px / SETTINGS.smallest_px)))
        levels = []
        for k in range(count):
            grey = _shrunk(self.grey, 2 ** (-k / 2))
            field = edge_field(grey)
            cosine, sine = np.ascontiguousarray(field[..., 0]), np.ascontiguousarray(field[..., 1])
            scale = grey.shape[1] / self.grey.shape[1]
            levels.append(PyramidLevel(grey, scale, cosine, sine, cosine * cosine + sine * sine))
        return tuple(levels)

    @cached_property
    def keypoints(self) -> Keypoints:
        """Of the largest level."""
        return detect_keypoints(self.grey)

    def nearest_level(self, scale: float) -> PyramidLevel:
        """Return the smallest level whose scale is at least about `scale`."""
        k = int(np.floor(-2 * np.log2(scale) + 0.5))
        return self.levels[min(max(0, k), len(self.levels) - 1)]


def detect_keypoints(grey: UInt8) -> Keypoints:
    """Detect AKAZE keypoints of an image.

    References
    ----------
    Alcantarilla, Nuevo & Bartoli (2013). Fast explicit diffusion for accelerated features in nonlinear scale spaces.
    """
    if min(grey.shape) < SETTINGS.smallest_px:
        return Keypoints(np.zeros((0, 2)), np.zeros((0, 61), np.uint8))
    finder = cv2.AKAZE.create(threshold=SETTINGS.akaze_threshold, max_points=SETTINGS.most_points)
    points, descriptors = finder.detectAndCompute(grey, None)
    if descriptors is None or not points:
        return Keypoints(np.zeros((0, 2)), np.zeros((0, 61), np.uint8))
    return Keypoints(np.array([point.pt for point in points], np.float64), np.asarray(descriptors, np.uint8))


def _shrunk(grey: UInt8, factor: float) -> UInt8:
    if factor >= 1:
        return grey
    size = max(1, round(grey.shape[1] * factor)), max(1, round(grey.shape[0] * factor))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)


SMALLEST, LARGEST = 0.045, 0.75
"""Long side of a logo that is searched for, as a share of the frame's long side."""


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
    converted.thumbnail((SETTINGS.longest_px, SETTINGS.longest_px), Image.Resampling.LANCZOS)
    rgba = np.asarray(converted, np.uint8)
    rgb, mask = np.ascontiguousarray(rgba[..., :3]), rgba[..., 3].astype(np.float32) / 255
    if float((mask < 0.98).mean()) <= SETTINGS.transparent_share:
        rim = np.concatenate([rgb[0], rgb[-1], rgb[:, 0], rgb[:, -1]]).astype(np.float32)
        plain = np.median(rim, axis=0)
        if float((np.abs(rim - plain).max(axis=1) < SETTINGS.ground_step).mean()) < SETTINGS.ground_share:
            mask = np.ones(rgb.shape[:2], np.float32)
        else:
            start, full = SETTINGS.mark_steps
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
    """A pose, (3, 3), from the logo's pixels to those of the largest level, and how likely it is."""

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
        self._longest = SETTINGS.coarse_px * min(2.0, np.sqrt(aspect))
        sizes = [self._longest * 2 ** (i / (2 * SETTINGS.sizes)) / max(width, height) for i in range(SETTINGS.sizes)]
        angles = SETTINGS.angles_of_wide if aspect > SETTINGS.wide else SETTINGS.angles
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
    likeness = np.asarray(
        correlation / np.sqrt(template.energy * (energy + SETTINGS.damping * template.energy)), np.float32
    )
    across, down = max(2, width // 3), max(2, height // 3)
    for _ in range(SETTINGS.peaks):
        _, value, _, (x, y) = cv2.minMaxLoc(likeness)
        if value < SETTINGS.least_likeness:
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
        for longest in SETTINGS.point_sizes_px:
            grey, _, pose = logo.render(longest / max(logo.size), 20)
            back = np.linalg.inv(pose)
            for version in (grey, 255 - grey):  # dark on light, and light on dark
                points, descriptors = detect_keypoints(version)
                if len(points) >= SETTINGS.fewest_points:
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
    sure = [
        p[0]
        for p in pairs
        if len(p) == 2 and p[0].distance < min(SETTINGS.ratio * p[1].distance, SETTINGS.farthest_bits)
    ]
    ours = view.points[[match.trainIdx for match in sure]].reshape(-1, 2)
    theirs = frame.points[[match.queryIdx for match in sure]].reshape(-1, 2)
    for _ in range(SETTINGS.most_copies):
        if len(ours) < SETTINGS.fewest_points:
            return
        pose, agree = cv2.estimateAffinePartial2D(
            ours, theirs, ransacReprojThreshold=SETTINGS.reprojection_px, maxIters=300
        )
        if pose is None or int(agree.sum()) < SETTINGS.fewest_points:
            return
        full, inside = np.vstack([pose, [0, 0, 1]]), agree.ravel() > 0
        if is_plausible_pose(full):
            yield LogoProposal(float(inside.sum()), full)
        ours, theirs = ours[~inside], theirs[~inside]


def same_place(a: Float64, b: Float64, size: tuple[int, int]) -> bool:
    """Tell whether two poses of a logo differ by less than a quarter in place and size."""
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
