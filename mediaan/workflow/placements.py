"""Place files, results and media of runs: how placements show them, and sheets of previews."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from mediaan.analysis import Execution, MediumOptions, Plan, Recipe, analyze_file, load_models
from mediaan.analysis.options import Device
from mediaan.analysis.plan import DISPLAY_VIEW
from mediaan.config.objectives.objective import read_brand
from mediaan.config.placements import all_placements, load_placements, stored_placements
from mediaan.errors import UsageError, did_you_mean
from mediaan.media import open_medium
from mediaan.placements.placed import PlacedMedium, findings_by_line, place_medium
from mediaan.placements.preview import draw_preview, preview_sheet
from mediaan.run import Run
from mediaan.saliency.density_storage import TRACK_ARRAYS, DensityTrack
from mediaan.types.aoi import AoiLevel
from mediaan.types.arguments import as_path, check_items
from mediaan.types.arrays import UInt8
from mediaan.types.placement import DEFAULT_PLACEMENTS, Placement
from mediaan.types.result import Result
from mediaan.workflow.rating.placements import placed_media, placements_of, shown_exposure_s


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
    available = all_placements(load_placements(Path(file)) if file is not None else ())
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
    originals = {
        row["medium_id"]: run.path / row["path"] for row in run.maps.to_dict("records") if row["map"] == "original"
    }
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
