"""Read what a run directory holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa

from mediaan.errors import UsageError
from mediaan.report.data.scan import collect, scan
from mediaan.report.data.selection import Selection
from mediaan.run.tables.schema import TABLES
from mediaan.types.metrics import MetricSpec

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MapDescription:
    """What a kind of map shows; `scale` says in words what its colours or its veil stand for."""

    name: str
    title: str
    caption: str
    scale: str


@dataclass(frozen=True, slots=True)
class RunContents:
    """`run.json` and the rows of the tables of a run; cells are None where the table is null.

    The frames, tracks and ranges stay tables: a run can hold millions of them.

    Attributes
    ----------
    selection : Selection or None
        The media whose rows these are; None: all.
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
    maps: list[Row]
    problems: list[Row]
    benchmark_ranges: pa.Table
    rule_results: list[Row]
    checks: list[Row]
    selection: Selection | None = None


@dataclass(frozen=True, slots=True)
class RunDescription:
    """`run.json`, with what it says of metrics and maps."""

    run: Mapping[str, Any]
    specs: tuple[MetricSpec, ...]
    map_specs: tuple[MapDescription, ...]


def read_description(run_dir: Path) -> RunDescription:
    """Read what a run says of itself.

    Raises
    ------
    UsageError
        As `read_contents`.
    """
    run = _read_json(run_dir / "run.json")
    try:
        specs = tuple(_pick(MetricSpec, item) for item in run["metrics"])
        return RunDescription(run, specs, tuple(_pick(MapDescription, item) for item in run["maps"]))
    except KeyError as error:
        raise UsageError(f"{run_dir / 'run.json'} lacks {error}; run the analysis again with this version.") from error


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
    said = read_description(run_dir)
    large = {name: _read_table(run_dir, name, selection) for name in ("frames", "aoi_tracks", "benchmark_ranges")}
    shown = [name for name in TABLES if name not in large and name != "screen_times"]
    rows = {name: _read_table(run_dir, name, selection).to_pylist() for name in shown}
    _check_described(rows["metrics"], said.specs, run_dir)
    return RunContents(run_dir, said.run, said.specs, said.map_specs, **large, **rows, selection=selection)


def _read_json(path: Path) -> Mapping[str, Any]:
    try:
        run: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"{path.parent} holds no run (no run.json); give the --out directory of a run.") from error
    except ValueError as error:
        raise UsageError(f"{path} is not valid JSON ({error}); run the analysis again.") from error
    return run


def _pick(kind: type, item: Row) -> Any:
    return kind(**{field.name: item[field.name] for field in fields(kind)})


def _read_table(run_dir: Path, name: str, selection: Selection | None) -> pa.Table:
    batches = scan(run_dir, name)
    return collect(map(selection.of, batches) if selection else batches, name)


def _check_described(metrics: list[Row], specs: tuple[MetricSpec, ...], run_dir: Path) -> None:
    unknown = {row["metric"] for row in metrics} - {spec.name for spec in specs}
    if unknown:
        names = ", ".join(sorted(unknown))
        raise UsageError(f"{run_dir / 'run.json'} does not say what {names} means; run the analysis again.")
