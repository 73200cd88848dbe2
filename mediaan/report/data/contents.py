"""Read what a run directory holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from mediaan.errors import UsageError
from mediaan.report.data.benchmark_ranges import RangeEncoder
from mediaan.report.data.entries import MediumEntry, read_entries
from mediaan.report.data.scan import check_tables
from mediaan.report.data.selection import Selection
from mediaan.run.metadata import read_metadata
from mediaan.run.reader import Run
from mediaan.types.metrics import MetricSpec


@dataclass(frozen=True, slots=True)
class MapDescription:
    """A kind of map; `scale` explains its colours or its veil."""

    name: str
    title: str
    caption: str
    scale: str


@dataclass(frozen=True, slots=True)
class RunDescription:
    """A run, with what its `run.json` says of metrics and maps."""

    run: Run
    specs: tuple[MetricSpec, ...]
    area_specs: tuple[MetricSpec, ...]
    """specs, area_specs: Of scores of media and of areas."""
    map_specs: tuple[MapDescription, ...]

    @property
    def facts(self) -> Mapping[str, Any]:
        """Contents of `run.json`."""
        return self.run.facts

    @property
    def run_dir(self) -> Path:
        """The run directory."""
        return self.run.path


@dataclass(frozen=True, slots=True)
class RunContents(RunDescription):
    """What a page shows of a run."""

    entries: list[MediumEntry]
    encoder: RangeEncoder
    """Holds what encoded ranges have in common."""
    selection: Selection | None = None
    """The media whose entries these are; None: all."""


_NEEDED = ("mediaan", "created_at", "device", "recipe", "recipe_id", "models", "counts", "seconds", "objectives")


def read_description(run_dir: Path) -> RunDescription:
    """Read `run.json`.

    Raises UsageError: as `read_contents`.
    """
    path = run_dir / "run.json"
    try:
        metadata = read_metadata(run_dir)
        for key in _NEEDED:
            metadata.facts[key]
        return RunDescription(
            Run(run_dir, metadata),
            tuple(_from_row(MetricSpec, item) for item in metadata.facts["metrics"]),
            tuple(_from_row(MetricSpec, item) for item in metadata.aoi_metrics),
            tuple(_from_row(MapDescription, item) for item in metadata.facts["maps"]),
        )
    except FileNotFoundError as error:
        raise UsageError(f"{run_dir} holds no run (no run.json); give the --out directory of a run.") from error
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path} is not what an analysis writes ({error}); run the analysis again.") from error
    except KeyError as error:
        raise UsageError(f"{path} lacks {error}; run the analysis again with this version.") from error


def read_contents(run_dir: Path, selection: Selection | None = None) -> RunContents:
    """Read a finished run.

    `run_dir`: directory with `run.json` and `tables/*.parquet`.
    `selection`: the media to read of; all of them if not given.
    Raises UsageError: when there is no run, or it is not one that this version can show.
    """
    description = read_description(run_dir)
    check_tables(run_dir)
    encoder = RangeEncoder()
    entries = read_entries(description.run, encoder, selection)
    names = {spec.name for spec in description.specs}
    if unknown := {metric for entry in entries for metric in entry.scores} - names:
        listed = ", ".join(sorted(unknown))
        raise UsageError(f"{run_dir / 'run.json'} does not say what {listed} means; run the analysis again.")
    facts = {field.name: getattr(description, field.name) for field in fields(RunDescription)}
    return RunContents(**facts, entries=entries, encoder=encoder, selection=selection)


def _from_row(kind: type, row: Mapping[str, Any]) -> Any:
    """Make a dataclass of the keys that it has fields for; what earlier versions did not write keeps its default."""
    names = [field.name for field in fields(kind) if field.default is MISSING or field.name in row]
    return kind(**{name: row[name] for name in names})
