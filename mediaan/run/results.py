"""Read the results of a run back, one medium after the other, in memory that does not grow with their number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from PIL import Image

from mediaan.aoi.legibility import with_legibility
from mediaan.judge.verdict import verdict_of
from mediaan.run.tables.reading import Row, RowsInOrder, copied_media, count_media, table_rows
from mediaan.run.tables.rows import (
    MEDIUM_COLUMNS,
    RANGE_COLUMNS,
    ScoredAois,
    fold_of,
    frame_of,
    proposal_of,
    range_of,
    scene_of,
    scores_of,
)
from mediaan.run.tables.schema import MEDIA
from mediaan.saliency.density_storage import read_densities
from mediaan.types.aoi import AOI_TYPES, FOUND_BY, AoiType
from mediaan.types.arrays import UInt8
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.checks import CheckResult, RuleResult
from mediaan.types.densities import Densities
from mediaan.types.media import Medium, Problem
from mediaan.types.placement import PlacementView
from mediaan.types.result import MEASURED_WITH, Failed, Result

if TYPE_CHECKING:
    from mediaan.run.reader import Run

BY_MEDIUM = (
    *("metrics", "drivers", "frames", "scenes", "film", "aois", "aoi_tracks", "aoi_scores", "suggestions", "folds"),
    *("looks", "scanpaths", "maps", "benchmark_ranges", "checks", "placements", "absent_aois", "proposals"),
)
BY_PATH = ("problems", "rule_results")
RESULT_TABLES = (*BY_MEDIUM, *BY_PATH)
"""Tables of which a `Result` consists, beside ``media``."""


def read_outcomes(
    run: Run,
    tables: Collection[str] = RESULT_TABLES,
    *,
    metrics: Collection[str] | None = None,
    media: Collection[str] | None = None,
    densities: bool = False,
) -> Iterator[Result | Failed]:
    """Yield the result or failure of each file of a run, in the order of the table media.

    A result equals the one that the analysis returned, but for `stages`, which a run keeps as sums, and for maps, which
    it keeps as JPEG.

    `tables`: of `RESULT_TABLES`; what the others hold is empty or None. Fewer tables take less time.
    `metrics`: only scores and ranges of these metrics; by default all.
    `media`: only the files with these medium ids or paths; by default all.
    `densities`: whether to read stored densities; without them, `Result.densities` says nothing but the domain.
    """
    by_medium = {
        name: RowsInOrder(run.path, name, metrics=metrics, columns=_COLUMNS.get(name), media=media)
        for name in BY_MEDIUM
        if name in tables
    }
    by_path = {name: RowsInOrder(run.path, name, "path", metrics, media=media) for name in BY_PATH if name in tables}
    copied = copied_media(run.path)
    earlier: dict[str, dict[str, list[Row]]] = {}  # of media with several paths, whose rows stand at the first
    looked_for = types_looked_for(run)
    measured_with = {key: run.facts[key] for key in MEASURED_WITH if key in run.facts}
    chosen = [] if media is None else [(("medium_id", "path"), media)]
    for cells in table_rows(run.path, "media", MEDIA.names, chosen):
        row = dict(zip(MEDIA.names, cells, strict=True))
        medium_id = row["medium_id"]
        of_path = {name: rows.of(row["path"]) for name, rows in by_path.items()}
        if row["status"] != "done":
            yield _failed(row, of_path)
            continue
        rows = earlier.get(medium_id) or {name: table.of(medium_id) for name, table in by_medium.items()}
        if medium_id in copied:
            earlier[medium_id] = rows
        yield _result(run, row, rows | of_path, measured_with, looked_for, densities=densities)
    for table in (*by_medium.values(), *by_path.values()):
        table.finish()


def each_medium(results: Iterable[Result]) -> Iterator[Result]:
    """Yield the first result of each medium: one with several paths has several."""
    seen: set[UUID] = set()
    for result in results:
        if result.medium.medium_id not in seen:
            seen.add(result.medium.medium_id)
            yield result


def analyzed_media(run: Run) -> Iterator[tuple[str, Medium]]:
    """Yield media that were analyzed, each once, with its first path."""
    return ((result.path, result.medium) for result in each_medium(run.results(())))


def _failed(media: Row, of_path: Mapping[str, list[Row]]) -> Failed:
    trace = next((row["message"] for row in of_path.get("problems", ()) if row["severity"] == "error"), None)
    message = media["error_message"]
    return Failed(
        media["path"], media["name"], media["error_code"], message, media["size_bytes"], media["medium_id"],
        None if trace == message else trace,
    )  # fmt: skip


def _result(
    run: Run,
    media: Row,
    rows: Mapping[str, list[Row]],
    measured_with: Mapping[str, Any],
    looked_for: Callable[[frozenset[str]], frozenset[AoiType]],
    *,
    densities: bool,
) -> Result:
    def of(table: str) -> list[Row]:
        return rows.get(table, [])

    path, objective = media["path"], run.metadata.objective(media["path"])
    medium = _medium(media, of("film"))
    files = {row["map"]: run.path / row["path"] for row in of("maps")}
    checks = tuple(CheckResult(**{name: row[name] for name in _CHECK}) for row in of("checks"))
    rules = tuple(RuleResult(**row) for row in of("rule_results"))
    stored, track = _densities(media, files.get("density") if densities else None)
    searched = "aois" in rows and (run.metadata.recipe.aois != "none" or bool(run.metadata.aoi_changes))
    areas = ScoredAois.of(of)
    answered = areas.absent | {aoi.type for aoi in areas.aois if aoi.confirmed}
    result = Result(
        path=path,
        medium=medium,
        scores=tuple(scores_of(of("metrics"), of("drivers"))),
        densities=stored,
        pictures=StoredPictures({name: file for name, file in files.items() if file.suffix == ".jpg"}),
        problems=tuple(Problem(row["code"], row["message"]) for row in of("problems")),
        frames=tuple(map(frame_of, of("frames"))),
        scenes=tuple(map(scene_of, of("scenes"))),
        videos={name: file for name, file in files.items() if file.suffix in _FILMS},
        aois=areas.aois if searched or areas.aois else None,
        series=track,
        measured_with=measured_with,
        stated_domain=media["domain"] if media["domain_stated"] else None,
        checks=checks,
        verdict=verdict_of(checks, rules),
        suggestions=tuple(each for each in areas.suggestions if each.purpose == objective.get("purpose")),
        folds=tuple(map(fold_of, of("folds"))),
        looks=areas.looks,
        objective=objective,
        looked_for=looked_for(frozenset(aoi.source for aoi in areas.aois)) | answered,
        absent=areas.absent,
        proposals=tuple(map(proposal_of, of("proposals"))),
        ranges=tuple(map(range_of, of("benchmark_ranges"))),
        rules=rules,
        placements=tuple(PlacementView(**{name: row[name] for name in _PLACED}) for row in of("placements")),
        **{name: media[name] for name in _OF_MEDIUM},
    )
    if result.aois and "folds" in rows:  # the objective may have changed since they were detected
        result = replace(result, aois=with_legibility(result.aois, medium, result.platform))
    return result


def _medium(media: Row, film: Sequence[Row]) -> Medium:
    frame_rate = media["frame_rate"]
    return Medium(
        medium_id=UUID(media["medium_id"]),
        kind=media["type"],
        frame_rate=None if frame_rate is None else Fraction(frame_rate).limit_denominator(100_000),
        has_audio=film[0]["has_audio"] if film else None,
        **{name: media[name] for name in MEDIUM_COLUMNS},
    )


def _densities(media: Row, file: Path | None) -> tuple[Densities, Mapping[str, Any]]:
    if file is not None:
        densities, track = read_densities(file)
        return densities, {} if track is None else track.arrays()
    probability = 1.0 if media["domain_stated"] else media["domain_probability"]
    return Densities({}, domains=None if media["domain"] is None else {media["domain"]: probability}), {}


class StoredPictures(Mapping[str, UInt8]):
    """Maps of a run by name, each read when it is asked for: (H, W, 3) uint8, sRGB."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self.files = files

    def __getitem__(self, name: str) -> UInt8:
        with Image.open(self.files[name]) as image:
            return np.asarray(image.convert("RGB"), np.uint8)

    def __contains__(self, name: object) -> bool:
        return name in self.files  # without reading it

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


