"""Place files, results and media of runs: how placements show them, as findings, tables and sheets of previews."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from mediaan.analysis import Execution, MediumOptions, Plan, Recipe, analyze_file, load_models
from mediaan.analysis.options import Device
from mediaan.analysis.plan import DISPLAY_VIEW
from mediaan.config.brand import read_brand
from mediaan.config.placements import all_placements, load_placements, stored_placements
from mediaan.errors import UsageError, did_you_mean
from mediaan.media import open_medium
from mediaan.placements.fit import Visibility
from mediaan.placements.placed import PlacedArea, PlacedMedium, findings_by_line, place_medium
from mediaan.placements.preview import draw_preview, preview_sheet
from mediaan.run import Run
from mediaan.run.changes import original_pictures
from mediaan.run.results import each_medium
from mediaan.run.tables.reading import RowsInOrder, done_media
from mediaan.run.tables.writing import replace_table
from mediaan.saliency.density_storage import TRACK_ARRAYS, DensityTrack, read_densities
from mediaan.storage.base import Storage
from mediaan.types.aoi import AoiLevel
from mediaan.types.arguments import as_path, check_items
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities
from mediaan.types.placement import DEFAULT_PLACEMENTS, Placement
from mediaan.types.result import Result

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
    model = Plan(calibration=recipe.calibration).seen
    maps = RowsInOrder(run.path, "maps")
    for result in each_medium(run.results(("aois", "aoi_tracks"))):
        medium_id = str(result.medium.medium_id)
        files = {row["map"]: row["path"] for row in maps.of(medium_id)}
        placements = choose(result.objective)
        if not placements:
            continue
        densities, track = _densities(run, files.get("density"), storage)
        placed = tuple(
            place_medium(
                replace(result.medium, name=result.path), placement, result.aois or (), densities, track,
                exposure_s=shown_exposure_s(result.objective, placement, recipe.exposure_s),
                model=model,
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


class PlacedFile(NamedTuple):
    """A file in its placements."""

    path: str
    """As shown to the user."""
    placed: tuple[PlacedMedium, ...]
    picture: UInt8 | None
    """(H, W, 3) uint8 or None: The file, or a frame of it; None where there is none."""
    at_s: float | None = None
    """Time of that frame, s; None where it is not known."""


def find_placements(
    names: Iterable[str | Placement], platform: str | None = None, file: str | Path | None = None
) -> tuple[Placement, ...]:
    """Find placements by name.

    `platform`: adds the placement that this platform alone stands for.
    `file`: YAML or TOML file with placements of the user's own.
    Raises UsageError: an unknown name (``unknown_placement``), a platform without a usual placement, or a file that is
        wrong.

    >>> [placement.title for placement in find_placements(["instagram_story"], platform="tiktok")]
    ['Instagram story', 'TikTok feed']
    """
    available = listed_placements(file)
    chosen: dict[str, Placement] = {}
    for name in names:
        if isinstance(name, Placement):
            chosen[name.name] = name
            continue
        if name not in available:
            near = did_you_mean(name, list(available)) or "; `mediaan place --list` shows all"
            raise UsageError(f"{name!r} is no known placement{near}", code="unknown_placement")
        chosen[name] = available[name]
    if platform is not None:
        if platform not in DEFAULT_PLACEMENTS:
            having = ", ".join(DEFAULT_PLACEMENTS)
            raise UsageError(
                f"{platform!r} has no usual placement; name one with --as, or one of {having}", code="unknown_placement"
            )
        usual = DEFAULT_PLACEMENTS[platform]
        chosen[usual] = available[usual]
    return tuple(chosen.values())


def place(
    medium: str | Path | Result,
    placements: str | Placement | Sequence[str | Placement],
    *,
    own: str | Path | None = None,
    exposure_s: float | None = None,
    aois: AoiLevel = "all",
    brand: str | None = None,
    device: Device = "auto",
) -> tuple[PlacedMedium, ...]:
    """Look how placements show an image, a video or an animation.

    Parameters
    ----------
    medium : str, Path or Result
        A file, which is analyzed first, or a result of `mediaan.analyze`. A result of a video holds no densities over
        time, so that it gets no scores as shown; give the file.
    placements : str, Placement, or sequence of them
        Such as ``["instagram_story", "leaderboard"]``; `mediaan place --list` shows all.
    own : path, optional
        YAML or TOML file with placements of your own.
    exposure_s : float, optional
        How long an image is looked at, s; by default as is usual in each placement.
    aois : {'none', 'text', 'objects', 'all'}
        Which areas to look for in a file.
    brand : str, optional
        Brand to look for in a file.
    device : {'auto', 'cpu', 'cuda'}

    Returns
    -------
    tuple of PlacedMedium
        One for each placement: ``.findings``, ``.areas``, ``.whole``, ``.to_dict()``.

    Raises
    ------
    MediumError
        The file is bad.
    UsageError
        No such placement, or a file of placements that is wrong.

    Examples
    --------
    >>> import mediaan as mn
    >>> (story,) = mn.place("ad.png", "instagram_story")  # doctest: +SKIP
    >>> story.findings  # doctest: +SKIP
    ('call to action “Shop now”: 73 % covered by reply and button',)
    """
    several = [placements] if isinstance(placements, (str, Placement)) else placements
    wanted = find_placements(check_items(several, (str, Placement), "placements"), file=own)
    result = medium if isinstance(medium, Result) else analyzed(as_path(medium, "medium"), aois, brand, device)
    return placed_result(result, wanted, exposure_s)


def analyzed(path: Path, aois: AoiLevel = "all", brand: str | None = None, device: Device = "auto") -> Result:
    """Analyze a file as far as placements need it: areas and densities, over time of what moves.

    Raises MediumError: the file is bad.
    """
    plan = Plan.of(Recipe(aois=aois, advice="none"), Execution(device=device))
    models = load_models(*plan.models)
    options = MediumOptions(brand=None if brand is None else read_brand(brand))
    return analyze_file(path, plan, models, options=options)


def placed_result(
    result: Result, placements: Sequence[Placement], exposure_s: float | None = None
) -> tuple[PlacedMedium, ...]:
    """Look how placements show an analyzed medium."""
    moves = result.medium.kind != "image"
    track = DensityTrack.of_arrays(result.series) if set(TRACK_ARRAYS) <= set(result.series) else None
    densities = None if moves and track is None else result.densities
    usual_s = Recipe().exposure_s
    return tuple(
        place_medium(
            result.medium,
            placement,
            result.aois or (),
            densities,
            track,
            exposure_s=shown_exposure_s({} if exposure_s is None else {"exposure_s": exposure_s}, placement, usual_s),
        )
        for placement in placements
    )


def place_run(run: Run, placements: Sequence[Placement] = ()) -> Iterator[PlacedFile]:
    """Look how placements show the media of a run; no medium is analyzed again.

    `placements`: by default those of each medium's objective; media without any are left out.
    """
    available = stored_placements(run.facts)
    originals = original_pictures(run)
    for path, medium_id, placed in placed_media(
        run, lambda objective: tuple(placements) or placements_of(objective, available)
    ):
        file = originals.get(medium_id)
        picture = None
        if file is not None and file.is_file():
            with Image.open(file) as image:
                picture = np.asarray(image.convert("RGB"), np.uint8)
        yield PlacedFile(path, placed, picture)


def shown_picture(path: Path, at_s: float | None = None) -> UInt8:
    """Decode a file for previews, (H, W, 3) uint8: an image, or the frame of a video at a moment, s."""
    with open_medium(path, (DISPLAY_VIEW,)) as source:
        shown: UInt8 | None = None
        for chunk in source.chunks():
            for t_s, _, _, _, views in chunk.samples():
                if shown is not None and t_s > (at_s or 0.0) + 1e-3:
                    return shown
                shown = views[DISPLAY_VIEW.name]
    assert shown is not None
    return shown


def placement_sheet(path: str, placed: Sequence[PlacedMedium], picture: UInt8, at_s: float | None = None) -> UInt8:
    """Draw a medium in each of its placements on one sheet, with what was found.

    Parameters
    ----------
    path : str
        Title of the sheet.
    placed : sequence of PlacedMedium
    picture : (H, W, 3) uint8
        The file, or a frame of it.
    at_s : float, optional
        Time of that frame, s; areas that move are outlined only where it is known.

    Returns
    -------
    (H, W, 3) uint8
    """
    previews = [
        (
            placed_medium.placement.title,
            draw_preview(picture, placed_medium.fitted, placed_medium.marks_at(at_s)),
            list(findings_by_line(placed_medium)),
        )
        for placed_medium in placed
    ]
    return preview_sheet(Path(path).name, previews)


def listed_placements(file: str | Path | None = None) -> Mapping[str, Placement]:
    """Return all placements by name, those of a file of the user's own with them."""
    return all_placements(load_placements(Path(file)) if file is not None else ())
