"""Read the options of a function of the library, and choose over how many processes and threads work is spread."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mediaan.analysis import Execution, Recipe
from mediaan.config.calibration import load_calibration
from mediaan.errors import UsageError, did_you_mean
from mediaan.types.arguments import check_type

if TYPE_CHECKING:
    from mediaan.execution.tasks import Item, Reply, Value


def read_options(
    recipe: Recipe | None, execution: Execution | None, options: Mapping[str, Any], *, used: Collection[str] = ()
) -> tuple[Recipe, Execution]:
    """Apply keyword arguments to a recipe and an execution.

    `recipe`, `execution`: none: the defaults.
    `options`: values by field of either model, over those of the models; a calibration may be the path of its file.
    `used`: options that the function uses; any other that is set is refused. Empty: all.
    Raises UsageError: an unknown option, one that is not used, or a value that cannot be.
    """
    recipe = Recipe() if recipe is None else recipe
    execution = Execution() if execution is None else execution
    check_type(recipe, Recipe, "recipe")
    check_type(execution, Execution, "execution")
    names = used or {*Recipe.model_fields, *Execution.model_fields}
    for name in (*options, *recipe.model_fields_set, *execution.model_fields_set):
        if name not in names:
            raise UsageError(f"there is no option {name!r} here{did_you_mean(name, names)}", code="bad_options")
    options = dict(options)
    if isinstance(options.get("calibration"), (str, Path)):
        options["calibration"] = load_calibration(options["calibration"])
    return (
        recipe.replace(**{name: value for name, value in options.items() if name in Recipe.model_fields}),
        execution.replace(**{name: value for name, value in options.items() if name in Execution.model_fields}),
    )


SERIAL_BELOW = 6
"""Files: starting processes costs more than they save."""

CORES_PER_GPU_PROCESS = 4
"""An analysis holds Python's lock for a seventh of its time, so threads of one process could keep seven cores busy at
the very most; with four they rarely wait for each other."""

GPU_DEPTH = 2 * CORES_PER_GPU_PROCESS
"""Media that a process works on at the same time: as many wait for the GPU as are decoded and measured."""

GPU_BYTES_PER_PROCESS = 3 * 10**9
"""CUDA itself, and what four models compute with in full batches."""


@dataclass(frozen=True, slots=True)
class ProcessLayout:
    """Processes of a machine, and media at work in each."""

    processes: int
    """0 is this one."""
    depth: int = 1
    """Media that each works on at the same time, in threads."""

    @property
    def threads(self) -> int:
        """Threads that a model or decoder may take for one medium; 0: all that there are."""
        return 1 if self.processes else 0

    def run(self, function: Callable[[Item], Value], items: Iterable[Item]) -> Iterator[Reply[Item, Value]]:
        """Carry out a function on each item, in the order in which they are done; no limits, and nothing is watched."""
        from mediaan.execution import run_in_processes, run_serially  # one medium needs neither

        if not self.processes:
            return run_serially(function, items)
        return run_in_processes(function, items, workers=self.processes, depth=self.depth)


def process_layout(wanted: int | None, files: int, device: str = "cpu", *, depth: int = GPU_DEPTH) -> ProcessLayout:
    """Spread files over this machine.

    `wanted`: processes, as the user said. None: on the CPU one per core, on a GPU as `gpu_processes` says; for a
        handful of files this one. 1 is this one, too, but on a GPU, where many files need a process that works on
        several.
    `device`: where models really run.
    `depth`: media at the same time in each process on a GPU; on the CPU it is one.
    """
    if device != "cuda":
        return ProcessLayout(worker_count(wanted, files))
    if files < SERIAL_BELOW and wanted in (None, 1):
        return ProcessLayout(0)
    processes = wanted or gpu_processes(core_count(), _free_gpu_bytes())
    return ProcessLayout(min(processes, -(-files // depth)), depth)


def choose_layout(execution: Execution, files: int, device: str) -> ProcessLayout:
    """Choose the layout of an execution; on a cluster, each worker has one core and its share of a GPU."""
    if execution.executor == "ray":
        return ProcessLayout(1, GPU_DEPTH if execution.gpus else 1)
    if execution.executor == "serial":
        return ProcessLayout(0)
    layout = process_layout(execution.workers, files, device)
    return layout if execution.executor == "auto" or layout.processes else replace(layout, processes=1)


def gpu_processes(cores: int, free_bytes: int | None = None) -> int:
    """Return how many processes share a GPU.

    Cores decode and measure, so it takes enough processes to use them all. Threads of one process share its models, and
    what they ask at the same time becomes one batch, so it takes no more than that; each holds memory of the GPU.

    `free_bytes`: of the GPU's memory.

    >>> gpu_processes(4), gpu_processes(16), gpu_processes(16, free_bytes=7 * 10**9)
    (1, 4, 2)
    """
    processes = -(-cores // CORES_PER_GPU_PROCESS)
    if free_bytes is not None:
        processes = min(processes, free_bytes // GPU_BYTES_PER_PROCESS)
    return max(1, processes)


def worker_count(wanted: int | None, files: int) -> int:
    """Return the number of processes on the CPU; 0 means this one.

    `wanted`: as the user said; 1 is this process, None is one per core, and none at all for a handful of files.
    """
    if wanted is not None:
        return 0 if wanted == 1 else min(wanted, files)
    return 0 if files < SERIAL_BELOW else min(core_count(), files)


def core_count() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _free_gpu_bytes() -> int | None:
    from mediaan.saliency.onnx.gpu import cuda_runtime, free_gpu_bytes

    return free_gpu_bytes(cuda_runtime())
