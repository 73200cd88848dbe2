"""Keep edited AOIs, drawn or detected after the analysis, when the analysis of their run goes on."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from mediaan.analysis import MediumTask
from mediaan.analysis.options import Recipe
from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.errors import UsageError
from mediaan.media import MediaFile
from mediaan.run.edits import AoiEdit, analyzed_aois
from mediaan.run.files import part_key
from mediaan.run.inventory import read_inventory
from mediaan.run.metadata import RunMetadata
from mediaan.run.parts import ResultPart
from mediaan.run.writer import RunWriter
from mediaan.types.media import Medium
from mediaan.workflow.aoi_changes import scored_on
from mediaan.workflow.folder.inputs import RunInputs


def check_edits(writer: RunWriter, files: Sequence[MediaFile], inputs: RunInputs, *, detects_aois: bool) -> None:
    """Refuse, before any work, options that would lose AOIs that people drew.

    Of files that are new, or were renamed, it is not known yet what they hold; `check_edit` sees them.

    Raises UsageError: ``edits_lost``.
    """
    drawn = {str(edit.medium.medium_id): edit for edit in writer.edits.all() if edit.drawn}
    if not drawn:
        return
    given = {file.display_path for file in files}
    for item in read_inventory(writer.run_dir):
        if item.path in given and (edit := drawn.pop(str(item.medium_id), None)) is not None:
            options_id = inputs.options_id(item.path, detects_aois=detects_aois)
            if part_key(writer.recipe_id, str(item.medium_id), options_id) != edit.part:
                _check_held(edit, item.path, inputs, writer)


def check_edit(writer: RunWriter, task: MediumTask, key: str, inputs: RunInputs) -> None:
    """Refuse the same for one medium that is about to be analyzed, now that its content is known."""
    if str(task.medium_id) in writer.edited:
        edit = writer.edits.read(str(task.medium_id))
        if edit is not None and edit.part != key:
            _check_held(edit, task.file.display_path, inputs, writer)


def settle_edits(writer: RunWriter, metadata: RunMetadata, inputs: RunInputs) -> None:
    """Keep edits of media that were not analyzed again, scored for their current exposure; drop the others.

    Raises UsageError: ``edits_lost``: one that would be dropped holds AOIs that people drew. ``no_densities``: one
        cannot be scored.
    """
    keys = {part_key(writer.recipe_id, medium_id) for medium_id in writer.edits.ids()}
    for path, key in writer.assigned():  # of each medium the first path
        medium_key = key.partition("-")[0]
        part = writer.parts.read(key) if medium_key in keys else None
        if part is None:
            continue
        keys.remove(medium_key)
        edit = None if part.failed else writer.edits.read(str(part.medium_id))
        if edit is None:
            continue
        if edit.part != part.key:
            _check_held(edit, path, inputs, writer)
            writer.edits.remove(edit, part)
            continue
        named = metadata.brand(path)
        if edit.scored.brand is not None and named is not None and named != edit.scored.brand.brand:
            edit = replace(edit, scored=edit.scored._replace(brand=None))  # nobody has looked for that one
            writer.edits.stage(edit)
            writer.edits.publish()
        if edit.medium.kind == "image" and metadata.exposure_s(path) != edit.exposure_s:
            if not edit.changes and part.is_exposed(metadata.exposure_s(path)):
                writer.edits.remove(edit, part)  # the analysis has scored its own
            else:
                _keep_scored(writer, edit, part, metadata.recipe, metadata.exposure_s(path))


def has_exposure(writer: RunWriter, part: ResultPart, exposure_s: float) -> bool:
    """Return whether the AOIs of a medium are scored for an exposure, s, in its part or in an edit of that part."""
    edit = writer.edits.read(str(part.medium_id)) if part.medium_id in writer.edited else None
    if edit is None or edit.part != part.key:
        return part.is_exposed(exposure_s)
    return edit.medium.kind != "image" or edit.exposure_s == exposure_s


def rescore_exposures(writer: RunWriter, metadata: RunMetadata, keys: Collection[str]) -> None:
    """Score the AOIs of media again that are looked at for another time than in their parts; no medium is opened.

    `metadata`: of the run to come: its objectives say for how long.
    `keys`: of the parts.
    """
    left = set(keys)
    for path, key in writer.assigned() if left else ():
        part = writer.parts.read(key) if key in left else None
        left.discard(key)
        seconds = metadata.exposure_s(path)
        if part is None or part.is_exposed(seconds) or writer.edits.read(str(part.medium_id)) is not None:
            continue  # `settle_edits` has seen to edits
        (row,) = part.rows("media")
        columns = ("name", "width", "height", "codec", "duration_s")
        medium = Medium(UUID(row["medium_id"]), kind=row["type"], **{name: row[name] for name in columns})
        is_found = row["brand_found"]
        brand = None if is_found is None else metadata.brand_search(path, is_found=is_found)
        folder = str(part.densities).rpartition("/")[0]
        edit = AoiEdit(medium, folder, part.key, seconds, (), analyzed_aois(part)._replace(brand=brand))
        _keep_scored(writer, edit, part, metadata.recipe, seconds)


def _keep_scored(writer: RunWriter, edit: AoiEdit, part: ResultPart, recipe: Recipe, seconds: float) -> None:
    """Put an edit in force with the scores of its AOIs for an exposure."""
    if part.densities is None:
        raise UsageError(
            f"{part.path}: is looked at for {seconds:g} s now, and its areas were scored for {edit.exposure_s:g} s; "
            "the run kept no densities to score them again: export them and give them with --aois",
            code="no_densities",
        )
    densities = io.BytesIO(writer.parts.storage.read(part.densities))
    before = edit.scored
    scored = scored_on(densities, recipe, seconds, edit.medium, before.aois)
    scored = scored._replace(brand=before.brand, absent=before.absent, answer=before.answer)
    renewed = replace(edit, exposure_s=seconds, scored=scored)
    writer.edits.stage(renewed)
    writer.edits.publish()
    renewed.write_results(writer.edits.storage)


def _check_held(edit: AoiEdit, path: str, inputs: RunInputs, writer: RunWriter) -> None:
    wished, _ = aois_from_drawings(inputs.options(path).drawings or (), edit.medium)
    if {aoi.aoi_id for aoi in edit.drawn} - {aoi.aoi_id for aoi in wished}:
        raise UsageError(
            f"--out {writer.run_dir}: holds areas that people drew on {path}, which would be lost, since something "
            "else is asked of it now. Keep them with 'mediaan aois export' and give that file with --aois, or start "
            "again with --force-new",
            code="edits_lost",
        )
