"""Edit an image, compare its scores before and after, and write both to a folder with one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import numpy as np

from mediaan.advice.elements import lost_elements
from mediaan.analysis import Execution, MediumOptions, Plan, Recipe, load_models
from mediaan.analysis.aoi_detection import AoiDetector
from mediaan.analysis.differences import analyze_array, score_augmented, score_changes
from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.editing import MIN_EVENNESS, AnnotatedImage, apply_edit, contained_areas, covered_share
from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.aoi.region import attention_share
from mediaan.aoi.scoring.specs import AOI_METRICS, AVAILABILITY
from mediaan.config.aoi_formats.reading import load_aois
from mediaan.config.aoi_formats.record import parse_aoi_type
from mediaan.config.brand import read_brand
from mediaan.errors import UsageError
from mediaan.maps import heatmap
from mediaan.maps.heatmap import difference_map
from mediaan.media import is_moving, open_image
from mediaan.metrics import metric_specs
from mediaan.report.web.environment import picture_uri
from mediaan.run import read_run
from mediaan.run.metadata import RUN_FILE
from mediaan.studies.page import render_study, write_study
from mediaan.types.aoi import AOI_LEVELS, Aoi, AoiLevel, AoiType, Box, Brand
from mediaan.types.arguments import as_path, check_items
from mediaan.types.arrays import UInt8
from mediaan.types.edits import Edit, WhatIf
from mediaan.types.media import Medium, Problem, Purpose
from mediaan.workflow.options import read_options

_LEAST_ID = 4
_MOST_LISTED = 20


def find_aoi(name: str, aois: Sequence[Aoi], attention: Mapping[UUID, float], medium_id: UUID) -> Aoi:
    """Find the area that a user names.

    `name`: a box ``x0,y0,x1,y1`` in unit coordinates; a type, or what other tools call it (``logo``, ``headline``), if
        there is one of it, or ``TYPE:N`` for the Nth by attention; a label, or the beginning of only one; an id, or its
        beginning, at least 4 characters.
    `attention`: share of attention of each.
    `medium_id`: of the picture, from which the id of a box is made.
    Returns: one of `aois`, or a new one of type other for a box.
    Raises UsageError: no area is called so, or several are; the message lists what there is.

    >>> logo = Aoi(UUID(int=0xAB << 120), "branding", "Acme", Box(0, 0, 0.2, 0.1), None, "drawn")
    >>> names = ("branding", "logo:1", "acme", "ab00")
    >>> [find_aoi(name, [logo], {logo.aoi_id: 0.3}, UUID(int=1)) is logo for name in names]
    [True, True, True, True]
    """
    box = _box(name)
    if box is not None:
        return Aoi(uuid5(medium_id, f"box {name}"), "other", name, box, None, "drawn")
    ranked = sorted(aois, key=lambda aoi: -attention[aoi.aoi_id])
    listed = describe_aois(ranked, attention)
    word, _, number = name.partition(":")
    kind = parse_aoi_type(word)
    is_type = kind != "other" or word.strip().lower() == "other"
    if is_type and (not number or number.strip().isdecimal()):
        matches = [aoi for aoi in ranked if aoi.type == kind]
        if number:
            if not 1 <= int(number) <= len(matches):
                message = f"{name}: there are {len(matches)} areas of type {kind}; {listed}"
                raise UsageError(message, code="unknown_aoi")
            return matches[int(number) - 1]
    else:
        word = name.strip().casefold()
        ways = (
            [aoi for aoi in ranked if aoi.label.casefold() == word],
            [aoi for aoi in ranked if len(word) >= _LEAST_ID and str(aoi.aoi_id).startswith(word)],
            [aoi for aoi in ranked if word and aoi.label.casefold().startswith(word)],
        )
        matches = next((areas for areas in ways if areas), [])
    if not matches:
        raise UsageError(f"no area is called {name!r}; {listed}", code="unknown_aoi")
    if len(matches) > 1:
        message = f"{name!r} could be any of {len(matches)} areas; write TYPE:N or the id of one; {listed}"
        raise UsageError(message, code="unknown_aoi")
    return matches[0]


def describe_aois(ranked: Sequence[Aoi], attention: Mapping[UUID, float]) -> str:
    """List the areas, the most attended first, one a line."""
    if not ranked:
        return "the image has no areas; name a box x0,y0,x1,y1 with values from 0 to 1, or give --aois FILE"
    counts: dict[AoiType, int] = {}
    lines = ["areas, the most attended first (name, id, attention, box, label):"]
    for aoi in ranked[:_MOST_LISTED]:
        counts[aoi.type] = counts.get(aoi.type, 0) + 1
        share, box = 100 * attention[aoi.aoi_id], ",".join(f"{side:.2f}" for side in aoi.box)
        label = repr(aoi.label) if aoi.label else "no label"
        lines.append(f"  {f'{aoi.type}:{counts[aoi.type]}':<18} {str(aoi.aoi_id)[:8]}  {share:5.1f} %  {box}  {label}")
    if len(ranked) > _MOST_LISTED:
        lines.append(f"  and {len(ranked) - _MOST_LISTED} more")
    return "\n".join(lines)


def _box(name: str) -> Box | None:
    """Read a box; None for what is not written as four numbers."""
    parts = name.split(",")
    if len(parts) != 4:
        return None
    try:
        box = Box(*(float(part) for part in parts))
    except ValueError:
        return None
    if not (0 <= box.x0 < box.x1 <= 1 and 0 <= box.y0 < box.y1 <= 1):
        message = f"{name}: a box is x0,y0,x1,y1 in unit coordinates, 0-1 from the top-left corner, x0 < x1 and y0 < y1"
        raise UsageError(message, code="unknown_aoi")
    return box


_USED = ("model", "detector", "max_megapixels", "domain", "device", "threads")

_HIDDEN = 0.25
"""Share of an area from which on it is told that something now covers it."""


@dataclass(frozen=True, slots=True)
class EditableImage:
    """A picture that can be edited, its areas, and how it is looked at."""

    path: str
    medium: Medium
    rgb: UInt8
    """(H, W, 3) uint8. At most 1024 px on the long side."""
    aois: tuple[Aoi, ...]
    attention: dict[UUID, float]
    """Share of attention of each area, 0-1."""
    problems: tuple[Problem, ...]
    plan: Plan
    models: Models
    purpose: Purpose | None = None

    def ranked(self) -> list[Aoi]:
        """Return the areas, the most attended first."""
        return sorted(self.aois, key=lambda aoi: -self.attention[aoi.aoi_id])

    def list_of_aois(self) -> str:
        """List the areas that can be named, the most attended first, one a line."""
        return describe_aois(self.ranked(), self.attention)

    def to_dict(self) -> dict[str, Any]:
        """Return the areas that can be named as plain numbers and strings, ready for JSON."""
        listed = [
            {
                "aoi_id": str(aoi.aoi_id),
                "type": aoi.type,
                "label": aoi.label,
                "box": list(aoi.box),
                "attention": 100 * self.attention[aoi.aoi_id],
            }
            for aoi in self.ranked()
        ]
        return {"path": self.path, "medium_id": str(self.medium.medium_id), "aois": listed}


def whatif(
    path: str | Path,
    edits: Sequence[Edit],
    recipe: Recipe | None = None,
    execution: Execution | None = None,
    *,
    aois: AoiLevel | str | Path = "all",
    brand: str | Brand | Mapping[str, Any] | None = None,
    purpose: Purpose | None = None,
    **options: Any,
) -> WhatIf:
    """Edit a picture and say what that does to its scores and to those of its areas.

    Both pictures are looked at in the same views, and the difference is told with its repeatability. Areas are those of
    the picture before; they follow the edits and are not looked for again.

    Parameters
    ----------
    path : str or Path
        A still picture.
    edits : sequence of Edit
        Carried out in this order; names mean areas as they were before the first.
    aois : {'text', 'objects', 'all', 'none'}, or path
        What to look for, a file of areas as `load_aois` reads it, or the directory of a run that holds the picture; it
        is then looked at for as long as there.
    brand : str, Brand or mapping, optional
        Whose marks to look for; see `analyze`.
    recipe : Recipe, optional
        Of its options, ``model``, ``detector``, ``max_megapixels`` and ``domain``, by default as stated in the run.
    execution : Execution, optional
        Of its options, ``device`` and ``threads``.
    purpose : {'brand_building', 'conversion'}, optional
        What the picture is for, which says what must not be lost; by default as in the run that `aois` names.
    **options
        Fields of the two models by name, over theirs.

    Returns
    -------
    WhatIf

    Raises
    ------
    UsageError
        The medium moves; an area cannot be told by its name; an edit cannot be carried out; no areas of this picture in
        the file or run.
    MediumError
        The file is bad.
    SetupError
        A model or device that cannot be had.

    Examples
    --------
    >>> import mediaan as mn
    >>> w = mn.whatif("ad.png", [mn.Edit("scale", "branding", factor=1.3)])  # doctest: +SKIP
    >>> w["focus"].change, w["focus"].lo, w["focus"].hi, w["focus"].verdict  # doctest: +SKIP
    """
    if not edits:
        raise UsageError("there is no edit to carry out: give at least one", code="bad_edit")
    image = open_editable(path, recipe, execution, aois=aois, brand=brand, purpose=purpose, **options)
    return apply_edits(image, edits)


def open_editable(
    path: str | Path,
    recipe: Recipe | None = None,
    execution: Execution | None = None,
    *,
    aois: AoiLevel | str | Path = "all",
    brand: str | Brand | Mapping[str, Any] | None = None,
    purpose: Purpose | None = None,
    **options: Any,
) -> EditableImage:
    """Open a picture and find its areas; parameters and errors as of `whatif`."""
    path = as_path(path)
    recipe, execution = read_options(recipe, execution, options, used=_USED)
    level: AoiLevel = next((level for level in AOI_LEVELS if level == str(aois)), "none")
    source = None if str(aois) in AOI_LEVELS else as_path(aois, "aois")
    if source is not None and not source.exists():
        message = f"--aois {aois}: no such file or run, and none of {', '.join(AOI_LEVELS)}"
        raise UsageError(message, code="bad_aois")
    domain = recipe.domain
    # intervals are of the change alone
    plan = Plan.of(recipe, execution, aois=level, maps=(), densities=False, advice="none")
    if is_moving(path, plan.limits()):
        message = f"{path.name}: is a video or an animation; only still images can be edited: export a frame of it"
        raise UsageError(message, code="moving_medium")
    opened = open_image(path, [AOI_VIEW], max_megapixels=plan.max_megapixels)
    rgb, models = opened.chunks[0].views[AOI_VIEW.name][0], load_models(*plan.models)
    run = read_run(source) if source is not None and (source / RUN_FILE).is_file() else None
    in_run = None
    if run is not None:
        results = run.results(("aois", "aoi_tracks", "aoi_scores"), media=[str(opened.medium.medium_id)])
        in_run = next(results, None)
        if in_run is None:
            raise UsageError(f"{run.path}: the run has no image with the content of {path.name}", code="bad_aois")
        stated = {"exposure_s": run.exposure_s(in_run.path), "domain": domain or in_run.stated_domain}
        plan = plan.model_copy(update=stated)
        purpose = purpose or in_run.objective.get("purpose")
    densities = analyze_array(rgb, opened.medium, plan.model_copy(update={"scores": False}), models).densities
    medium_options = MediumOptions(None if brand is None else read_brand(brand))
    problems: tuple[Problem, ...] = ()
    if in_run is not None:
        areas = in_run.aois or ()
    elif source is not None:
        file = load_aois(source)
        drawings = file.drawings(opened.medium.name)
        if drawings is None:
            why = "".join(f"; {problem}" for problem in file.problems[:3])
            raise UsageError(f"{source}: has no areas for {opened.medium.name}{why}", code="bad_aois")
        areas, problems = aois_from_drawings(drawings, opened.medium)
        problems += tuple(Problem("aoi_unread", problem) for problem in file.problems)
    else:
        detector = AoiDetector(level, models, medium_options, opened.medium)
        areas, problems = detector.detect_image(rgb if level != "none" else None)
        areas = detector.with_legibility(areas, densities)
    shares = {aoi.aoi_id: attention_share(densities["total"], aoi.box, aoi.polygon) for aoi in areas}
    return EditableImage(
        str(path), opened.medium, rgb, areas, shares, opened.problems + problems, plan, models, purpose
    )


def apply_edits(image: EditableImage, edits: Sequence[Edit]) -> WhatIf:
    """Carry out edits on an image, and compare it before and after."""
    done = tuple(
        (edit, find_aoi(edit.aoi, image.aois, image.attention, image.medium.medium_id))
        for edit in check_items(edits, Edit, "edits")
    )
    areas = tuple({aoi.aoi_id: aoi for aoi in (*image.aois, *(aoi for _, aoi in done))}.values())
    scene, problems = AnnotatedImage(image.rgb, areas), image.problems
    for edit, aoi in done:
        former, scene = scene, apply_edit(scene, edit, aoi.aoi_id)
        if scene.evenness < MIN_EVENNESS:  # what was filled in looks filled in
            message = f"{edit}: the background there is uneven, so the edit leaves traces that can change scores"
            problems += (Problem("uneven_ground", message),)
        if edit.action not in ("scale", "move"):
            continue
        # what the area covers since it was resized or moved, and did not before
        was, now = former.aoi(aoi.aoi_id), scene.aoi(aoi.aoi_id)
        along = {part.aoi_id for part in contained_areas(was, former.aois)}
        for other in scene.aois:
            share = covered_share(other, by=now)
            if other.aoi_id not in along and share >= _HIDDEN and share > covered_share(other, by=was):
                name = f"{other.type} {other.label!r}" if other.label else other.type
                problems += (Problem("covered", f"{edit}: now lies on {100 * share:.0f} % of {name}"),)
    before = score_augmented(image.rgb, image.medium, areas, image.plan, image.models)
    after = score_augmented(scene.rgb, image.medium, scene.aois, image.plan, image.models)
    densities = before.densities["total"], after.densities["total"]
    return WhatIf(
        path=image.path,
        medium=image.medium,
        edits=tuple((edit, aoi.aoi_id) for edit, aoi in done),
        aois=areas,
        aois_after=scene.aois,
        changes=tuple(score_changes(before, after)),
        densities=before.densities,
        densities_after=after.densities,
        pictures={
            "before": image.rgb,
            "after": scene.rgb,
            "before_heat": heatmap(image.rgb, densities[0]),
            "after_heat": heatmap(scene.rgb, densities[1]),
            "difference": difference_map(scene.rgb, densities[0], np.asarray(densities[1])),
        },
        problems=problems + tuple(problem for problem in after.problems if problem not in before.problems),
        views=len(before.views),
        purpose=image.purpose,
        lost=lost_elements(areas, {aoi.aoi_id for aoi in scene.aois}, image.purpose),
    )


FACTS_FILE = "whatif.json"
_CAPTIONS = {
    "before": "Before",
    "after": "After",
    "before_heat": "Attention before",
    "after_heat": "Attention after",
    "difference": "Gained and lost",
}
_AREA_SPECS = [spec for spec in AOI_METRICS if spec is not AVAILABILITY]
_SPECS = {spec.name: spec for spec in (*metric_specs(), *_AREA_SPECS)}


def write_folder(result: WhatIf, folder: Path) -> Path:
    """Write both images and heatmaps, the difference, ``whatif.json`` and ``index.html`` (see `write_study`).

    The page lists areas that were edited first, then others by their attention before, each with its changes over the
    whole exposure.
    """
    areas = []
    for aoi in result.aois:
        changes = result.of(aoi.aoi_id)
        areas.append((aoi, [changes[spec.name, "total"] for spec in _AREA_SPECS]))
    areas.sort(key=lambda area: (area[0].aoi_id not in result.touched, -(area[1][0].before or 0.0)))
    page = render_study(
        "whatif",
        result=result,
        edits=[str(edit) for edit, _ in result.edits],
        specs=_SPECS,
        scores=[change for change in result.changes if change.aoi_id is None and change.metric in _SPECS],
        areas=areas,
        unchanged=sum(not change.is_told for _, changes in areas for change in changes),
        pictures=[(_CAPTIONS[name], picture_uri(picture)) for name, picture in result.pictures.items()],
    )
    return write_study(folder, FACTS_FILE, result.to_dict(), page, result.pictures)
