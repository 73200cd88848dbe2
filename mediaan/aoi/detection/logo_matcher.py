"""Match the images of a brand's logos: align each to the proposed poses, and weigh the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.aoi.detection.logo_search import (
    EdgeTemplateSearch,
    FeaturePyramid,
    KeypointSearch,
    LogoImage,
    centre,
    edge_field,
    edge_strength,
    extent,
    is_plausible_pose,
    load_logo,
    same_place,
)
from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import Float64, UInt8


@dataclass(frozen=True, slots=True)
class LogoMatcherSettings:
    """Steps by which a logo is aligned, and weights of the evidence for it."""

    fine_px: float = 64.0
    """Root of the area of the logo as it is aligned."""
    longest_fine_px: float = 160.0
    """Its long side at most."""
    rim_px: int = 6
    """Ground around it."""
    first_shift_px: int = 7
    """Reach of the first search for the best place."""
    shift_px: int = 4
    """Reach of the later ones."""
    ecc_shift_px: int = 8
    """Room around the logo in the fit of an affine map."""
    turns_deg: tuple[float, ...] = (-9.0, 0.0, 9.0)
    """Turns that are tried."""
    stretches: tuple[float, ...] = (0.93, 1.0, 1.075)
    """Scales that are tried."""
    worth_fitting: float = 0.3
    """Agreement from which on an affine map is fitted."""
    blurs: tuple[float, ...] = (2.0, 1.0)
    """Of the edges, one after the other, px."""
    on_edge: float = 0.1
    """Strength of edges, 0-1, under which the logo is flat."""
    cells: int = 4
    """Cells per side in which edges must agree."""
    cell_agrees: float = 0.5
    """Correlation from which on a cell agrees."""
    edge_poses: int = 8
    """Proposals by edges that are aligned."""
    point_poses: int = 4
    """Proposals by keypoints that are aligned."""
    most_copies: int = 8
    """Of one logo in a frame."""
    intercept: float = -7.05
    """Log odds without any evidence. This and the next two were fitted to composites of own marks."""
    evidence: tuple[float, ...] = (9.26, 1.22, -3.08, -3.16, 4.32)
    """Log odds of each part of `LogoEvidence`."""
    weights: tuple[float, ...] = (-1.79, 1.40, -1.06)
    """Of confidence: constant, weight of the log odds, weight of the log odds that distractors reach."""


SETTINGS = LogoMatcherSettings()


LEAST_CONFIDENCE = 0.7


class LogoEvidence(NamedTuple):
    """Agreement of a frame with a logo at one pose."""

    cover: float
    """Share of the logo's edges that are there, by strength and direction, below 0 to about 1."""
    agreement: float
    """Cosine of the logo's edges and those of the frame at the same pixels, -1 to 1."""
    cells: float
    """Share of the cells of a 4 x 4 grid, where the logo has edges, whose edges agree by themselves."""
    stray: float
    """Mean strength of edges in the flat insides of the mark, where there should be none, 0-1."""
    brightness: float
    """Absolute correlation of brightness in and around the mark, 0-1; light and dark may be exchanged."""


