"""Match the images of a brand's logos: align each to the proposed places, and weigh the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.aoi.detection.logo_features import FeaturePyramid, edge_field, edge_strength
from mediaan.aoi.detection.logo_search import (
    EdgeTemplateSearch,
    KeypointSearch,
    LogoImage,
    centre,
    extent,
    is_plausible_pose,
    load_logo,
    same_place,
)
from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import Float32, Float64, UInt8

_FINE_PX, _LONGEST_FINE_PX = 64.0, 160.0
_RIM_PX = 6
_FIRST_SHIFT_PX, _SHIFT_PX, _ECC_SHIFT_PX = 7, 4, 8
_TURNS_DEG, _STRETCHES = (-9.0, 0.0, 9.0), (0.93, 1.0, 1.075)
_WORTH_FITTING = 0.3
_BLURS = (2.0, 1.0)
_ON_EDGE = 0.1
_CELLS = 4
_CELL_AGREES = 0.5


class LogoEvidence(NamedTuple):
    """How well a frame shows a logo at one place.

    Attributes
    ----------
    cover : float
        Share of the logo's edges that are there, by strength and direction, below 0 to about 1.
    agreement : float
        Cosine of the logo's edges and those of the frame at the same pixels, -1 to 1.
    cells : float
        Share of the cells of a 4 x 4 grid, where the logo has edges, whose edges agree by themselves.
    stray : float
        Mean strength of edges in the flat insides of the mark, where there should be none, 0-1.
    brightness : float
        Absolute correlation of brightness in and around the mark, 0-1; light and dark may be exchanged.
    """

    cover: float
    agreement: float
    cells: float
    stray: float
    brightness: float


class LogoAligner:
    """Lays one logo over places of a frame.

    Parameters
    ----------
    logo : LogoImage
    """

    def __init__(self, logo: LogoImage) -> None:
        self.size = logo.size
        scale = min(_LONGEST_FINE_PX / max(self.size), _FINE_PX / np.sqrt(self.size[0] * self.size[1]))
        self._grey, self._mask, self._drawn = logo.drawn(scale, _RIM_PX)
        self._back = np.linalg.inv(self._drawn)
        self._field = edge_field(self._grey)
        self._strength = edge_strength(self._field)
        self._near = cv2.dilate((self._mask > 0.3).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
        self._flat = (self._mask > 0.9) & (self._strength < _ON_EDGE)
        rows, columns = np.indices(self._grey.shape)
        height, width = self._grey.shape
        self._cell = (rows * _CELLS // height) * _CELLS + columns * _CELLS // width

    def refined(self, frame: FeaturePyramid, place: Float64) -> Float64:
        """The place nearby that fits best: shifted, turned and scaled, then as an affine map.

        References
        ----------
        Evangelidis & Psarakis (2008). Parametric image alignment using enhanced correlation coefficient maximization.
        """
        _, place = self._shifted(frame, place, _FIRST_SHIFT_PX)
        tries = (self._turned(place, turn, stretch) for turn in _TURNS_DEG for stretch in _STRETCHES)
        _, place = max((self._shifted(frame, tried, _SHIFT_PX) for tried in tries), key=lambda found: found[0])
        agreement = self._agreement(frame, place)
        for blur in _BLURS if agreement >= _WORTH_FITTING else ():
            fitted = self._fitted(frame, place, blur)
            if fitted is not None and (better := self._agreement(frame, fitted)) > agreement:
                agreement, place = better, fitted
        return place

    def evidence(self, frame: FeaturePyramid, place: Float64) -> LogoEvidence:
        """What speaks for the logo at a place."""
        seen = self._seen(frame, place, 0)
        field = edge_field(seen)
        strength = edge_strength(field)
        product = (field * self._field).sum(axis=-1)
        wanted, there = self._strength**2, strength**2 * (self._strength > _ON_EDGE)
        total = float(wanted.sum(dtype=np.float64))
        return LogoEvidence(
            cover=float(product.sum(dtype=np.float64)) / total,
            agreement=float(product.sum(dtype=np.float64)) / _root(total * float(there.sum(dtype=np.float64))),
            cells=self._cells(product, wanted, there),
            stray=float(strength[self._flat].mean(dtype=np.float64)) if self._flat.any() else 0.0,
            brightness=_correlation(self._grey[self._near], seen[self._near]),
        )

    def _seen(self, frame: FeaturePyramid, place: Float64, margin: int) -> UInt8:
        """The frame as it looks from the logo at a place, with some pixels around it."""
        to_frame = place @ self._back @ np.array([[1, 0, -margin], [0, 1, -margin], [0, 0, 1.0]])
        scale = np.sqrt(abs(np.linalg.det(to_frame[:2, :2])))
        level = frame.nearest_level(1 / max(scale, 1e-6))
        to_level = np.diag([level.scale, level.scale, 1]) @ to_frame
        size = self._grey.shape[1] + 2 * margin, self._grey.shape[0] + 2 * margin
        how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(
            cv2.warpAffine(level.grey, to_level[:2], size, flags=how, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )

    def _moved(self, place: Float64, step: Float64) -> Float64:
        """A place moved by a step that is given in pixels of the fine drawing."""
        return np.asarray(place @ self._back @ step @ self._drawn, np.float64)

    def _shifted(self, frame: FeaturePyramid, place: Float64, reach: int) -> tuple[float, Float64]:
        field = edge_field(self._seen(frame, place, reach))
        likeness = sum(
            cv2.matchTemplate(np.ascontiguousarray(field[..., i]), np.ascontiguousarray(self._field[..., i]), 2)
            for i in (0, 1)
        )
        _, value, _, (x, y) = cv2.minMaxLoc(np.asarray(likeness))
        return value, self._moved(place, np.array([[1, 0, x - reach], [0, 1, y - reach], [0, 0, 1.0]]))

    def _turned(self, place: Float64, degrees: float, stretch: float) -> Float64:
        height, width = self._grey.shape
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, stretch)
        return self._moved(place, np.vstack([turn, [0, 0, 1]]))

    def _fitted(self, frame: FeaturePyramid, place: Float64, blur: float) -> Float64 | None:
        """The affine map that brings strengths of edges together; None where that leads nowhere."""
        wanted = cv2.GaussianBlur(self._strength, (0, 0), blur)
        seen = edge_strength(edge_field(self._seen(frame, place, _ECC_SHIFT_PX)))
        blurred = cv2.GaussianBlur(seen, (0, 0), blur)
        step = np.array([[1, 0, _ECC_SHIFT_PX], [0, 1, _ECC_SHIFT_PX]], np.float32)
        until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 12, 1e-3)
        try:
            _, found = cv2.findTransformECC(wanted, blurred, step, cv2.MOTION_AFFINE, until)
        except cv2.error:  # it does not converge, which is common where the logo is not
            return None
        whole = np.vstack([found, [0, 0, 1]]).astype(np.float64)
        whole[:2, 2] -= _ECC_SHIFT_PX
        fitted = self._moved(place, whole)
        away = float(np.hypot(*(centre(fitted, self.size) - centre(place, self.size))))
        return fitted if is_plausible_pose(fitted) and away < 0.3 * extent(place, self.size) else None

    def _agreement(self, frame: FeaturePyramid, place: Float64) -> float:
        field = edge_field(self._seen(frame, place, 0))
        there = (field**2).sum(axis=-1)[self._strength > _ON_EDGE]
        energy = float((self._strength**2).sum(dtype=np.float64)) * float(there.sum(dtype=np.float64))
        return float((field * self._field).sum(dtype=np.float64)) / _root(energy)

    def _cells(self, product: Float32, wanted: Float32, there: Float32) -> float:
        sums = [np.bincount(self._cell.ravel(), plane.ravel(), _CELLS**2) for plane in (product, wanted, there)]
        used = sums[1] > 0.25 * sums[1].mean()
        agreement = sums[0] / np.sqrt(np.maximum(sums[1] * sums[2], 1e-9))
        return float((agreement[used] > _CELL_AGREES).mean())


def _root(energy: float) -> float:
    return float(np.sqrt(max(energy, 1e-9)))


def _correlation(a: UInt8, b: UInt8) -> float:
    x, y = a.astype(np.float64) - a.mean(dtype=np.float64), b.astype(np.float64) - b.mean(dtype=np.float64)
    spread = np.sqrt((x @ x) * (y @ y))
    return float(abs(x @ y) / spread) if spread > x.size else 0.0


LEAST_CONFIDENCE = 0.7
_EDGE_PLACES, _POINT_PLACES = 8, 4
_MOST_COPIES = 8
"""Of one logo in a frame."""

_START = -7.05
_EVIDENCE = (9.26, 1.22, -3.08, -3.16, 4.32)
_WEIGHTS = (-1.79, 1.40, -1.06)
"""Fitted by models/training/logos.py: log odds by evidence; then by that and by what everyday shapes reach."""


@dataclass(frozen=True, slots=True)
class LogoMatch:
    """A logo picture found in a frame.

    Attributes
    ----------
    logo : Path
        Which picture.
    box : Box
        Its bounds in the frame.
    polygon : four points
        Its corners, clockwise from its own top-left, unit coordinates; a covered or cut part counts as there.
    confidence : float
        0-1.
    """

    logo: Path
    box: Box
    polygon: tuple[Point, ...]
    confidence: float


class LogoMatcher:
    """Finds pictures of logos in frames; templates are made once.

    Parameters
    ----------
    paths : sequence of Path
        Pictures of logos, transparent or on a plain ground.

    Raises
    ------
    UsageError
        If a picture cannot be read or shows nothing.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self._logos = tuple(_Logo(path) for path in self.paths)

    def __reduce__(self) -> tuple[type[LogoMatcher], tuple[tuple[Path, ...]]]:
        """Travel as paths; templates are made again at the other side."""
        return LogoMatcher, (self.paths,)

    def find(self, rgb: UInt8) -> tuple[LogoMatch, ...]:
        """Where the logos are, the surest first; of finds at one place only the best.

        Parameters
        ----------
        rgb : (H, W, 3) uint8
            sRGB; more than 1024 px are not looked at.

        Notes
        -----
        Logos of 5-70 % of the long side, turned by up to 45 degrees, are found; see ``docs`` for how often.
        """
        frame = FeaturePyramid(rgb)
        found = sorted((m for logo in self._logos for m in logo.matches(frame)), key=lambda m: -m.confidence)
        kept: list[LogoMatch] = []
        for match in found:
            if not any(_overlap(match.box, other.box) for other in kept):
                kept.append(match)
        return tuple(kept)


