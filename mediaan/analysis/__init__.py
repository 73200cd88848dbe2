"""From a file to its result: what to compute, and one pure function that does it."""

from mediaan.analysis.analyse import analyse
from mediaan.analysis.aois import Wishes
from mediaan.analysis.models import Models, load_models
from mediaan.analysis.plan import Plan
from mediaan.analysis.progress import Progress, listen
from mediaan.analysis.task import Known, Order, Report, Task, name_of
from mediaan.analysis.timeline import video_specs

__all__ = [
    "Known",
    "Models",
    "Order",
    "Plan",
    "Progress",
    "Report",
    "Task",
    "Wishes",
    "analyse",
    "listen",
    "load_models",
    "name_of",
    "video_specs",
]
