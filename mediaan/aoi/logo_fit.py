"""Laying a logo exactly over a place, and the evidence that it is there."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from mediaan.aoi.edges import edge_field, edge_strength
from mediaan.aoi.logo_picture import LogoPicture
from mediaan.aoi.logo_search import centre, extent, upright
from mediaan.aoi.pyramid import Pyramid
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


class Evidence(NamedTuple):
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


class LogoFit:
    """Lays one logo over places of a frame.

    Parameters
    ----------
    logo : LogoPicture
    """

    def __init__(self, logo: LogoPicture) -> None:
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

    def refined(self, frame: Pyramid, place: Float64) -> Float64:
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

    def evidence(self, frame: Pyramid, place: Float64) -> Evidence:
        """What speaks for the logo at a place."""
        seen = self._seen(frame, place, 0)
        field = edge_field(seen)
        strength = edge_strength(field)
        product = (field * self._field).sum(axis=-1)
        wanted, there = self._strength**2, strength**2 * (self._strength > _ON_EDGE)
        total = float(wanted.sum(dtype=np.float64))
        return Evidence(
            cover=float(product.sum(dtype=np.float64)) / total,
            agreement=float(product.sum(dtype=np.float64)) / _root(total * float(there.sum(dtype=np.float64))),
            cells=self._cells(product, wanted, there),
            stray=float(strength[self._flat].mean(dtype=np.float64)) if self._flat.any() else 0.0,
            brightness=_correlation(self._grey[self._near], seen[self._near]),
        )

    def _seen(self, frame: Pyramid, place: Float64, margin: int) -> UInt8:
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

    def _shifted(self, frame: Pyramid, place: Float64, reach: int) -> tuple[float, Float64]:
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

    def _fitted(self, frame: Pyramid, place: Float64, blur: float) -> Float64 | None:
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
        return fitted if upright(fitted) and away < 0.3 * extent(place, self.size) else None

    def _agreement(self, frame: Pyramid, place: Float64) -> float:
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