class _Logo:
    """One picture of a logo with all that is needed to find it."""

    def __init__(self, path: Path) -> None:
        picture = load_logo(path)
        self.path, self.size = path, picture.size
        self._edges, self._points, self._fit = (
            EdgeTemplateSearch(picture),
            KeypointSearch(picture),
            LogoAligner(picture),
        )
        self._chance = max([_evident(evidence) for _, evidence in self.weighed(_everyday_shapes())], default=-9.0)

    def weighed(self, frame: FeaturePyramid) -> Iterator[tuple[Float64, LogoEvidence]]:
        """Places where the logo may be, laid over exactly, with what speaks for each."""
        places = [p.place for p in self._edges.propose(frame, _EDGE_PLACES)]
        if self._points.useful:
            places += [p.place for p in self._points.propose(frame, _POINT_PLACES)]
        for place in places:
            fitted = self._fit.refined(frame, place)
            yield fitted, self._fit.evidence(frame, fitted)

    def matches(self, frame: FeaturePyramid) -> list[LogoMatch]:
        """Places where it is, the surest first."""
        sure: list[tuple[float, Float64]] = []
        rated = [(self._confidence(evidence), place) for place, evidence in self.weighed(frame)]
        for confidence, place in sorted(rated, key=lambda r: -r[0]):
            new = not any(same_place(place, other, self.size) for _, other in sure)
            if confidence >= LEAST_CONFIDENCE and new:
                sure.append((confidence, place))
        return [self._match(frame, *found) for found in sure[:_MOST_COPIES]]

    def _confidence(self, evidence: LogoEvidence) -> float:
        start, by_evidence, by_chance = _WEIGHTS
        return 1 / (1 + exp(-(start + by_evidence * _evident(evidence) + by_chance * self._chance)))

    def _match(self, frame: FeaturePyramid, confidence: float, place: Float64) -> LogoMatch:
        width, height = self.size
        corners = (place @ np.array([[0, width, width, 0], [0, 0, height, height], [1, 1, 1, 1]]))[:2]
        xs, ys = corners[0] / frame.grey.shape[1], corners[1] / frame.grey.shape[0]
        polygon = tuple((float(np.clip(x, 0, 1)), float(np.clip(y, 0, 1))) for x, y in zip(xs, ys, strict=True))
        box = Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())).clipped()
        return LogoMatch(self.path, box, polygon, confidence)


