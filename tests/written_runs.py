"""Small runs with chosen numbers, written as an analysis writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np

from mediaan.aoi.scoring.specs import ATTENTION
from mediaan.run import RunWriter
from mediaan.run.files import part_key
from mediaan.run.metadata import RunMetadata
from mediaan.run.parts import identity_of
from mediaan.run.result_store import write_maps
from mediaan.storage import LocalStorage
from mediaan.types.aoi import Aoi, AoiType, Box
from mediaan.types.densities import Densities
from mediaan.types.media import Medium
from mediaan.types.metrics import Score
from mediaan.types.result import Failed, Outcome, Result

FACTS: dict[str, Any] = {
    "mediaan": "0.3.0",
    "created_at": "2026-01-02T03:04:05+00:00",
    "recipe": {"model": "attention", "maps": ["heat"], "aois": "all", "exposure_s": 5.0, "fps": 5.0, "fast": False},
    "models": [{"name": "attention", "sha256": "a" * 64}],
    "device": "cpu",
    "versions": {"numpy": "2.0"},
    "metrics": [{"name": "focus", "title": "Focus", "unit": "score", "low": 0, "high": 100, "basis": "learned"}],
    "maps": [],
}
Scores = Mapping[str, float | None]
Place = tuple[AoiType, tuple[float, float, float, float], float]


def id_of(name: str) -> UUID:
    return uuid5(NAMESPACE_URL, name)


def write_run(
    folder: Path,
    media: Mapping[str, Scores],
    *,
    areas: Mapping[str, Sequence[Place]] | None = None,
    failed: Sequence[str] = (),
    facts: Mapping[str, Any] | None = None,
    half: float | None = 5.0,
    density: float | None = 0.5,
    kind: str = "image",
    kinds: Mapping[str, str] | None = None,
) -> Path:
    """Write a run.

    Parameters
    ----------
    folder : Path
    media : mapping of path to metric to value
        The medium behind a path is told by what follows its last ``/``.
    areas : mapping of path to areas
        Each with its type, box and share of attention, %.
    failed : sequence of str
    facts : mapping
        Of ``run.json``, beside `FACTS`.
    half : float or None
        Half the width of each interval.
    density : float or None
        Mass of the left half of each density; None keeps none.
    kind : str
        Of all media but those in `kinds`.
    kinds : mapping of path to str
    """
    recipe_id = json.dumps(facts, default=str)
    writer = RunWriter(folder, RunMetadata.parse(FACTS | {"recipe_id": recipe_id} | dict(facts or {})))
    for path, scores in media.items():
        places = None if areas is None else areas.get(path, ())
        result = _result(path, scores, places, half, 0.5 if density is None else density, (kinds or {}).get(path, kind))
        add_outcome(writer, result, write_maps(LocalStorage(folder), result, densities=density is not None))
    for path in failed:
        add_outcome(writer, Failed(path, path.split("/")[-1], "truncated", "It ends too early.", 7), {})
    writer.finish(order=[*media, *failed], skipped=0, seconds=1.0)
    writer.close()
    return folder


def add_outcome(writer: RunWriter, outcome: Outcome, files: Mapping[str, str], seconds: float = 0.1) -> None:
    """Commit the result of one file as the part of its path."""
    key = part_key(writer.recipe_id, identity_of(outcome, None))
    writer.parts.commit(key, outcome, files, seconds)
    writer.assign(outcome.path, key)


def _result(
    path: str, scores: Scores, places: Sequence[Place] | None, half: float | None, left: float, kind: str
) -> Result:
    name = path.split("/")[-1]
    medium = Medium(id_of(name), name, kind, 30, 20, "png", None if kind == "image" else 4.0)  # type: ignore[arg-type]
    density = np.array([[left, 1 - left]], np.float32).repeat(2, 0) / 2
    aois = [
        Aoi(
            uuid5(medium.medium_id, f"aoi {i}"),
            type_,
            f"{type_} {i}",
            Box(*box),
            0.9,
            "detector",
            scores=(Score.of(ATTENTION, share),),
        )
        for i, (type_, box, share) in enumerate(places or ())
    ]
    return Result(
        path,
        medium,
        tuple(_score(metric, value, half) for metric, value in scores.items()),
        Densities({"total": density}),
        size_bytes=9,
        aois=None if places is None else tuple(aois),
    )


def _score(metric: str, value: float | None, half: float | None) -> Score:
    known = value is not None and half is not None
    lo, hi = (value - half, value + half) if known else (None, None)  # type: ignore[operator]
    return Score(
        value,
        lo,
        hi,
        metric=metric,
        basis="learned",
        unit="score",
        reason=None if value is not None else "Nothing there.",
    )