_CHECK = [field.name for field in fields(CheckResult)]
_PLACED = [field.name for field in fields(PlacementView)]
_COLUMNS = {"benchmark_ranges": RANGE_COLUMNS}
_OF_MEDIUM = ("size_bytes", "share_read", "novelty", "brand_found", "brand_attention")
_FILMS = (".mp4", ".webp", ".webm")


def read_ranges(run_dir: Path) -> Iterator[BenchmarkRange]:
    """Yield the benchmark ranges of a run, in the order of the table."""
    for cells in table_rows(run_dir, "benchmark_ranges", RANGE_COLUMNS):
        yield range_of(dict(zip(RANGE_COLUMNS, cells, strict=True)))


def types_looked_for(run: Run) -> Callable[[frozenset[str]], frozenset[AoiType]]:
    """Return which types of areas were looked for in a medium, by the sources of its areas.

    Where somebody drew areas, all types count as looked for. A later search may not have covered every file: unless it
    did, it counts only where something was detected.
    """
    everywhere = FOUND_BY[run.metadata.recipe.aois]
    somewhere: frozenset[AoiType] = frozenset()
    changes = run.metadata.aoi_changes
    media = count_media(run.path) if changes else 0
    for change in changes:
        types = FOUND_BY.get(change.get("detected", "none"), frozenset())
        if change["media"] >= media:
            everywhere |= types
        somewhere |= types

    def looked_for(sources: frozenset[str]) -> frozenset[AoiType]:
        if "drawn" in sources:
            return frozenset(AOI_TYPES)
        return everywhere | somewhere if "detected" in sources else everywhere

    return looked_for
