from .analyze import analyze_file
from .models import Models, load_models
from .options import Execution, Recipe
from .plan import MediumOptions, Plan
from .progress import AnalysisProgress, set_progress_listener
from .tasks import CacheHit, MediumTask, TaskResult, TaskRunner, file_name

__all__ = [
    "AnalysisProgress",
    "CacheHit",
    "Execution",
    "MediumOptions",
    "MediumTask",
    "Models",
    "Plan",
    "Recipe",
    "TaskResult",
    "TaskRunner",
    "analyze_file",
    "file_name",
    "load_models",
    "set_progress_listener",
]
