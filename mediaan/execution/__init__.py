"""Ways to carry a function over many items: here, or in processes of this machine."""

from mediaan.execution.memory import default_memory_limit
from mediaan.execution.port import Crashed, Limits, Notes, Reply, Watch
from mediaan.execution.processes import run_in_processes
from mediaan.execution.serial import run_serially

__all__ = ["Crashed", "Limits", "Notes", "Reply", "Watch", "default_memory_limit", "run_in_processes", "run_serially"]