def _evident(evidence: LogoEvidence) -> float:
    """Evidence as one number: log odds on composites of own marks (models/training/logos.py)."""
    return _START + sum(weight * value for weight, value in zip(_EVIDENCE, evidence, strict=True))


@cache
def _everyday_shapes() -> FeaturePyramid:
    """A frame of bars, discs, rings, corners and letters: what a plain mark resembles by chance.

    How well a logo can be laid over these tells how much more is needed to be sure of it.
    """
    picture = np.full((768, 1024), 128, np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(160):
        _draw_shape(picture, rng)
    return FeaturePyramid(np.repeat(picture[..., None], 3, axis=2))


def _draw_shape(picture: UInt8, rng: np.random.Generator) -> None:
    x, y = int(rng.integers(picture.shape[1])), int(rng.integers(picture.shape[0]))
    size, grey, angle = int(rng.integers(12, 110)), int(rng.integers(256)), float(rng.uniform(0, 180))
    kind = rng.integers(5)
    if kind == 0:
        cv2.fillPoly(
            picture, [cv2.boxPoints(((x, y), (size * 2, size * rng.uniform(0.1, 1)), angle)).astype(int)], grey
        )
    elif kind == 1:
        cv2.ellipse(picture, (x, y), (size, int(size * rng.uniform(0.4, 1))), angle, 0, 360, grey, -1)
    elif kind == 2:
        cv2.ellipse(picture, (x, y), (size, size), angle, 0, float(rng.uniform(90, 360)), grey, 2 + size // 6)
    elif kind == 3:
        cv2.fillPoly(picture, [(rng.uniform(-size, size, (3, 2)) + np.array([x, y])).astype(int)], grey)
    else:
        text = "".join(rng.choice(list("AEHNORSTaeinorst"), 8))
        cv2.putText(picture, text, (x - size, y), cv2.FONT_HERSHEY_DUPLEX, size / 40, grey, 1 + size // 20)


def _overlap(a: Box, b: Box) -> bool:
    return a.intersection(b) > 0.5 * min(a.area, b.area)
