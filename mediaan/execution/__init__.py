"""Execute a function on many items: in this process, in worker processes, or on a Ray cluster."""

from mediaan.execution.local import run_in_processes, run_serially
from mediaan.execution.tasks import Crashed, ProgressChannel, Reply, RunHooks, TaskLimits
from mediaan.execution.worker_pool import default_memory_limit

__all__ = [
    "Crashed",
    "ProgressChannel",
    "Reply",
    "RunHooks",
    "TaskLimits",
    "default_memory_limit",
    "run_in_processes",
    "run_serially",
]
