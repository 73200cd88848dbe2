"""A brand's logo pictures in a frame: turned, scaled, partly hidden, light on dark or dark on light."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path

import cv2
import numpy as np

from mediaan.aoi.logo_fit import Evidence, LogoFit
from mediaan.aoi.logo_picture import open_logo
from mediaan.aoi.logo_search import EdgeSearch, PointSearch, same_place
from mediaan.aoi.pyramid import Pyramid
from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import Float64, UInt8

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
        frame = Pyramid(rgb)
        found = sorted((m for logo in self._logos for m in logo.matches(frame)), key=lambda m: -m.confidence)
        kept: list[LogoMatch] = []
        for match in found:
            if not any(_overlap(match.box, other.box) for other in kept):
                kept.append(match)
        return tuple(kept)


class _Logo:
    """One picture of a logo with all that is needed to find it."""

    def __init__(self, path: Path) -> None:
        picture = open_logo(path)
        self.path, self.size = path, picture.size
        self._edges, self._points, self._fit = EdgeSearch(picture), PointSearch(picture), LogoFit(picture)
        self._chance = max([_evident(evidence) for _, evidence in self.weighed(_everyday_shapes())], default=-9.0)

    def weighed(self, frame: Pyramid) -> Iterator[tuple[Float64, Evidence]]:
        """Places where the logo may be, laid over exactly, with what speaks for each."""
        places = [p.place for p in self._edges.propose(frame, _EDGE_PLACES)]
        if self._points.useful:
            places += [p.place for p in self._points.propose(frame, _POINT_PLACES)]
        for place in places:
            fitted = self._fit.refined(frame, place)
            yield fitted, self._fit.evidence(frame, fitted)

    def matches(self, frame: Pyramid) -> list[LogoMatch]:
        """Places where it is, the surest first."""
        sure: list[tuple[float, Float64]] = []
        rated = [(self._confidence(evidence), place) for place, evidence in self.weighed(frame)]
        for confidence, place in sorted(rated, key=lambda r: -r[0]):
            new = not any(same_place(place, other, self.size) for _, other in sure)
            if confidence >= LEAST_CONFIDENCE and new:
                sure.append((confidence, place))
        return [self._match(frame, *found) for found in sure[:_MOST_COPIES]]

    def _confidence(self, evidence: Evidence) -> float:
        start, by_evidence, by_chance = _WEIGHTS
        return 1 / (1 + exp(-(start + by_evidence * _evident(evidence) + by_chance * self._chance)))

    def _match(self, frame: Pyramid, confidence: float, place: Float64) -> LogoMatch:
        width, height = self.size
        corners = (place @ np.array([[0, width, width, 0], [0, 0, height, height], [1, 1, 1, 1]]))[:2]
        xs, ys = corners[0] / frame.grey.shape[1], corners[1] / frame.grey.shape[0]
        polygon = tuple((float(np.clip(x, 0, 1)), float(np.clip(y, 0, 1))) for x, y in zip(xs, ys, strict=True))
        box = Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())).clipped()
        return LogoMatch(self.path, box, polygon, confidence)


def _evident(evidence: Evidence) -> float:
    """Evidence as one number: log odds on composites of own marks (models/training/logos.py)."""
    return _START + sum(weight * value for weight, value in zip(_EVIDENCE, evidence, strict=True))


@cache
def _everyday_shapes() -> Pyramid:
    """A frame of bars, discs, rings, corners and letters: what a plain mark resembles by chance.

    How well a logo can be laid over these tells how much more is needed to be sure of it.
    """
    picture = np.full((768, 1024), 128, np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(160):
        _draw_shape(picture, rng)
    return Pyramid(np.repeat(picture[..., None], 3, axis=2))


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
