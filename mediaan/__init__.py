"""Predict, offline, what people look at in ads, images and videos, and turn it into numbers.

Names load when first used: ``import mediaan`` itself imports nothing heavy.

Examples
--------
>>> import mediaan as mn
>>> r = mn.analyze("ad.png")  # doctest: +SKIP
>>> r["focus"].value, r.densities["total"].sum()  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

_HOMES = {
    "AnalysisError": "mediaan.errors",
    "Densities": "mediaan.types.maps",
    "Failed": "mediaan.types.result",
    "MediaanError": "mediaan.errors",
    "Medium": "mediaan.types.media",
    "MediumError": "mediaan.errors",
    "Recipe": "mediaan.config",
    "Result": "mediaan.types.result",
    "Run": "mediaan.run",
    "Score": "mediaan.types.metrics",
    "Settings": "mediaan.workflow",
    "SetupError": "mediaan.errors",
    "UsageError": "mediaan.errors",
    "analyze": "mediaan.workflow",
    "analyze_folder": "mediaan.workflow",
    "fog_map": "mediaan.maps",
    "heatmap": "mediaan.maps",
    "load_predictor": "mediaan.predictors",
    "predict_density": "mediaan.workflow",
    "read_run": "mediaan.run",
}
_ROOMS = ("metrics", "maps", "evaluation", "predictors")

__all__ = [
    "AnalysisError",
    "Densities",
    "Failed",
    "MediaanError",
    "Medium",
    "MediumError",
    "Recipe",
    "Result",
    "Run",
    "Score",
    "Settings",
    "SetupError",
    "UsageError",
    "__version__",
    "analyze",
    "analyze_folder",
    "fog_map",
    "heatmap",
    "load_predictor",
    "predict_density",
    "read_run",
]

if TYPE_CHECKING:
    from mediaan.config import Recipe
    from mediaan.errors import AnalysisError, MediaanError, MediumError, SetupError, UsageError
    from mediaan.maps import fog_map, heatmap
    from mediaan.predictors import load_predictor
    from mediaan.run import Run, read_run
    from mediaan.types.maps import Densities
    from mediaan.types.media import Medium
    from mediaan.types.metrics import Score
    from mediaan.types.result import Failed, Result
    from mediaan.workflow import Settings, analyze, analyze_folder, predict_density


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"mediaan.{name}")
    raise AttributeError(f"module 'mediaan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
