"""The work of a run on machines of a cluster, which need not see what this one sees."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path

from mediaan.analysis import Known, Order, Report, Task
from mediaan.errors import SetupError

_OF_STORES = (
    "; workers know credentials and endpoint from the address, or from the environment in which Ray was started on "
    "their machine"
)
_HINTS = dict.fromkeys(("no_bucket", "access_denied", "unreachable", "storage_failed", "no_storage"), _OF_STORES)


@dataclass(frozen=True, slots=True)
class OnAnyMachine:
    """A task that says so where its machine does not see the files of the run; picklable.

    Parameters
    ----------
    task : Task
    keeps_here : bool
        Whether the run directory is a folder and not in an object store.
    folder : Path
        In which the command was given: relative paths mean the same everywhere.
    """

    task: Task
    keeps_here: bool
    folder: Path

    def __call__(self, order: Order) -> Report | Known:
        """Carry out an order.

        Raises
        ------
        SetupError
            The run directory, or the folder of the file, is not to be seen from here (code not_shared); whatever else
            ends a run says on which machine, since others may have no such trouble.
        """
        if self.folder.is_dir():
            os.chdir(self.folder)
        if order.file.place is None and not order.file.path.parent.is_dir():
            raise _unseen(order.file.path.parent.absolute(), "the folder of a file")
        if self.task.scratch is not None and not self.task.scratch.is_dir():
            if self.keeps_here:
                raise _unseen(self.task.scratch.parent.absolute(), "--out")
            self.task.scratch.mkdir(parents=True, exist_ok=True)
        try:
            return self.task(order)
        except SetupError as error:
            message = (
                f"on {socket.gethostname()}, a machine of the cluster: {error.message}{_HINTS.get(error.code, '')}"
            )
            raise SetupError(message, code=error.code) from None


def _unseen(folder: Path, what: str) -> SetupError:
    return SetupError(
        f"{folder}, {what}, is not to be seen from {socket.gethostname()}; on a cluster, files and --out must be on "
        "storage that all its machines share, or in an object store",
        code="not_shared",
    )
