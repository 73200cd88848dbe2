"""Collect what ``run.json`` says of how a run was made."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import av
import cv2
import numpy as np
import onnxruntime
import PIL

from mediaan import __version__
from mediaan.analysis import Models, video_metric_specs
from mediaan.analysis.recipe import Recipe
from mediaan.analysis.revision import scores_id
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.config.calibration import describe_calibration
from mediaan.maps import MAPS
from mediaan.metrics import BUILT_INS
from mediaan.run.metadata import RunMetadata
from mediaan.saliency import AttentionPredictor, TemporalAttention
from mediaan.types.aoi import AoiLevel
from mediaan.vision.objects.detector import ObjectDetector
from mediaan.vision.text.reader import TextReader
from mediaan.workflow.folder.inputs import RunInputs, dump_inputs


def run_metadata(
    recipe: Recipe,
    predictor: AttentionPredictor | TemporalAttention,
    models: Models,
    inputs: RunInputs,
    display_paths: Sequence[str],
) -> RunMetadata:
    """Return the contents of ``run.json`` but for what is counted at the end.

    Parameters
    ----------
    recipe : Recipe
    predictor : AttentionPredictor or TemporalAttention
        Named in the facts, with its weights' hash and its device.
    models : Models
        Of which those that look for AOIs are named too.
    inputs : RunInputs
    display_paths : sequence of str
        Paths of the files, as tables show them.
    """
    used = [predictor, *aoi_models(recipe.aois, models)]
    named = [{"name": model.name, "sha256": model.sha256} for model in used]
    # changes with any setting, with the program's version and with weights; what is said of single media does not count
    identity = [recipe.recipe_id, *(str(model["sha256"]) for model in named)]
    calibration = recipe.calibration  # the numbers themselves are in the recipe
    contents = {
        "mediaan": __version__,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
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
        "device": predictor.device,
        "versions": {
            "python": platform.python_version(),
            "ffmpeg": av.ffmpeg_version_info,
            "pyav": av.__version__,
            "numpy": np.__version__,
            "opencv": cv2.__version__,
            "onnxruntime": onnxruntime.__version__,
            "pillow": PIL.__version__,
        },
        "metrics": [asdict(spec) for spec in (*(metric.spec for metric in BUILT_INS), *video_metric_specs())],
        "maps": [
            {"name": m.name, "title": m.title, "caption": m.caption, "scale": m.scale_text}
            for m in MAPS
            if m.name in recipe.maps
        ],
        "aoi_metrics": [asdict(spec) for spec in AOI_METRICS],
        "domains": list(predictor.domains),
        "domain": inputs.domain,
        "objectives": inputs.packed_objectives(display_paths),
        "unused_patterns": inputs.unused_patterns(display_paths),
        "rules": [one.written() for one in inputs.rules],
        "targets": inputs.targets,
        "briefing": dump_inputs(inputs),
    }
    return RunMetadata.parse(contents)


def aoi_models(level: AoiLevel, models: Models) -> list[TextReader | ObjectDetector]:
    """Return the models that detect AOIs at a level."""
    used: list[TextReader | ObjectDetector] = []
    if level in ("text", "all"):
        used.append(models.text)
    if level in ("objects", "all"):
        used.append(models.objects)
    return used
