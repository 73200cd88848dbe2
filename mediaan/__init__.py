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
import os
from typing import TYPE_CHECKING, Any

__version__ = "0.9.0"

# ONNX Runtime sends usage data home, from 1.31 on also on Linux, unless told not to before it is loaded; nothing leaves
# the house here unless the user says so.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_HOMES = {
    "AnalysisError": "mediaan.errors",
    "Aoi": "mediaan.types.aoi",
    "AoiScore": "mediaan.types.aoi",
    "BenchmarkRange": "mediaan.types.benchmark",
    "Brand": "mediaan.types.aoi",
    "Densities": "mediaan.types.maps",
    "Drawing": "mediaan.types.aoi",
    "Edit": "mediaan.types.edit",
    "Failed": "mediaan.types.result",
    "MediaanError": "mediaan.errors",
    "Medium": "mediaan.types.media",
    "MediumError": "mediaan.errors",
    "NormSettings": "mediaan.workflow.benchmark_build",
    "Recipe": "mediaan.config",
    "Result": "mediaan.types.result",
    "Run": "mediaan.run",
    "Score": "mediaan.types.metrics",
    "Settings": "mediaan.workflow",
    "SetupError": "mediaan.errors",
    "Suggestion": "mediaan.types.suggestion",
    "UsageError": "mediaan.errors",
    "WhatIf": "mediaan.types.change",
    "analyze": "mediaan.workflow",
    "analyze_folder": "mediaan.workflow",
    "apply_aois": "mediaan.workflow.aois",
    "benchmark_ranges": "mediaan.workflow.medium_ranges",
    "build_benchmark": "mediaan.workflow.benchmark_build",
    "check_run": "mediaan.workflow.check",
    "compare": "mediaan.workflow.compare",
    "detect_aois": "mediaan.workflow.aois",
    "exported_aois": "mediaan.workflow.aois",
    "find_norm_set": "mediaan.benchmark.shelf",
    "fog_map": "mediaan.maps",
    "heatmap": "mediaan.maps",
    "list_norm_sets": "mediaan.benchmark.shelf",
    "load_aois": "mediaan.config.aoi_file",
    "load_calibration": "mediaan.config.calibration_file",
    "load_detector": "mediaan.predictors.objects",
    "load_predictor": "mediaan.predictors",
    "predict_densities": "mediaan.workflow.densities",
    "predict_density": "mediaan.workflow",
    "rate_run": "mediaan.workflow.ranges",
    "read_run": "mediaan.run",
    "recommended_ranges": "mediaan.benchmark.recommended",
    "trend": "mediaan.workflow.trend",
    "whatif": "mediaan.workflow.whatif",
    "write_pdf": "mediaan.workflow.report",
    "write_report": "mediaan.workflow.report",
}
_ROOMS = ("aoi", "metrics", "maps", "evaluation", "predictors")

__all__ = [
    "AnalysisError",
    "Aoi",
    "AoiScore",
    "BenchmarkRange",
    "Brand",
    "Densities",
    "Drawing",
    "Edit",
    "Failed",
    "MediaanError",
    "Medium",
    "MediumError",
    "NormSettings",
    "Recipe",
    "Result",
    "Run",
    "Score",
    "Settings",
    "SetupError",
    "Suggestion",
    "UsageError",
    "WhatIf",
    "__version__",
    "analyze",
    "analyze_folder",
    "apply_aois",
    "benchmark_ranges",
    "build_benchmark",
    "check_run",
    "compare",
    "detect_aois",
    "exported_aois",
    "find_norm_set",
    "fog_map",
    "heatmap",
    "list_norm_sets",
    "load_aois",
    "load_calibration",
    "load_detector",
    "load_predictor",
    "predict_densities",
    "predict_density",
    "rate_run",
    "read_run",
    "recommended_ranges",
    "trend",
    "whatif",
    "write_pdf",
    "write_report",
]

if TYPE_CHECKING:
    from mediaan.benchmark.recommended import recommended_ranges
    from mediaan.benchmark.shelf import find_norm_set, list_norm_sets
    from mediaan.config import Recipe
    from mediaan.config.aoi_file import load_aois
    from mediaan.config.calibration_file import load_calibration
    from mediaan.errors import AnalysisError, MediaanError, MediumError, SetupError, UsageError
    from mediaan.maps import fog_map, heatmap
    from mediaan.predictors import load_predictor
    from mediaan.predictors.objects import load_detector
    from mediaan.run import Run, read_run
    from mediaan.types.aoi import Aoi, AoiScore, Brand, Drawing
    from mediaan.types.benchmark import BenchmarkRange
    from mediaan.types.change import WhatIf
    from mediaan.types.edit import Edit
    from mediaan.types.maps import Densities
    from mediaan.types.media import Medium
    from mediaan.types.metrics import Score
    from mediaan.types.result import Failed, Result
    from mediaan.types.suggestion import Suggestion
    from mediaan.workflow import Settings, analyze, analyze_folder, predict_density
    from mediaan.workflow.aois import apply_aois, detect_aois, exported_aois
    from mediaan.workflow.benchmark_build import NormSettings, build_benchmark
    from mediaan.workflow.check import check_run
    from mediaan.workflow.compare import compare
    from mediaan.workflow.densities import predict_densities
    from mediaan.workflow.medium_ranges import benchmark_ranges
    from mediaan.workflow.ranges import rate_run
    from mediaan.workflow.report import write_pdf, write_report
    from mediaan.workflow.trend import trend
    from mediaan.workflow.whatif import whatif


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"mediaan.{name}")
    raise AttributeError(f"module 'mediaan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
