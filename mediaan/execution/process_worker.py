"""Start a worker process and talk to it over a pipe of its own, which shows what it was at when it died."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import signal
import threading
from collections.abc import Callable
from typing import Any, ClassVar

from mediaan.execution.child_process import single_threaded_blas
from mediaan.execution.retry import Task, WorkerExit
from mediaan.execution.worker import PoolWorker, WorkerConfig, WorkerMessage
from mediaan.execution.worker_main import run_worker

_CONTEXT = multiprocessing.get_context("spawn")
# spawn: forking a process that holds threads of numeric libraries can deadlock the child

EXIT_TIMEOUT_S = 5.0
_CRASH_SIGNALS = frozenset({"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"})
"""Raised by a fault of the process itself; others come from outside."""


class ProcessWorker(PoolWorker):
    """A worker in a process of this machine.

    `threads`: tasks that the process can work on at the same time.
    `depth`, `max_tasks`, `now`: see `PoolWorker`.
    """

    start_timeout_s: ClassVar[float] = 60.0

    def __init__(self, config: WorkerConfig, threads: int, depth: int, max_tasks: int | None, now: float) -> None:
        super().__init__(depth, max_tasks, now)
        self._writing = threading.Lock()
        self._connection, other = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=run_worker, args=(other, config, threads), name="mediaan worker")
        try:
            with single_threaded_blas(), other:
                self._process.start()
        except BaseException:
            self._connection.close()
            raise
        self.exit_code = 0
        import psutil  # only where there are processes

        self._statistics: psutil.Process | None = None
        with contextlib.suppress(psutil.Error):  # it has ended already
            self._statistics = psutil.Process(self._process.pid)

    def listen(
        self,
        on_message: Callable[[PoolWorker, WorkerMessage], None],
        on_exit: Callable[[PoolWorker, Exception | None], None],
    ) -> None:
        """Call back with each message and once at its end, in a thread of its own."""

        def listen() -> None:
            fault: Exception | None = None
            try:
                while True:
                    try:
                        message = WorkerMessage(*self._connection.recv())
                    except (EOFError, OSError):  # it has ended, perhaps in the middle of a message
                        break
                    on_message(self, message)
            except Exception as error:  # of functions that the caller gave; whoever takes the replies gets it
                fault = error
                self.kill()
            if not multiprocessing.connection.wait([self._process.sentinel], EXIT_TIMEOUT_S):
                self.kill()
            self._process.join()
            on_exit(self, fault)

        threading.Thread(target=listen, name="listens to a worker", daemon=True).start()

    def send(self, task: Task[Any]) -> bool:
        """Send an assigned task; return False, and unassign it, if the process is gone."""
        try:
            with self._writing:
                self._connection.send((task.task_id, task.payload))
        except OSError:
            self.finish(task.task_id)
            return False
        return True

    def rss_bytes(self) -> int:
        """Return its resident memory; 0 when the process has gone."""
        import psutil

        try:
            return 0 if self._statistics is None else int(self._statistics.memory_info().rss)
        except psutil.Error:
            return 0

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(ValueError):  # it was reaped already
            self._process.kill()

    def reap(self) -> WorkerExit:
        """Release a process that has ended and tell why it did."""
        self.exit_code = self._process.exitcode or 0
        self._connection.close()
        self._process.close()
        told = describe_exit(self.exit_code)
        return WorkerExit(f"the process that analyzed it {told}", f"it {told}")

    def _request_exit(self) -> None:
        with contextlib.suppress(OSError), self._writing:
            self._connection.send(None)


def describe_exit(exit_code: int) -> str:
    """Describe how a process ended.

    >>> describe_exit(-11)
    'was ended by SIGSEGV (a fault in a decoder or another library)'
    >>> describe_exit(3)
    'ended itself with exit code 3'
    """
    if exit_code >= 0:
        return f"ended itself with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    if name in _CRASH_SIGNALS:
        return f"was ended by {name} (a fault in a decoder or another library)"
    return f"was killed by {name}" + (" (most likely memory ran out)" if name == "SIGKILL" else "")
