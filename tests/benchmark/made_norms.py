"""Norms and norm sets with chosen numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.norm import Norm
from mediaan.judge.benchmark.norm_set import NormSet, Provenance, ScoreRow
from mediaan.types.benchmark import Segment

KEY = ComparabilityKey(
    model="attention",
    model_sha256="a" * 64,
    scores_id="0123456789abcdef",
    exposure_s=5.0,
    calibration_sha256=None,
    fps=5.0,
    fast=False,
    aois="all",
    finders=(("reader", "b" * 64), ("objects", "c" * 64)),
    recipe_id="fedcba9876543210",
    mediaan="0.5.0",
)


def about(**facts: Any) -> Provenance:
    known = {"name": "own", "title": "Own media", "population": "Media.", "created": "2026-01-02", "intervals": "90 %"}
    return Provenance(**{"comparability_key": KEY, **known, **facts})


def norm(
    quantiles: npt.ArrayLike | None = None,
    *,
    n: int = 100,
    n_media: int | None = None,
    segment: Segment = (),
    aoi_type: str | None = None,
    **facts: Any,
) -> Norm:
    """By default a uniform population between 0 and 100."""
    at = np.arange(1.0, 100.0) if quantiles is None else np.asarray(quantiles, np.float64)
    known = {"type": "image", "metric": "percentage_seen" if aoi_type else "focus", "metric_time": "total"}
    known |= {"unit": "%" if aoi_type else "score", "quantiles": at, "lo": at, "hi": at}
    return Norm(**{**known, "aoi_type": aoi_type, "segment": segment, "n": n, "n_media": n_media or n, **facts})


def norm_set(sizes: Mapping[str, int], keys: Sequence[str], **facts: Any) -> NormSet:
    """A set of focus, by what segments are called (``industry=food, platform=x``; ``all``) and their media."""
    parts = {_segment(text): n for text, n in sizes.items()}
    norms = [norm(segment=segment, n=n) for segment, n in parts.items() if n >= 8]
    return NormSet.of(about(keys=tuple(keys), sizes=parts, **facts), norms)


def _segment(text: str) -> Segment:
    if text == "all":
        return ()
    pairs = [pair.split("=") for pair in text.split(", ")]
    return tuple((key, value) for key, value in pairs)


def rows(values: Mapping[str, float | None], **facts: Any) -> list[ScoreRow]:
    """Focus of pictures by medium id."""
    known: dict[str, Any] = {"type": "image", "metric": "focus", "metric_time": "total", "aoi_type": None}
    known |= {"unit": "score"} | facts
    return [ScoreRow(medium_id=medium, value=value, **known) for medium, value in values.items()]
