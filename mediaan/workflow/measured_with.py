"""Say what numbers were measured with: settings, version, models and scales."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from mediaan import __version__
from mediaan.analysis import Models, Recipe
from mediaan.analysis.revision import scores_id
from mediaan.config.calibration import describe_calibration
from mediaan.types.aoi import AoiLevel
from mediaan.vision.objects.detector import ObjectDetector
from mediaan.vision.text.reader import TextReader

if TYPE_CHECKING:
    from mediaan.saliency import AttentionPredictor, TemporalAttention


def measured_with(recipe: Recipe, predictor: AttentionPredictor | TemporalAttention, models: Models) -> dict[str, Any]:
    """Return the entries of ``run.json`` that `Result.measured_with` holds.

    `predictor`: named with the hash of its weights.
    `models`: of which those that look for AOIs are named too.
    """
    used = [predictor, *aoi_models(recipe.aois, models)]
    named = [{"name": model.name, "sha256": model.sha256} for model in used]
    # changes with any setting, with the program's version and with weights; what is said of single media does not count
    identity = [recipe.recipe_id, *(str(model["sha256"]) for model in named)]
    calibration = recipe.calibration  # the numbers themselves are in the recipe
    return {
        "mediaan": __version__,
        "recipe": recipe.model_dump(mode="json"),
        "recipe_id": hashlib.sha256(" ".join(identity).encode()).hexdigest()[:16],
        "models": named,
        "scores_id": scores_id(),
        "calibration": calibration
        and {
            "source": calibration.source,
            "sha256": calibration.sha256,
            "says": describe_calibration(calibration),
            "despite": calibration.despite or None,
        },
    }


def aoi_models(level: AoiLevel, models: Models) -> list[TextReader | ObjectDetector]:
    """Return the models that detect AOIs at a level."""
    used: list[TextReader | ObjectDetector] = []
    if level in ("text", "all"):
        used.append(models.text)
    if level in ("objects", "all"):
        used.append(models.objects)
    return used
