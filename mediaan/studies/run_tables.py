"""Read the tables of a run that a study needs, also where an older version made it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.run import Run
from mediaan.run.directory import refuse_folder
from mediaan.run.metadata import RunMetadata, read_metadata
from mediaan.types.arguments import as_path
from mediaan.types.result import Result

_SCORES = ("medium_id", "metric", "metric_time", "unit", "value")
_BOUNDS = ("lo", "hi")
_AREAS = ("medium_id", "aoi_id", "type", "x0", "y0", "x1", "y1", "t0_s", "t1_s", "confidence")


@dataclass(frozen=True)
class RunTables:
    """A run, with no more of its tables and columns than a comparison needs."""

    path: Path
    facts: Mapping[str, Any]
    """Contents of ``run.json``."""

    @cached_property
    def run(self) -> Run:
        """The same as this version has it."""
        return Run(self.path, RunMetadata.parse(self.facts))

    def results(self, tables: Collection[str], metrics: Collection[str] | None = None) -> Iterator[Result]:
        """Yield the result of each analyzed file, of these tables and metrics."""
        try:
            yield from self.run.results(tables, metrics=metrics)
        except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
            raise UsageError(
                f"{self.path}: its tables cannot be read ({error}); run the analysis again", code="no_run"
            ) from error

    @cached_property
    def media(self) -> pd.DataFrame:
        """Path, medium_id, status and type of each file."""
        return self._needed("media", ("path", "medium_id", "status", "type"))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The table ``metrics``; bounds that it lacks are undefined."""
        return self._bounded("metrics", _SCORES)

    @cached_property
    def areas(self) -> pd.DataFrame:
        """The table ``aois``."""
        return self._needed("aois", _AREAS)

    @cached_property
    def area_scores(self) -> pd.DataFrame:
        """The table ``aoi_scores``; bounds that it lacks are undefined."""
        return self._bounded("aoi_scores", (*_SCORES, "aoi_id"))

    @cached_property
    def densities(self) -> dict[str, Path]:
        """Files of densities by medium id; those that the run did not keep are absent."""
        if not self.holds("maps"):
            return {}
        maps = self._needed("maps", ("medium_id", "map", "path"))
        kept = maps[maps["map"] == "density"]
        return {str(i): self.path / str(file) for i, file in zip(kept["medium_id"], kept["path"], strict=True)}

    @property
    def areas_wanted(self) -> bool:
        """True if areas of interest were looked for or drawn; an old run knows none."""
        if not (self.holds("aois") and self.holds("aoi_scores")):
            return False
        return self.facts.get("recipe", {}).get("aois", "none") != "none" or len(self.areas) > 0

    def holds(self, table: str) -> bool:
        """Tell whether the run has a table."""
        return self._file(table).is_file()

    def identity(self) -> dict[str, str]:
        """Return what the run is, in words."""
        facts = {name: str(self.facts.get(name, "unknown")) for name in ("mediaan", "created_at", "device")}
        return {"run": str(self.path)} | facts

    def _needed(self, table: str, columns: Sequence[str], optional: Sequence[str] = ()) -> pd.DataFrame:
        """Read columns, and of others those that there are."""
        file = self._file(table)
        try:
            there = pq.read_schema(file).names
            if lacking := [name for name in columns if name not in there]:
                raise UsageError(
                    f"{file}: has no column {lacking[0]}; mediaan {self.facts.get('mediaan', '(unknown)')} made this "
                    "run, and its tables cannot be compared with current ones: analyze the files again",
                    code="old_run",
                )
            return pd.read_parquet(file, columns=[*columns, *(name for name in optional if name in there)])
        except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
            raise UsageError(f"{file}: cannot be read ({error}); run the analysis again", code="no_run") from error

    def _bounded(self, table: str, columns: Sequence[str]) -> pd.DataFrame:
        rows = self._needed(table, columns, _BOUNDS)
        numbers = rows.reindex(columns=[*columns, *_BOUNDS]).astype(dict.fromkeys(("value", *_BOUNDS), np.float64))
        return numbers.drop_duplicates([name for name in columns if name != "value"])

    def _file(self, table: str) -> Path:
        return self.path / "tables" / f"{table}.parquet"


def read_run_tables(run_dir: str | Path) -> RunTables:
    """Open a run, of this version or an older one.

    Raises UsageError: there is no finished run there, or one without the tables media and metrics.
    """
    path = as_path(run_dir, "run")
    try:
        facts = read_metadata(path).facts
    except (OSError, ValueError) as error:
        raise refuse_folder(path, error) from error
    tables = RunTables(path, facts)
    missing = [name for name in ("media", "metrics") if not tables.holds(name)]
    if missing:
        raise UsageError(f"{path}: the run lacks its table {missing[0]}; run the analysis again", code="no_run")
    return tables
