"""Match images of a brand's logos and packs: local features that agree on where and how large it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from pathlib import Path
from typing import Literal, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from mediaan.errors import UsageError
from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import Float32, Float64, UInt8


@dataclass(frozen=True, slots=True)
class PictureMatcherSettings:
    """Sizes and thresholds of the search for pictures, and weights of the evidence."""

    frame_px: int = 1024
    """Longer frames are made smaller."""
    most_features: int = 3000
    """Of a frame, the strongest."""
    contrast: float = 0.02
    """Least contrast of a feature, as of ``cv2.SIFT``; half of the usual, for pale marks."""
    picture_px: tuple[int, ...] = (256, 128)
    """Long sides at which the features of a picture are taken."""
    rim_px: int = 20
    """Ground around a picture: the outline of a mark is a feature, too."""
    ratio: float = 0.85
    """Distance of the best match over that of the second (Lowe 2004)."""
    fewest: int = 4
    """Features that agree on a pose."""
    most_copies: int = 8
    """Of one picture in a frame."""
    reprojection_px: float = 4.0
    """By which an agreeing feature may miss."""
    fewest_affine: int = 8
    """Agreeing features from which on the pose may be slanted."""
    compared_px: float = 64.0
    """Root of the area at which a picture and its match are compared; smaller matches at their own size."""
    place_px: float = 48.0
    """The same where a picture is fitted to a place."""
    place_step: float = 1.15
    """Ratio of the sizes in which it is fitted."""
    place_shift: float = 0.18
    """Room around the place, as a share of its sides, in which the picture may lie."""
    place_aspects: float = 4.0
    """Most by which the shapes of place and picture may differ."""
    logo_weights: tuple[float, ...] = (-24.05, 0.52, 12.37, 3.65, 4.27, 3.04)
    """Log odds of a logo: constant, and of log (1 + features), edges, log of the root of its area (px, at most
    `place_px`), intersection over union with a place, and colours in common. Fitted to campaigns of train and dev; the
    constant is such that even odds gave a false alarm in one of 100 ads of others (python -m bench.brand_kit)."""
    pack_weights: tuple[float, ...] = (-7.9, 1.32, 5.47, 6.54)
    """Log odds of a pack: constant, and of log (1 + features), brightness and edges. Fitted to logos likewise."""
    longest_px: int = 512
    """Long side to which a picture is reduced when it is read."""
    transparent_share: float = 0.005
    """Share of see-through pixels from which on a picture has no ground."""
    ground_step: int = 24
    """Difference from the median colour of the rim, 0-255, within which a pixel is ground."""
    ground_share: float = 0.9
    """Share of the rim that must be ground for it to be plain."""
    mark_steps: tuple[float, ...] = (12.0, 52.0)
    """Levels of difference from a plain ground at which the mark begins, and from which on it is wholly the mark."""


SETTINGS = PictureMatcherSettings()

LEAST_CONFIDENCE = 0.5
"""Of a match; see `docs/brand_kit.md` for how often such a match is right."""


_RIM = 4
"""Ground around a picture that is compared with a place, px: the outline counts."""


class Features(NamedTuple):
    """Local features, `points` (n, 2) float64 px, and their descriptors, (n, 128) float32."""

    points: Float64
    descriptors: Float32


def detect_features(grey: UInt8) -> Features:
    """Detect SIFT features of an image (Lowe 2004), with descriptors by which Euclidean distance is Hellinger's.

    Arandjelović & Zisserman (2012). Three things everyone should know to improve object retrieval. CVPR.
    """
    points, descriptors = None, None
    if min(grey.shape) >= SETTINGS.fewest:
        finder = cv2.SIFT.create(nfeatures=SETTINGS.most_features, contrastThreshold=SETTINGS.contrast)
        points, descriptors = finder.detectAndCompute(grey, None)
    if descriptors is None or not points:
        return Features(np.zeros((0, 2)), np.zeros((0, 128), np.float32))
    shares = descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-6)
    return Features(np.array([point.pt for point in points], np.float64), np.sqrt(shares).astype(np.float32))


def fit_frame(rgb: UInt8) -> UInt8:
    """Make a frame smaller that is longer than `PictureMatcherSettings.frame_px`."""
    factor = SETTINGS.frame_px / max(rgb.shape[:2])
    if factor >= 1:
        return np.ascontiguousarray(rgb)
    size = max(1, round(rgb.shape[1] * factor)), max(1, round(rgb.shape[0] * factor))
    return np.asarray(cv2.resize(np.ascontiguousarray(rgb), size, interpolation=cv2.INTER_AREA), np.uint8)


def edge_field(grey: UInt8) -> Float32:
    """Compute strength (0-1) and doubled direction of edges at every pixel, (H, W, 2) float32.

    A step up and a step down are one and the same, so light and dark may be exchanged; opposite directions cancel out.

    >>> step = np.zeros((8, 8), np.uint8); step[:, 4:] = 200
    >>> bool(np.allclose(edge_field(step), edge_field(255 - step), atol=1e-6))
    True
    """
    smooth = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 0.7)
    dx, dy = cv2.Scharr(smooth, cv2.CV_32F, 1, 0, scale=1 / 32), cv2.Scharr(smooth, cv2.CV_32F, 0, 1, scale=1 / 32)
    squared = dx * dx + dy * dy
    weight = 1.0 / np.maximum(squared + _HALF_STRENGTH * np.sqrt(squared), 1e-6)
    return np.stack([(dx * dx - dy * dy) * weight, 2 * dx * dy * weight], axis=-1)


_HALF_STRENGTH = 8.0
"""Step of brightness from pixel to pixel, 0-255, that counts as half an edge; JPEG noise stays under a third of it."""


class KitPicture(NamedTuple):
    """The image of a logo or pack without its ground."""

    grey: Float32
    """(h, w) float32. Brightness, 0-255, on a ground that it stands out from."""
    mask: Float32
    """(h, w) float32. How much of each pixel it covers, 0-1."""
    ground: float
    """Brightness of that ground."""
    colours: Float32
    """Shares of its colours, see `colour_shares`."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.grey.shape[1], self.grey.shape[0]

    def render(self, scale: float, rim: int) -> tuple[UInt8, Float32, Float64]:
        """Draw it at another size with a rim of ground.

        Returns `grey` (H, W) uint8 and `mask` (H, W) float32.
        Returns `pose` (3, 3) float64: takes pixels of this image to pixels of the drawn one.
        """
        width, height = (max(3, round(side * scale)) for side in self.size)
        method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        grey, mask = (cv2.resize(plane, (width, height), interpolation=method) for plane in (self.grey, self.mask))
        rims = (rim, rim, rim, rim, cv2.BORDER_CONSTANT)
        pose = np.array([[width / self.size[0], 0, rim], [0, height / self.size[1], rim], [0, 0, 1]])
        framed = cv2.copyMakeBorder(np.clip(grey, 0, 255).astype(np.uint8), *rims, value=self.ground)
        return np.asarray(framed, np.uint8), np.asarray(cv2.copyMakeBorder(mask, *rims, value=0), np.float32), pose


