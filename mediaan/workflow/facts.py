"""What a run says of how it was made."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import av
import cv2
import numpy as np
import onnxruntime
import PIL

from mediaan import __version__
from mediaan.analysis import video_specs
from mediaan.config import ObjectivesConfig, Recipe, resolve_objective, unused_patterns
from mediaan.maps import MAPS
from mediaan.metrics import BUILT_INS
from mediaan.predictors import AttentionPredictor, TemporalAttention


def run_facts(
    recipe: Recipe,
    predictor: AttentionPredictor | TemporalAttention,
    objectives: ObjectivesConfig | None,
    shown: Sequence[str],
) -> dict[str, Any]:
    """Contents of ``run.json`` but for what is counted at the end.

    Parameters
    ----------
    recipe : Recipe
    predictor : AttentionPredictor or TemporalAttention
        Named in the facts, with its weights' hash and its device.
    objectives : ObjectivesConfig or None
    shown : sequence of str
        Paths of the files, as tables show them.
    """
    return {
        "mediaan": __version__,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "recipe": recipe.model_dump(mode="json"),
        "recipe_id": _recipe_id(recipe, predictor),
        "models": [{"name": predictor.name, "sha256": predictor.sha256}],
        "device": predictor.device,
        "versions": _versions(),
        "metrics": [asdict(spec) for spec in (*(metric.spec for metric in BUILT_INS), *video_specs())],
        "maps": [
            {"name": m.name, "title": m.title, "caption": m.caption, "scale": m.scale_text}
            for m in MAPS
            if m.name in recipe.maps
        ],
        "objectives": _objectives(objectives, shown),
        "unused_patterns": list(unused_patterns(objectives, shown)) if objectives else [],
    }


def _recipe_id(recipe: Recipe, predictor: AttentionPredictor | TemporalAttention) -> str:
    """Changes with any setting, with the program's version and with the weights."""
    return hashlib.sha256(f"{recipe.recipe_id} {predictor.sha256}".encode()).hexdigest()[:16]


def _versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "ffmpeg": av.ffmpeg_version_info,
        "pyav": av.__version__,
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "onnxruntime": onnxruntime.__version__,
        "pillow": PIL.__version__,
    }


def _objectives(config: ObjectivesConfig | None, shown: Sequence[str]) -> dict[str, Any] | None:
    if config is None:
        return None
    return {path: resolve_objective(config, path).model_dump(mode="json", exclude_none=True) for path in shown}
