"""Validate how a folder is analyzed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from mediaan.analysis.recipe import Recipe
from mediaan.errors import UsageError
from mediaan.report.web.layout import LAYOUTS, Layout
from mediaan.workflow.rating.populations import AUTO

ExecutorName = Literal["auto", "serial", "processes", "ray"]
EXECUTORS: tuple[ExecutorName, ...] = get_args(ExecutorName)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the analysis of a folder.

    Attributes
    ----------
    recipe : Recipe
        What is computed; two runs of one recipe over one medium give the same numbers.
    objectives : str, Path or None
        YAML file that says what each medium is for. None: those that the run had, if it goes on with one; ``"none"``:
        none, and those that it had are dropped.
    aois : str, Path or None
        File of AOIs that people drew; None and ``"none"`` as of objectives.
    device : {'auto', 'cpu', 'cuda'}
    workers : int or None
        Processes; None takes one per core, and none at all for a handful of files. With 1, or none, files are analyzed
        in this process, which then has no shelter from a file that makes a decoder crash.
    limit : int or None
        Analyze only the first so many files.
    follow_links : bool
        Whether symbolic links may lead out of the given folders.
    rules : str, Path or None
        YAML file with rules, or the name of a rule set that ships, beside those of the objectives. None: those that the
        run had; ``"none"``: no rules at all.
    benchmark : str
        What scores are compared with: `auto`, `none`, or the name or file of a norm set; see `load_populations`.
    benchmark_despite : str
        Why a norm set may be used although it was measured otherwise.
    threads : int or None
        Of each process; None takes one where there are several processes, and all that the machine has otherwise.
    force_new : bool
        Whether a run that the directory holds, of whichever recipe, is removed first.
    retry_failed : bool
        Whether files that failed in an earlier session are analyzed again.
    executor : {'auto', 'serial', 'processes', 'ray'}
        Who carries out the analyses: this process, processes of this machine, or a Ray cluster; `auto` takes processes
        where they are worth their start.
    ray_address : str or None
        Of the cluster, on a machine of which this runs. None: ``RAY_ADDRESS`` in the environment, or else a cluster of
        this machine alone, which is ended afterwards. With Ray, `workers` None takes all the room that there is.
    gpu_share : float or None
        What each worker takes of a GPU with Ray, 0.25 for a quarter. None: a whole one with `device` cuda, else none.
    memory_limit_mb : int or None
        Resident memory of a worker process, MB (10⁶ bytes): a file that needs more fails. None takes a fair share of
        what the machine has; a run in this process has no limit.
    report : {'auto', 'file', 'folder', 'none'}
        Whether images travel inside the report; `auto`: where mail then carries it. `none`: no report is written,
        now or when the run changes.
    domain : str or None
        What media are of which no objective says it, of the domains that the attention model tells apart, such as
        ``ad``; without it the model tells by itself. Like an objective it is no part of the recipe: where it changes,
        the media that it concerns are analyzed again. None and ``"none"`` as of objectives.
    """

    recipe: Recipe
    objectives: str | Path | None = None
    aois: str | Path | None = None
    device: str = "auto"
    workers: int | None = None
    limit: int | None = None
    follow_links: bool = False
    rules: str | Path | None = None
    benchmark: str = AUTO
    benchmark_despite: str = ""
    threads: int | None = None
    force_new: bool = False
    retry_failed: bool = False
    memory_limit_mb: int | None = None
    executor: ExecutorName = "auto"
    ray_address: str | None = None
    gpu_share: float | None = None
    report: Layout | Literal["none"] = "auto"
    domain: str | None = None

    def __post_init__(self) -> None:
        for name in ("workers", "limit", "threads", "memory_limit_mb"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"{name} must be at least 1, or None; found {value}", code="bad_settings")
        if self.executor not in EXECUTORS:
            raise UsageError(f"executor {self.executor!r}: take one of {', '.join(EXECUTORS)}", code="bad_settings")
        if self.report not in (*LAYOUTS, "none"):
            raise UsageError(f"report {self.report!r}: take one of {', '.join(LAYOUTS)}, none", code="bad_settings")
        if self.executor == "serial" and (self.workers or 1) > 1:
            raise UsageError(f"executor serial and {self.workers} workers contradict each other", code="bad_settings")
        if self.executor != "ray" and (self.ray_address is not None or self.gpu_share is not None):
            raise UsageError("ray_address and gpu_share go with the executor ray only", code="bad_settings")
        share = self.gpu_share
        if share is not None and (share < 0 or (share > 1 and share % 1)):
            raise UsageError(
                f"gpu_share is a part of one GPU, or a whole number of GPUs; found {share:g}", code="bad_settings"
            )
        if share is not None and self.device == ("cuda" if share == 0 else "cpu"):
            raise UsageError(f"device {self.device} and gpu_share {share:g} contradict each other", code="bad_settings")

    @property
    def gpus(self) -> float:
        """Share of a GPU that each worker takes with Ray."""
        return float(self.device == "cuda") if self.gpu_share is None else self.gpu_share

    @property
    def worker_device(self) -> str:
        """Device of workers: with Ray they see the GPUs that they have a share in, and no others."""
        return self.device if self.executor != "ray" else ("cuda" if self.gpus else "cpu")
