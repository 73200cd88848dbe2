"""Collect what ``run.json`` says of how a run was made."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import av
import cv2
import numpy as np
import onnxruntime
import PIL

from mediaan import __version__
from mediaan.analysis import Models
from mediaan.analysis.options import Recipe
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.maps import MAPS
from mediaan.metrics import metric_specs
from mediaan.run.metadata import RunMetadata
from mediaan.workflow.folder.inputs import RunInputs, dump_inputs
from mediaan.workflow.measured_with import measured_with

if TYPE_CHECKING:
    from mediaan.saliency import AttentionPredictor, TemporalAttention


def run_metadata(
    recipe: Recipe,
    predictor: AttentionPredictor | TemporalAttention,
    models: Models,
    inputs: RunInputs,
    display_paths: Sequence[str],
) -> RunMetadata:
    """Return the contents of ``run.json`` but for what is counted at the end.

    `predictor`: named in the facts, with its weights' hash and its device.
    `models`: of which those that look for AOIs are named too.
    `display_paths`: paths of the files, as tables show them.
    """
    contents = {
        "mediaan": __version__,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **measured_with(recipe, predictor, models),
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
        "metrics": [asdict(spec) for spec in metric_specs()],
        "maps": [
            {"name": m.name, "title": m.title, "caption": m.caption, "scale": m.scale_text}
            for m in MAPS.values()
            if m.name in recipe.maps
        ],
        "aoi_metrics": [asdict(spec) for spec in AOI_METRICS],
        "domains": list(predictor.domains),
        "domain": inputs.domain,
        "objectives": inputs.packed_objectives(display_paths),
        "unused_patterns": inputs.unused_patterns(display_paths),
        "rules": [rule.written() for rule in inputs.rules],
        "targets": inputs.targets,
        "briefing": dump_inputs(inputs),
    }
    return RunMetadata.parse(contents)