class LogoAligner:
    """Align one logo with a frame.

    Parameters
    ----------
    logo : LogoImage
    """

    def __init__(self, logo: LogoImage) -> None:
        self.size = logo.size
        scale = min(SETTINGS.longest_fine_px / max(self.size), SETTINGS.fine_px / np.sqrt(self.size[0] * self.size[1]))
        self._grey, self._mask, self._rendered = logo.render(scale, SETTINGS.rim_px)
        self._back = np.linalg.inv(self._rendered)
        self._field = edge_field(self._grey)
        self._strength = edge_strength(self._field)
        self._near = cv2.dilate((self._mask > 0.3).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
        self._flat = (self._mask > 0.9) & (self._strength < SETTINGS.on_edge)
        rows, columns = np.indices(self._grey.shape)
        height, width = self._grey.shape
        self._cell = (rows * SETTINGS.cells // height) * SETTINGS.cells + columns * SETTINGS.cells // width

    def refine(self, frame: FeaturePyramid, pose: Float64) -> Float64:
        """Return the pose nearby that fits best: shifted, turned and scaled, then as an affine map.

        References
        ----------
        Evangelidis & Psarakis (2008). Parametric image alignment using enhanced correlation coefficient maximization.
        """
        _, pose = self._shifted(frame, pose, SETTINGS.first_shift_px)
        height, width = self._grey.shape
        turns = (
            cv2.getRotationMatrix2D((width / 2, height / 2), degrees, stretch)
            for degrees in SETTINGS.turns_deg
            for stretch in SETTINGS.stretches
        )
        tries = [self._moved(pose, np.vstack([turn, [0, 0, 1]])) for turn in turns]
        _, pose = max(
            (self._shifted(frame, tried, SETTINGS.shift_px) for tried in tries), key=lambda shifted: shifted[0]
        )
        agreement = self._agreement(frame, pose)
        for blur in SETTINGS.blurs if agreement >= SETTINGS.worth_fitting else ():
            fitted = self._fitted(frame, pose, blur)
            if fitted is not None and (better := self._agreement(frame, fitted)) > agreement:
                agreement, pose = better, fitted
        return pose

    def evidence(self, frame: FeaturePyramid, pose: Float64) -> LogoEvidence:
        """Measure the evidence for the logo at a pose."""
        seen = self._warped(frame, pose, 0)
        field = edge_field(seen)
        strength = edge_strength(field)
        product = (field * self._field).sum(axis=-1)
        wanted, there = self._strength**2, strength**2 * (self._strength > SETTINGS.on_edge)
        total = float(wanted.sum(dtype=np.float64))
        sums = [np.bincount(self._cell.ravel(), plane.ravel(), SETTINGS.cells**2) for plane in (product, wanted, there)]
        used = sums[1] > 0.25 * sums[1].mean()
        # a correlation, of which the sign does not matter: light and dark may be exchanged
        x, y = (grey[self._near].astype(np.float64) for grey in (self._grey, seen))
        x, y = x - x.mean(), y - y.mean()
        spread = float(np.sqrt((x @ x) * (y @ y)))
        by_cell = sums[0] / np.sqrt(np.maximum(sums[1] * sums[2], 1e-9))
        return LogoEvidence(
            cover=float(product.sum(dtype=np.float64)) / total,
            agreement=float(product.sum(dtype=np.float64)) / _root(total * float(there.sum(dtype=np.float64))),
            cells=float((by_cell[used] > SETTINGS.cell_agrees).mean()),
            stray=float(strength[self._flat].mean(dtype=np.float64)) if self._flat.any() else 0.0,
            brightness=float(abs(x @ y)) / spread if spread > x.size else 0.0,
        )

    def _warped(self, frame: FeaturePyramid, pose: Float64, margin: int) -> UInt8:
        """Warp the frame to the logo at a pose, with some pixels around it."""
        to_frame = pose @ self._back @ np.array([[1, 0, -margin], [0, 1, -margin], [0, 0, 1.0]])
        scale = np.sqrt(abs(np.linalg.det(to_frame[:2, :2])))
        level = frame.nearest_level(1 / max(scale, 1e-6))
        to_level = np.diag([level.scale, level.scale, 1]) @ to_frame
        size = self._grey.shape[1] + 2 * margin, self._grey.shape[0] + 2 * margin
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(
            cv2.warpAffine(level.grey, to_level[:2], size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )

    def _moved(self, pose: Float64, step: Float64) -> Float64:
        """Move a pose by a step that is given in pixels of the fine drawing."""
        return np.asarray(pose @ self._back @ step @ self._rendered, np.float64)

    def _shifted(self, frame: FeaturePyramid, pose: Float64, reach: int) -> tuple[float, Float64]:
        field = edge_field(self._warped(frame, pose, reach))
        likeness = sum(
            cv2.matchTemplate(np.ascontiguousarray(field[..., i]), np.ascontiguousarray(self._field[..., i]), 2)
            for i in (0, 1)
        )
        _, value, _, (x, y) = cv2.minMaxLoc(np.asarray(likeness))
        return value, self._moved(pose, np.array([[1, 0, x - reach], [0, 1, y - reach], [0, 0, 1.0]]))

    def _fitted(self, frame: FeaturePyramid, pose: Float64, blur: float) -> Float64 | None:
        """Fit the affine map that brings strengths of edges together; None where that leads nowhere."""
        wanted = cv2.GaussianBlur(self._strength, (0, 0), blur)
        seen = edge_strength(edge_field(self._warped(frame, pose, SETTINGS.ecc_shift_px)))
        blurred = cv2.GaussianBlur(seen, (0, 0), blur)
        step = np.array([[1, 0, SETTINGS.ecc_shift_px], [0, 1, SETTINGS.ecc_shift_px]], np.float32)
        until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 12, 1e-3)
        try:
            _, affine = cv2.findTransformECC(wanted, blurred, step, cv2.MOTION_AFFINE, until)
        except cv2.error:  # it does not converge, which is common where the logo is not
            return None
        matrix = np.vstack([affine, [0, 0, 1]]).astype(np.float64)
        matrix[:2, 2] -= SETTINGS.ecc_shift_px
        fitted = self._moved(pose, matrix)
        shift = float(np.hypot(*(centre(fitted, self.size) - centre(pose, self.size))))
        return fitted if is_plausible_pose(fitted) and shift < 0.3 * extent(pose, self.size) else None

    def _agreement(self, frame: FeaturePyramid, pose: Float64) -> float:
        field = edge_field(self._warped(frame, pose, 0))
        there = (field**2).sum(axis=-1)[self._strength > SETTINGS.on_edge]
        energy = float((self._strength**2).sum(dtype=np.float64)) * float(there.sum(dtype=np.float64))
        return float((field * self._field).sum(dtype=np.float64)) / _root(energy)


def _root(energy: float) -> float:
    return float(np.sqrt(max(energy, 1e-9)))


@dataclass(frozen=True, slots=True)
class LogoMatch:
    """A logo found in a frame."""

    logo: Path
    """Its image."""
    box: Box
    """Its bounds in the frame."""
    polygon: tuple[Point, ...]
    """Four points. Its corners, clockwise from its own top-left, unit coordinates; a covered or cut part counts as
    there."""
    confidence: float
    """0-1."""


class LogoMatcher:
    """Find images of logos in frames; templates are made once.

    Parameters
    ----------
    paths : sequence of Path
        Images of logos, transparent or on a plain ground.

    Raises
    ------
    UsageError
        If an image cannot be read or shows nothing.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self._logos = tuple(_Logo(path) for path in self.paths)

    def __reduce__(self) -> tuple[type[LogoMatcher], tuple[tuple[Path, ...]]]:
        """Pickle the paths alone; templates are made again when it is loaded."""
        return LogoMatcher, (self.paths,)

    def find(self, rgb: UInt8) -> tuple[LogoMatch, ...]:
        """Find the logos in a frame, the surest first; of several at one place only the best.

        Parameters
        ----------
        rgb : (H, W, 3) uint8
            sRGB; more than 1024 px are not looked at.

        Notes
        -----
        Logos of 5-70 % of the long side, turned by up to 45 degrees, are found; see ``docs`` for how often.
        """
        frame = FeaturePyramid(rgb)
        matches = sorted((m for logo in self._logos for m in logo.matches(frame)), key=lambda m: -m.confidence)
        kept: list[LogoMatch] = []
        for match in matches:
            box = match.box
            if not any(box.intersection(o.box) > 0.5 * min(box.area, o.box.area) for o in kept):
                kept.append(match)
        return tuple(kept)


class _Logo:
    """One logo with all that is needed to find it."""

    def __init__(self, path: Path) -> None:
        logo = load_logo(path)
        self.path, self.size = path, logo.size
        self._edges, self._keypoints, self._aligner = EdgeTemplateSearch(logo), KeypointSearch(logo), LogoAligner(logo)
        by_chance = [_log_odds(evidence) for _, evidence in self.poses_with_evidence(_distractors())]
        self._chance = max(by_chance, default=-9.0)

    def poses_with_evidence(self, frame: FeaturePyramid) -> Iterator[tuple[Float64, LogoEvidence]]:
        """Yield poses at which the logo may be, aligned, with the evidence for each."""
        poses = [p.pose for p in self._edges.propose(frame, SETTINGS.edge_poses)]
        if self._keypoints.useful:
            poses += [p.pose for p in self._keypoints.propose(frame, SETTINGS.point_poses)]
        for pose in poses:
            fitted = self._aligner.refine(frame, pose)
            yield fitted, self._aligner.evidence(frame, fitted)

    def matches(self, frame: FeaturePyramid) -> list[LogoMatch]:
        """Return the matches in a frame, the surest first."""
        sure: list[tuple[float, Float64]] = []
        intercept, by_evidence, by_chance = SETTINGS.weights
        rated = [
            (1 / (1 + exp(-(intercept + by_evidence * _log_odds(evidence) + by_chance * self._chance))), pose)
            for pose, evidence in self.poses_with_evidence(frame)
        ]
        for confidence, pose in sorted(rated, key=lambda r: -r[0]):
            new = not any(same_place(pose, other, self.size) for _, other in sure)
            if confidence >= LEAST_CONFIDENCE and new:
                sure.append((confidence, pose))
        matches = []
        width, height = self.size
        for confidence, pose in sure[: SETTINGS.most_copies]:
            corners = (pose @ np.array([[0, width, width, 0], [0, 0, height, height], [1, 1, 1, 1]]))[:2]
            xs, ys = corners[0] / frame.grey.shape[1], corners[1] / frame.grey.shape[0]
            polygon = tuple((float(np.clip(x, 0, 1)), float(np.clip(y, 0, 1))) for x, y in zip(xs, ys, strict=True))
            box = Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())).clipped()
            matches.append(LogoMatch(self.path, box, polygon, confidence))
        return matches


def _log_odds(evidence: LogoEvidence) -> float:
    """Return evidence as log odds, fitted to composites of own marks."""
    return SETTINGS.intercept + sum(weight * value for weight, value in zip(SETTINGS.evidence, evidence, strict=True))


@cache
def _distractors() -> FeaturePyramid:
    """Draw a frame of bars, discs, rings, corners and letters: what a plain mark resembles by chance.

    How well a logo can be laid over these tells how much more is needed to be sure of it.
    """
    canvas = np.full((768, 1024), 128, np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(160):
        x, y = int(rng.integers(canvas.shape[1])), int(rng.integers(canvas.shape[0]))
        size, grey, angle = int(rng.integers(12, 110)), int(rng.integers(256)), float(rng.uniform(0, 180))
        kind = rng.integers(5)
        if kind == 0:
            bar = cv2.boxPoints(((x, y), (size * 2, size * rng.uniform(0.1, 1)), angle))
            cv2.fillPoly(canvas, [bar.astype(int)], grey)
        elif kind == 1:
            cv2.ellipse(canvas, (x, y), (size, int(size * rng.uniform(0.4, 1))), angle, 0, 360, grey, -1)
        elif kind == 2:
            cv2.ellipse(canvas, (x, y), (size, size), angle, 0, float(rng.uniform(90, 360)), grey, 2 + size // 6)
        elif kind == 3:
            cv2.fillPoly(canvas, [(rng.uniform(-size, size, (3, 2)) + np.array([x, y])).astype(int)], grey)
        else:
            text = "".join(rng.choice(list("AEHNORSTaeinorst"), 8))
            cv2.putText(canvas, text, (x - size, y), cv2.FONT_HERSHEY_DUPLEX, size / 40, grey, 1 + size // 20)
    return FeaturePyramid(np.repeat(canvas[..., None], 3, axis=2))
