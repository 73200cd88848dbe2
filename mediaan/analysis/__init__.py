"""From a file to its result: what to compute, and one pure function that does it."""

from mediaan.analysis.analyse import analyse
from mediaan.analysis.plan import Plan
from mediaan.analysis.task import Report, Task, name_of

__all__ = ["Plan", "Report", "Task", "analyse", "name_of"]
