"""Write the table of how placements show the media of a finished run."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mediaan.analysis import Plan
from mediaan.config.placements import stored_placements
from mediaan.placements.fit import Visibility
from mediaan.placements.placed import PlacedArea, PlacedMedium, place_medium
from mediaan.run import Run
from mediaan.run.tables.reading import RowsInOrder, done_media
from mediaan.run.tables.writing import replace_table
from mediaan.saliency.density_storage import DensityTrack, read_densities
from mediaan.storage.base import Storage
from mediaan.types.densities import Densities
from mediaan.types.placement import DEFAULT_PLACEMENTS, Placement

PlacementRow = dict[str, Any]


def placements_of(objective: Mapping[str, Any], available: Mapping[str, Placement]) -> tuple[Placement, ...]:
    """Return the placements that an objective states, or that of its platform alone, where it has one.

    >>> from mediaan.types.placement import BUILT_IN_PLACEMENTS as known
    >>> [one.name for one in placements_of({"platform": "tiktok"}, known)], placements_of({}, known)
    (['tiktok_feed'], ())
    """
    stated = objective.get("placement")
    names = DEFAULT_PLACEMENTS.get(objective.get("platform") or "") if stated is None else stated
    listed = [names] if isinstance(names, str) else names or []
    return tuple(available[name] for name in listed if name in available)


def refresh_placements(run: Run, storage: Storage | None = None) -> None:
    """Write the table `placements` of a run from its areas, densities and objectives; no medium is looked at again.

    `storage`: where the run's maps lie, if not in its folder.
    """
    available = stored_placements(run.facts)
    placed = any(placements_of(run.metadata.objective(path), available) for path, *_ in done_media(run.path))
    file = run.path / "tables" / "placements.parquet"
    if placed or file.is_file():
        replace_table(run.path, "placements", placement_rows(run, available, storage))


def placement_rows(
    run: Run, available: Mapping[str, Placement], storage: Storage | None = None
) -> Iterator[PlacementRow]:
    """Yield, for each medium once and each of its placements, a row of the whole file and one of each of its areas."""
    for _, medium_id, placed in placed_media(run, lambda objective: placements_of(objective, available), storage):
        for fitted in placed:
            yield {"medium_id": medium_id, "placement": fitted.placement.name, **_whole_row(fitted)}
            for area in fitted.areas:
                yield {"medium_id": medium_id, "placement": fitted.placement.name, **_area_row(fitted, area)}


def placed_media(
    run: Run,
    choose: Callable[[Mapping[str, Any]], Sequence[Placement]],
    storage: Storage | None = None,
) -> Iterator[tuple[str, str, tuple[PlacedMedium, ...]]]:
    """Yield each medium of a run that has placements, with how they show it.

    `choose`: placements of a medium from its objective.
    `storage`: where the run's maps lie, if not in its folder.
    Yields (str, str, tuple of PlacedMedium): first path of the medium, its id, and it in each placement.
    """
    recipe = run.metadata.recipe
    model, intervals = Plan(calibration=recipe.calibration).seen, recipe.intervals == "full"
    seen: set[str] = set()
    maps = RowsInOrder(run.path, "maps")
    for result in run.results(("aois", "aoi_tracks")):
        medium_id = str(result.medium.medium_id)
        if medium_id in seen:
            continue
        seen.add(medium_id)
        files = {row["map"]: row["path"] for row in maps.of(medium_id)}
        placements = choose(result.objective)
        if not placements:
            continue
        densities, track = _densities(run, files.get("density"), storage)
        placed = tuple(
            place_medium(
                replace(result.medium, name=result.path), placement, result.aois or (), densities, track,
                exposure_s=shown_exposure_s(result.objective, placement, recipe.exposure_s),
                model=model, intervals=intervals,
            )
            for placement in placements
        )  # fmt: skip
        yield result.path, medium_id, placed


def shown_exposure_s(objective: Mapping[str, Any], placement: Placement, usual_s: float) -> float:
    """Return how long an image is looked at in a placement, s: as stated, else as usual there, else as usual."""
    stated = objective.get("exposure_s")
    return float(stated if stated is not None else placement.exposure_s or usual_s)


def _densities(run: Run, path: str | None, storage: Storage | None) -> tuple[Densities | None, DensityTrack | None]:
    if path is None:
        return None, None
    if storage is not None:
        return read_densities(io.BytesIO(storage.read(path)))
    file = run.path / Path(path)
    return read_densities(file) if file.is_file() else (None, None)


def _whole_row(placed: PlacedMedium) -> PlacementRow:
    css_px, (width_mm, height_mm) = placed.fitted.shown_css_px, placed.fitted.shown_mm
    return {
        **_hidden(placed.whole),
        "shown_width_px": None if css_px is None else css_px[0],
        "shown_height_px": None if css_px is None else css_px[1],
        "shown_width_mm": width_mm,
        "shown_height_mm": height_mm,
        "shown_width_deg": placed.placement.degrees(width_mm),
        "exposure_s": placed.exposure_s,
    }


def _area_row(placed: PlacedMedium, area: PlacedArea) -> PlacementRow:
    text = {} if area.text is None else area.text._asdict()
    scores: dict[str, Any] = {}
    for name in ("attention", "percentage_seen"):
        score = area.scores.get(name)
        scores |= {name: score and score.value, f"{name}_lo": score and score.lo, f"{name}_hi": score and score.hi}
    for name in ("time_spent", "first_seen_s"):
        score = area.scores.get(name)
        scores[name] = score and score.value
    return {
        "aoi_id": str(area.aoi.aoi_id),
        "aoi_type": area.aoi.type,
        **_hidden(area.visibility),
        **text,
        "exposure_s": placed.exposure_s,
        **scores,
        "reason": placed.reason,
    }


def _hidden(seen: Visibility) -> PlacementRow:
    zones: Sequence[tuple[str, float]] = seen.by_zone
    return {
        "cropped": round(100 * seen.cropped, 6),
        "covered": round(100 * seen.covered, 6),
        "covered_by": [name for name, _ in zones],
        "covered_by_pct": [round(100 * share, 6) for _, share in zones],
        "worst_s": seen.worst_s,
        "hidden_time": None if seen.hidden_time is None else 100 * seen.hidden_time,
    }
