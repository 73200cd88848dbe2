"""How a folder is analysed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mediaan.config import Recipe
from mediaan.errors import UsageError
from mediaan.workflow.population_choice import AUTO


@dataclass(frozen=True, slots=True)
class Settings:
    """How a folder is analysed.

    Attributes
    ----------
    recipe : Recipe
        What is computed; two runs of one recipe over one medium give the same numbers.
    objectives : str, Path or None
        YAML file that says what each medium is for.
    aois : str, Path or None
        File of AOIs that people drew.
    device : {'auto', 'cpu', 'cuda'}
    workers : int or None
        Processes; None takes one per core, and none at all for a handful of files. With 1, or none, files are analysed
        in this process, which then has no shelter from a file that makes a decoder crash.
    limit : int or None
        Analyse only the first so many files.
    follow_links : bool
        Whether symbolic links may lead out of the given folders.
    rules : str, Path or None
        YAML file with rules, beside those of the objectives.
    benchmark : str
        What scores are compared with: `auto`, `none`, or the name or file of a norm set; see `load_populations`.
    benchmark_despite : str
        Why a norm set may be used although it was measured otherwise.
    threads : int or None
        Of each process; None takes one where there are several processes, and all that the machine has otherwise.
    force_new : bool
        Whether a run that the directory holds, of whichever recipe, is removed first.
    retry_failed : bool
        Whether files that failed in an earlier session are analysed again.
    memory_limit_mb : int or None
        Resident memory of a worker process, MB (10⁶ bytes): a file that needs more fails. None takes a fair share of
        what the machine has; a run in this process has no limit.
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

    def __post_init__(self) -> None:
        for name in ("workers", "limit", "threads", "memory_limit_mb"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"{name} must be at least 1, or None; found {value}", code="bad_settings")
