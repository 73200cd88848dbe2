"""From a file to its result: what to compute, and one pure function that does it."""

from mediaan.analysis.analyze import analyze_file
from mediaan.analysis.aoi_detection import MediumOptions
from mediaan.analysis.models import Models, load_models
from mediaan.analysis.plan import Plan
from mediaan.analysis.progress import AnalysisProgress, set_progress_listener
from mediaan.analysis.tasks import CacheHit, MediumTask, TaskResult, TaskRunner, file_name
from mediaan.analysis.timeline import video_metric_specs

__all__ = [
    "AnalysisProgress",
    "CacheHit",
    "MediumOptions",
    "MediumTask",
    "Models",
    "Plan",
    "TaskResult",
    "TaskRunner",
    "analyze_file",
    "file_name",
    "load_models",
    "set_progress_listener",
    "video_metric_specs",
]
