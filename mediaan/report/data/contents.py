"""Read what a run directory holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import pyarrow as pa

from mediaan.errors import UsageError
from mediaan.report.data.scan import collect, scan
from mediaan.report.data.selection import Selection
from mediaan.run.metadata import read_metadata
from mediaan.run.tables.schema import TABLES
from mediaan.types.metrics import MetricSpec

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MapDescription:
    """A kind of map; `scale` says in words what its colours or its veil stand for."""

    name: str
    title: str
    caption: str
    scale: str


@dataclass(frozen=True, slots=True)
class RunContents:
    """`run.json` and the rows of the tables of a run; cells are None where the table is null.

    The frames, tracks and ranges stay tables: a run can hold millions of them.
    """

    run_dir: Path
    run: Mapping[str, Any]
    specs: tuple[MetricSpec, ...]
    map_specs: tuple[MapDescription, ...]
    media: list[Row]
    metrics: list[Row]
    drivers: list[Row]
    frames: pa.Table
    scenes: list[Row]
    aois: list[Row]
    aoi_tracks: pa.Table
    aoi_scores: list[Row]
    suggestions: list[Row]
    folds: list[Row]
    looks: list[Row]
    scanpaths: list[Row]
    maps: list[Row]
    problems: list[Row]
    benchmark_ranges: pa.Table
    rule_results: list[Row]
    checks: list[Row]
    film: list[Row]
    placements: list[Row] = field(default_factory=list)
    selection: Selection | None = None
    """The media whose rows these are; None: all."""


@dataclass(frozen=True, slots=True)
class RunDescription:
    """`run.json`, with what it says of metrics and maps."""

    run: Mapping[str, Any]
    specs: tuple[MetricSpec, ...]
    map_specs: tuple[MapDescription, ...]


_NEEDED = ("mediaan", "created_at", "device", "recipe", "recipe_id", "models", "counts", "seconds", "objectives")


def read_description(run_dir: Path) -> RunDescription:
    """Read `run.json`.

    Raises
    ------
    UsageError
        As `read_contents`.
    """
    path = run_dir / "run.json"
    try:
        run: Mapping[str, Any] = read_metadata(run_dir).facts
        for key in _NEEDED:
            run[key]
        specs = tuple(_from_row(MetricSpec, item) for item in run["metrics"])
        return RunDescription(run, specs, tuple(_from_row(MapDescription, item) for item in run["maps"]))
    except FileNotFoundError as error:
        raise UsageError(f"{run_dir} holds no run (no run.json); give the --out directory of a run.") from error
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path} is not what an analysis writes ({error}); run the analysis again.") from error
    except KeyError as error:
        raise UsageError(f"{path} lacks {error}; run the analysis again with this version.") from error


def read_contents(run_dir: Path, selection: Selection | None = None) -> RunContents:
    """Read a finished run.

    Parameters
    ----------
    run_dir : Path
        Directory with `run.json` and `tables/*.parquet`.
    selection : Selection, optional
        The media to read of; all of them if not given.

    Raises
    ------
    UsageError
        When there is no run, or it is not one that this version can show.
    """
    description = read_description(run_dir)
    tables = {}
    for name in TABLES:
        if name != "screen_times":
            batches = scan(run_dir, name)
            tables[name] = collect(map(selection.filter, batches) if selection else batches, name)
    large = {name: tables.pop(name) for name in ("frames", "aoi_tracks", "benchmark_ranges")}
    rows = {name: table.to_pylist() for name, table in tables.items()}
    if unknown := {row["metric"] for row in rows["metrics"]} - {spec.name for spec in description.specs}:
        names = ", ".join(sorted(unknown))
        raise UsageError(f"{run_dir / 'run.json'} does not say what {names} means; run the analysis again.")
    return RunContents(
        run_dir, description.run, description.specs, description.map_specs, **large, **rows, selection=selection
    )


def _from_row(kind: type, row: Row) -> Any:
    """Make a dataclass of the keys of a row that it knows; what earlier versions did not write is as by default."""
    known = [field.name for field in fields(kind) if field.default is MISSING or field.name in row]
    return kind(**{name: row[name] for name in known})
