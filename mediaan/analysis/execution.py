"""Declare how an analysis is carried out: where, by how many processes, what is written. No number depends on it."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from mediaan.analysis.options import Options
from mediaan.errors import UsageError

Device = Literal["auto", "cpu", "cuda"]


class Execution(Options):
    """Options that change no number: where and how an analysis is carried out.

    Examples
    --------
    >>> Execution(workers=4, device="cpu").executor
    'auto'
    """

    error_code: ClassVar[str] = "bad_settings"

    device: Device = "auto"
    """Where models run; cuda is an error without a GPU."""
    workers: int | None = Field(default=None, ge=1)
    """Number of processes; 1 uses only this one, which a file that crashes its decoder then ends. None: one per core,
    and none for a handful of files."""
    threads: int | None = Field(default=None, ge=1)
    """Threads of each process. None: one where there are several processes, else all that the machine has."""
    memory_limit_mb: int | None = Field(default=None, ge=1)
    """Memory of each process in MB (a million bytes); a file that needs more fails. None: a fair share of the
    machine's."""
    executor: Literal["auto", "serial", "processes", "ray"] = "auto"
    """Where the analysis runs: in this process, in processes of this machine, or on a Ray cluster. auto: processes if
    there are enough files."""
    ray_address: str | None = None
    """Address of the Ray cluster; run the command on one of its machines. None: RAY_ADDRESS, else a cluster of this
    machine only, which is stopped at the end."""
    gpu_share: float | None = Field(default=None, ge=0)
    """Share of a GPU for each worker on a Ray cluster, 0.25 for a quarter. None: 1 with device cuda, else 0."""
    limit: int | None = Field(default=None, ge=1)
    """Analyze only the first so many files."""
    follow_links: bool = False
    """Follow symbolic links that lead out of the given folders."""
    click: tuple[str, ...] = ()
    """Click this before the picture of a web page is taken: the text of a button, or a CSS selector. It closes a cookie
    layer; several are clicked in their order."""
    force_new: bool = False
    """Remove the run in the run directory, whatever its recipe, and start over."""
    retry_failed: bool = False
    """Analyze files again that failed before."""
    report: Literal["auto", "file", "folder", "none"] = "auto"
    """file: images are inside the report; folder: they stay in maps; auto: inside if the report is small enough to
    mail; none: no report is written, now or when the run changes."""

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.executor == "serial" and (self.workers or 1) > 1:
            raise self._refusal(f"executor serial and {self.workers} workers contradict each other")
        if self.executor != "ray" and (self.ray_address is not None or self.gpu_share is not None):
            raise self._refusal("ray_address and gpu_share go with the executor ray only")
        share = self.gpu_share
        if share is not None and share > 1 and share % 1:
            raise self._refusal(f"gpu_share is a part of one GPU, or a whole number of GPUs; found {share:g}")
        if share is not None and self.device == ("cuda" if share == 0 else "cpu"):
            raise self._refusal(f"device {self.device} and gpu_share {share:g} contradict each other")
        return self

    def _refusal(self, message: str) -> UsageError:
        return UsageError(message, code=self.error_code)

    @property
    def gpus(self) -> float:
        """Share of a GPU that each worker takes with Ray."""
        return float(self.device == "cuda") if self.gpu_share is None else self.gpu_share

    @property
    def worker_device(self) -> Device:
        """Device of workers: with Ray they see the GPUs that they have a share in, and no others."""
        return self.device if self.executor != "ray" else ("cuda" if self.gpus else "cpu")