def load_picture(path: Path) -> KitPicture:
    """Load the image of a logo or pack: transparent or on a plain ground, cropped to what it shows; else all of it.

    Raises UsageError: it cannot be read or shows nothing.
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
    colours = colour_shares(rgb[inside], np.asarray(mask[inside], np.float32))
    grey, mask = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)[inside].astype(np.float32), mask[inside]
    ground = 255.0 if np.average(grey, weights=mask) < 128 else 0.0
    grey = np.asarray(grey * mask + ground * (1 - mask), np.float32)
    return KitPicture(grey, np.asarray(mask, np.float32), ground, colours)


def colour_shares(rgb: UInt8, mask: Float32) -> Float32:
    """Return how much of an image, inside a mask, has each of 4 x 4 x 4 colours, (64,) float32, in sum 1.

    >>> colour_shares(np.zeros((2, 2, 3), np.uint8), np.ones((2, 2), np.float32))[:2].tolist()
    [1.0, 0.0]
    """
    bins = (rgb >> 6).astype(np.int64) @ np.array([16, 4, 1])
    shares = np.bincount(bins.ravel(), mask.ravel(), minlength=64)
    return np.asarray(shares / max(1e-9, shares.sum()), np.float32)


PictureKind = Literal["logo", "pack"]


@dataclass(frozen=True, slots=True)
class PictureMatch:
    """A picture found in a frame."""

    picture: Path
    kind: PictureKind
    box: Box
    """Its bounds in the frame."""
    polygon: tuple[Point, ...]
    """Four points. Its corners, clockwise from its own top-left, unit coordinates; a covered or cut part counts as
    there."""
    confidence: float
    """0-1."""
    evidence: tuple[float, ...] = ()
    """For it, in the order of the weights in `PictureMatcherSettings`."""


class PictureMatcher:
    """Find images of logos or packs in frames; their features are computed once.

    `logos`, `packs`: images, transparent, on a plain ground, or cut out of a photograph.
    Raises UsageError: an image cannot be read or shows nothing.
    """

    def __init__(self, logos: Sequence[Path], packs: Sequence[Path] = ()) -> None:
        self.logos, self.packs = tuple(logos), tuple(packs)
        self._pictures = (*(_Picture(path, "logo") for path in logos), *(_Picture(path, "pack") for path in packs))

    def __reduce__(self) -> tuple[type[PictureMatcher], tuple[tuple[Path, ...], tuple[Path, ...]]]:
        """Pickle the paths alone; features are computed again when it is loaded."""
        return PictureMatcher, (self.logos, self.packs)

    def find(self, rgb: UInt8, places: Sequence[Box] = ()) -> tuple[PictureMatch, ...]:
        """Find the pictures in a frame, the surest first; of several logos, or packs, at one place only the best.

        `rgb` (H, W, 3) uint8: sRGB; more than 1024 px are not looked at.
        `places`: where a mark may be: there logos are found that have too few features, and are surer than elsewhere.
        """
        frame = fit_frame(rgb)
        features = detect_features(np.asarray(cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY), np.uint8))
        matches = [match for picture in self._pictures for match in picture.matches(frame, features, places)]
        matches = [match for match in matches if match.confidence >= LEAST_CONFIDENCE]
        kept: list[PictureMatch] = []
        for match in sorted(matches, key=lambda m: -m.confidence):
            box = match.box
            same_kind = [other.box for other in kept if other.kind == match.kind]
            if not any(box.intersection(other) > 0.5 * min(box.area, other.area) for other in same_kind):
                kept.append(match)
        return tuple(kept)


class _Picture:
    """A picture with all that is needed to find it."""

    def __init__(self, path: Path, kind: PictureKind) -> None:
        self.path, self.kind, self.picture = path, kind, load_picture(path)
        views = []
        for longest in SETTINGS.picture_px:
            grey, _, pose = self.picture.render(longest / max(self.picture.size), SETTINGS.rim_px)
            back = np.linalg.inv(pose)
            for version in (grey, 255 - grey):  # dark on light, and light on dark
                points, descriptors = detect_features(np.asarray(version, np.uint8))
                views.append(Features(points @ back[:2, :2].T + back[:2, 2], descriptors))
        self._views = [view for view in views if len(view.points) >= SETTINGS.fewest]
        self._drawings: dict[int, _Drawing] = {}

    def matches(self, rgb: UInt8, features: Features, places: Sequence[Box]) -> Iterator[PictureMatch]:
        """Yield where the picture may be in a frame, by its features and at the places, however unsure."""
        height, width = rgb.shape[:2]
        grey = np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), np.uint8)
        poses = list(self.poses(features))
        if self.kind == "logo":
            fitted = (self.fit(grey, place) for place in places)
            poses += [(0, pose) for pose in fitted if pose is not None]
        for count, pose in poses:
            across, down = self.picture.size
            xs, ys, _ = pose @ np.array([[0, across, across, 0], [0, 0, down, down], [1, 1, 1, 1]])
            xs, ys = xs / width, ys / height
            box = Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())).clipped()
            if box.area > 0:
                polygon = tuple((float(np.clip(x, 0, 1)), float(np.clip(y, 0, 1))) for x, y in zip(xs, ys, strict=True))
                evidence = self.evidence(rgb, count, pose, max((box.iou(place) for place in places), default=0.0))
                yield PictureMatch(self.path, self.kind, box, polygon, self.confidence(evidence), evidence)

    def poses(self, frame: Features) -> Iterator[tuple[int, Float64]]:
        """Yield how many features agree on a pose, and the pose, for copies one after the other (RANSAC)."""
        for view in self._views:
            pairs = cv2.BFMatcher.create(cv2.NORM_L2).knnMatch(frame.descriptors, view.descriptors, k=2)
            near = [p[0] for p in pairs if len(p) == 2 and p[0].distance < SETTINGS.ratio * p[1].distance]
            ours = view.points[[match.trainIdx for match in near]].reshape(-1, 2)
            theirs = frame.points[[match.queryIdx for match in near]].reshape(-1, 2)
            for _ in range(SETTINGS.most_copies):
                if len(ours) < SETTINGS.fewest:
                    break
                pose, agree = cv2.estimateAffinePartial2D(
                    ours, theirs, ransacReprojThreshold=SETTINGS.reprojection_px, maxIters=500
                )
                inside = np.zeros(len(ours), np.bool_) if pose is None else agree.ravel() > 0
                distinct = len(np.unique(ours[inside].round(), axis=0))
                if distinct < SETTINGS.fewest:
                    break
                full = np.vstack([pose, [0, 0, 1]]).astype(np.float64)
                if distinct >= SETTINGS.fewest_affine:
                    slanted, _ = cv2.estimateAffine2D(ours[inside], theirs[inside])
                    if slanted is not None and is_plausible_pose(np.asarray(slanted, np.float64)):
                        full[:2] = slanted
                if is_plausible_pose(full):
                    yield distinct, full
                ours, theirs = ours[~inside], theirs[~inside]

    def fit(self, grey: UInt8, place: Box) -> Float64 | None:
        """Return the pose in which the edges of the picture fit a place best, of several sizes and all shifts."""
        frame = np.array([grey.shape[1], grey.shape[0]])
        sides, centre = np.array([place.width, place.height]) * frame, np.array(place.centre) * frame
        smallest, largest = sorted(sides / self.picture.size)
        if largest > SETTINGS.place_aspects * smallest:
            return None
        step = SETTINGS.place_step
        count = 3 + round(np.log(largest / smallest) / np.log(step))
        best, best_pose = 0.0, None
        for scale in np.geomspace(smallest / step, largest * step, count):
            fitted = scale * np.array(self.picture.size)
            fitted_px = float(np.sqrt(fitted.prod()))
            factor = min(1.0, SETTINGS.place_px / fitted_px)
            drawing = self.drawing(factor * fitted_px)
            reach = (0.5 + SETTINGS.place_shift) * np.maximum(sides, fitted)
            left, top = np.maximum(0, centre - reach).astype(int)
            right, bottom = np.minimum(frame, np.ceil(centre + reach)).astype(int)
            size = max(1, round((right - left) * factor)), max(1, round((bottom - top) * factor))
            part = cv2.resize(grey[top:bottom, left:right], size, interpolation=cv2.INTER_AREA)
            part = cv2.copyMakeBorder(part, _RIM, _RIM, _RIM, _RIM, cv2.BORDER_REPLICATE)
            if part.shape[0] < drawing.grey.shape[0] or part.shape[1] < drawing.grey.shape[1]:
                continue
            field = edge_field(np.asarray(part, np.uint8))
            _, fits, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(field, drawing.edges, cv2.TM_CCORR_NORMED))
            if fits > best:
                best = fits
                best_pose = np.array([[scale, 0, left + x / factor], [0, scale, top + y / factor], [0, 0, 1]])
        return best_pose

    def drawing(self, side_px: float) -> _Drawing:
        """Draw the picture so large that the root of its area is that long."""
        side = max(1, round(side_px))
        if side not in self._drawings:
            scale = side / float(np.sqrt(self.picture.size[0] * self.picture.size[1]))
            grey, mask, pose = self.picture.render(scale, _RIM)
            near = cv2.dilate((mask > 0.3).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
            self._drawings[side] = _Drawing(grey, mask, near, edge_field(grey) * near[..., None], pose)
        return self._drawings[side]

    def confidence(self, evidence: Sequence[float]) -> float:
        """Return how probable a match is, 0-1, by its evidence."""
        constant, *weights = SETTINGS.pack_weights if self.kind == "pack" else SETTINGS.logo_weights
        return 1 / (1 + exp(-constant - float(np.dot(weights, evidence))))

    def evidence(self, rgb: UInt8, count: int, pose: Float64, overlap: float) -> tuple[float, ...]:
        """Return what speaks for a match, in the order of the weights in `PictureMatcherSettings`.

        Brightness and edges are correlated at the same pixels, whichever is light.
        """
        across, down = self.picture.size
        side_px = float(np.sqrt(abs(np.linalg.det(pose[:2, :2])) * across * down))
        drawing = self.drawing(min(SETTINGS.compared_px, side_px))
        shown = _cut_out(rgb, pose @ np.linalg.inv(drawing.pose), (drawing.grey.shape[1], drawing.grey.shape[0]))
        grey = np.asarray(cv2.cvtColor(shown, cv2.COLOR_RGB2GRAY), np.uint8)
        near = drawing.near
        field, ours = edge_field(grey)[near], drawing.edges[near]
        energy = float((field**2).sum(dtype=np.float64)) * float((ours**2).sum(dtype=np.float64))
        edges = float((field * ours).sum(dtype=np.float64)) / _root(energy)
        if self.kind == "pack":
            x, y = (plane[near].astype(np.float64) for plane in (drawing.grey, grey))
            x, y = x - x.mean(), y - y.mean()
            return log1p(count), float(abs(x @ y)) / _root(float((x @ x) * (y @ y))), edges
        colours = float(np.minimum(colour_shares(shown, drawing.mask), self.picture.colours).sum())
        return log1p(count), edges, log(min(SETTINGS.place_px, max(1.0, side_px))), overlap, colours


class _Drawing(NamedTuple):
    """A picture drawn in some size with a rim of ground."""

    grey: UInt8
    mask: Float32
    near: npt.NDArray[np.bool_]
    """Pixels of the picture and close to it."""
    edges: Float32
    """(H, W, 2) float32. `edge_field`, 0 far from the picture."""
    pose: Float64
    """Takes pixels of the picture to pixels of the drawing."""


def _cut_out(rgb: UInt8, pose: Float64, size: tuple[int, int]) -> UInt8:
    """Cut an image of `size` (width, height) out of a frame; `pose` takes its pixels to those of the frame."""
    width, height = size
    xs, ys, _ = pose @ np.array([[0, width, width, 0], [0, 0, height, height], [1, 1, 1, 1]])
    most = np.array(rgb.shape[1::-1])
    first = np.clip(np.array([xs.min(), ys.min()]) - 2, 0, most - 1).astype(int)
    last = np.clip(np.array([xs.max(), ys.max()]) + 2, first + 1, most).astype(int)
    part = rgb[first[1] : last[1], first[0] : last[0]]
    factor = min(1.0, 1 / max(1e-6, float(np.sqrt(abs(np.linalg.det(pose[:2, :2]))))))
    if factor < 0.7:  # otherwise most pixels of the frame would be left out
        smaller = max(1, round(part.shape[1] * factor)), max(1, round(part.shape[0] * factor))
        part = np.asarray(cv2.resize(part, smaller, interpolation=cv2.INTER_AREA), np.uint8)
    else:
        factor = 1.0
    to_part = np.diag([factor, factor, 1]) @ np.array([[1, 0, -first[0]], [0, 1, -first[1]], [0, 0, 1]]) @ pose
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(part, to_part[:2], size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _root(energy: float) -> float:
    return float(np.sqrt(max(energy, 1e-9)))


def is_plausible_pose(pose: Float64) -> bool:
    """Tell whether a pose neither mirrors nor distorts beyond what a slanted surface does."""
    if not np.isfinite(pose).all() or np.linalg.det(pose[:2, :2]) <= 0:
        return False
    long, short = np.linalg.svd(pose[:2, :2], compute_uv=False)
    return bool(short > 1e-3 and long / short < 2.2)
