from . import aoi, evaluation, maps, metrics, review, saliency
from .analysis.options import Execution, Recipe
from .brand.campaign import BrandProposal, brand_proposals
from .config.aoi_formats.reading import load_aois
from .config.calibration import load_calibration
from .errors import AnalysisError, MediaanError, MediumError, SetupError, UsageError
from .judge.benchmark import find_norm_set, list_norm_sets
from .judge.benchmark.ranges import recommended_ranges
from .maps import fog_map, heatmap
from .run import Run, read_run
from .saliency import load_predictor
from .studies import context
from .studies.compare.workflow import compare
from .studies.results.workflow import results
from .studies.trend.workflow import trend
from .studies.whatif import whatif
from .types.aoi import Aoi, Brand, Drawing
from .types.benchmark import BenchmarkRange
from .types.densities import Densities
from .types.edits import Edit, Suggestion, WhatIf
from .types.media import Medium
from .types.metrics import Score
from .types.result import Failed, Result
from .vision.objects.detector import load_detector
from .workflow.aois import apply_aois, detect_aois, exported_aois
from .workflow.attention import predict_densities, predict_density, scanpaths
from .workflow.benchmark_build import NormSettings, build_benchmark
from .workflow.folder.analyze import analyze_folder
from .workflow.medium import analyze, benchmark_ranges
from .workflow.placements import place, placement_sheet
from .workflow.ranges import rate_run
from .workflow.report import write_heat, write_pdf, write_pptx, write_report
from .workflow.rules import check_run

__version__: str

__all__ = [
    "AnalysisError",
    "Aoi",
    "BenchmarkRange",
    "Brand",
    "BrandProposal",
    "Densities",
    "Drawing",
    "Edit",
    "Execution",
    "Failed",
    "MediaanError",
    "Medium",
    "MediumError",
    "NormSettings",
    "Recipe",
    "Result",
    "Run",
    "Score",
    "SetupError",
    "Suggestion",
    "UsageError",
    "WhatIf",
    "__version__",
    "analyze",
    "analyze_folder",
    "aoi",
    "apply_aois",
    "benchmark_ranges",
    "brand_proposals",
    "build_benchmark",
    "check_run",
    "compare",
    "context",
    "detect_aois",
    "evaluation",
    "exported_aois",
    "find_norm_set",
    "fog_map",
    "heatmap",
    "list_norm_sets",
    "load_aois",
    "load_calibration",
    "load_detector",
    "load_predictor",
    "maps",
    "metrics",
    "place",
    "placement_sheet",
    "predict_densities",
    "predict_density",
    "rate_run",
    "read_run",
    "recommended_ranges",
    "results",
    "review",
    "saliency",
    "scanpaths",
    "trend",
    "whatif",
    "write_heat",
    "write_pdf",
    "write_pptx",
    "write_report",
]
