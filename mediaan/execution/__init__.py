"""Ways to carry a function over many items: here, or in processes of this machine."""

from mediaan.execution.port import Crashed, Reply
from mediaan.execution.processes import Notes, run_in_processes
from mediaan.execution.serial import run_serially

__all__ = ["Crashed", "Notes", "Reply", "run_in_processes", "run_serially"]
