"""Detect, apply and export AOIs of a finished run, without predicting attention again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from mediaan.analysis import Execution, Plan, Recipe, load_models
from mediaan.analysis.aoi_tasks import AoiTask, AoiTaskRunner
from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.config.aoi_formats.reading import MatchedAois, load_aois
from mediaan.config.aoi_formats.writing import OWN_FORMATS, AnnotatedMedium, export_aois
from mediaan.errors import UsageError
from mediaan.execution import Crashed
from mediaan.media import file_medium_id, find_files
from mediaan.run import Run, read_run
from mediaan.run.changes import density_path, open_for_change, read_areas
from mediaan.run.results import analyzed_media
from mediaan.run.tables.rows import ScoredAois
from mediaan.saliency.density_storage import read_densities
from mediaan.types.aoi import Aoi, Brand, BrandSearch, Drawing
from mediaan.types.media import Medium, Problem
from mediaan.workflow.answers import keep_answers, refresh_answers, with_answers
from mediaan.workflow.derived import keep_changes, same_brand, scored_aois, timestamped
from mediaan.workflow.folder.inputs import load_inputs
from mediaan.workflow.medium import aoi_models
from mediaan.workflow.options import ProcessLayout, process_layout, read_options, worker_count
from mediaan.workflow.ranges import check_rating

_USED_BY_DETECTION = ("aois", "detector", "objectives", "brand_kit", "workers", "threads")
_SHIPS = "attention"
"""The model that edits are looked at with; a model of one's own may not be there any more."""


@dataclass(frozen=True, slots=True)
class AoiChanges:
    """Changes of the AOIs of a run."""

    media: int
    aois: int
    """`media` and `aois`: How many media have new AOIs, and how many these are."""
    problems: tuple[tuple[str, Problem], ...] = ()
    """What could not be taken as it was."""
    unused: tuple[str, ...] = ()
    """Entries of the file that speak of no medium of the run, or paths of media that were not found."""
    notes: tuple[tuple[str, Problem], ...] = ()
    """What a reader of these AOIs should know, such as that a brand was not found."""
    unread: tuple[str, ...] = ()
    """What of the file could not be read, a sentence each."""
    kept: tuple[str, ...] = ()
    """Media that the file names without any area that could be read; they keep the areas that they had."""


def apply_aois(run_dir: str | Path, file: str | Path) -> AoiChanges:
    """Replace the AOIs that a run holds by those of a file for the same media, and score them.

    Scores come from the densities that the run kept; no model runs. An AOI whose id and place the run knows keeps what
    was detected about it. A medium of which nothing could be read keeps its AOIs; an empty list in a file of ours
    removes them.

    Parameters
    ----------
    run_dir, file : path
        `file` as `load_aois` reads it, such as the report's editor saves it.

    Raises
    ------
    UsageError
        No run, no such file, the run kept no densities, or the norm set that it was compared with is gone; or an
        ``aoi_id`` would stand at two AOIs of the run.
    """
    drawn = load_aois(file)
    refresh_answers(run_dir)
    with open_for_change(run_dir) as run:
        check_rating(run)
        areas = read_areas(run)
        anyone_searched = any(change.get("detected", "none") != "none" for change in _searches(run))
        done = run.media[run.media.status == "done"]
        paths = list(done["path"])
        matched = drawn.among(paths)
        copies = done.groupby("medium_id")["path"].agg(list)
        scored: list[tuple[Medium, ScoredAois]] = []
        kept: list[str] = []
        problems: list[tuple[str, Problem]] = []
        for path, medium in analyzed_media(run):
            drawings = _drawings(file, matched, copies[str(medium.medium_id)])
            if drawings is None:
                continue
            aois, complaints = aois_from_drawings(drawings, medium)
            problems += [(path, complaint) for complaint in complaints]
            absent = frozenset(drawing.type for drawing in drawings if drawing.absent)
            placed = [drawing for drawing in drawings if not drawing.absent]
            if not aois and (placed or not (absent or drawn.means_empty)):
                kept.append(path)
                continue
            before = areas.get(medium.medium_id, ScoredAois())
            by_id = {aoi.aoi_id: aoi for aoi in before.aois}
            aois = tuple(  # one at the place of a known AOI keeps its facts, perhaps another type and label
                _edited(old, aoi)
                if (old := by_id.get(aoi.aoi_id)) is not None
                and _same_place(aoi, old, with_track=drawn.format == "json")
                else aoi
                for aoi in aois
            )
            searched = "branding" in absent or (anyone_searched and before.brand is not None)
            sought = Brand.of_objective(run.metadata.objective(path))
            brand = BrandSearch.among(sought, aois, searched=searched)
            scored.append((medium, scored_aois(run, path, medium, aois, brand, absent)))
        _check_ids(file, areas, scored)
        if scored:
            scored, answered = keep_answers(run, scored)
            keep_changes(run, scored, answered, [timestamped(applied=Path(file).name, sha256=drawn.sha256)])
        changes = _changes(run, scored, tuple(problems), matched.unused)
        return replace(changes, unread=(*drawn.problems, *matched.problems), kept=tuple(kept))


def _drawings(file: str | Path, matched: MatchedAois, copies: Sequence[str]) -> tuple[Drawing, ...] | None:
    """Return the AOIs of a picture, which may have several paths, of which the file may name any; None if it has none.

    Raises UsageError: it has different ones under two.
    """
    named = {path: drawings for path in copies if (drawings := matched.drawings(path)) is not None}
    different = {drawings for drawings in named.values() if drawings}
    if len(different) > 1:
        both = " and ".join(named)
        raise UsageError(f"{file}: {both} are the same picture and have different AOIs", code="aois_invalid")
    return next(iter(different), ()) if named else None


def _edited(old: Aoi, aoi: Aoi) -> Aoi:
    """Return a known AOI as a file has it: perhaps of another type and label, or confirmed."""
    confirmed = old.confirmed or aoi.confirmed
    confidence = None if confirmed else old.confidence
    return replace(old, type=aoi.type, label=aoi.label, confirmed=confirmed, confidence=confidence)


def _check_ids(file: str | Path, before: Mapping[UUID, ScoredAois], after: Sequence[tuple[Medium, ScoredAois]]) -> None:
    """Refuse an ``aoi_id`` that two media would have: tables are joined by it."""
    areas = dict(before) | {medium.medium_id: scored for medium, scored in after}
    names = {medium.medium_id: medium.name for medium, _ in after}
    owner: dict[UUID, UUID] = {}
    for medium_id in sorted(areas, key=lambda medium_id: medium_id in names):
        for aoi in areas[medium_id].aois:
            if owner.setdefault(aoi.aoi_id, medium_id) != medium_id and medium_id in names:
                other = names.get(owner[aoi.aoi_id], "another medium of the run")
                raise UsageError(
                    f"{file}: aoi_id {aoi.aoi_id} of {names[medium_id]} is that of an AOI of {other}; leave it out "
                    "for a new one",
                    code="aois_invalid",
                )


def _changes(
    run: Run,
    scored: Sequence[tuple[Medium, ScoredAois]],
    problems: tuple[tuple[str, Problem], ...],
    unused: tuple[str, ...],
) -> AoiChanges:
    paths = {medium.medium_id: path for path, medium in analyzed_media(run)}
    notes = [(paths[m.medium_id], note) for m, aois in scored if aois.brand for note in aois.brand.problems]
    return AoiChanges(len(scored), sum(len(aois.aois) for _, aois in scored), problems, unused, tuple(notes))


def detect_aois(
    run_dir: str | Path,
    paths: Sequence[str | Path],
    recipe: Recipe | None = None,
    execution: Execution | None = None,
    *,
    on_medium: Callable[[str], object] | None = None,
    **options: Any,
) -> AoiChanges:
    """Detect AOIs in the media of a run, whose files lie under `paths`, in place of earlier ones.

    AOIs that people drew stay. Attention comes from the run; only text and objects are looked for.

    Parameters
    ----------
    run_dir : path
    paths : sequence of path
        Where the files of the run's media lie; they are told by their content, whatever they are called now.
    recipe : Recipe, optional
        Of its options, ``aois`` (what to look for), ``detector`` and ``objectives`` (for brands and platforms).
    execution : Execution, optional
        Of its options, ``workers`` and ``threads``.
    on_medium : callable, optional
        Called with the path of each medium after it.
    **options
        Fields of the two models by name, over theirs.

    Raises
    ------
    UsageError, SetupError
        No run; no densities; another exposure in `objectives` than in the run; models that cannot be had.
    """
    recipe, execution = read_options(recipe, execution, options, used=_USED_BY_DETECTION)
    refresh_answers(run_dir)
    with open_for_change(run_dir) as run:
        check_rating(run)
        files = _files(run, [Path(p) for p in paths])
        tasks = list(_tasks(run, recipe, files))
        workers, threads = execution.workers, execution.threads
        plan = _plan(run, recipe, threads=threads or (1 if worker_count(workers, len(tasks)) else 0))
        models = load_models(*plan.models)
        layout = process_layout(workers, len(tasks), "cpu" if recipe.aois == "text" else models.objects.device)
        plan = plan.model_copy(update={"threads": threads or layout.threads})
        named = [{"name": model.name, "sha256": model.sha256} for model in aoi_models(recipe.aois, models)]
        scored, problems = _detect(plan, tasks, layout, on_medium)
        scored = with_answers(run, scored)
        missing = tuple(path for path, medium in analyzed_media(run) if medium.medium_id not in files)
        keep_changes(run, scored, {}, [timestamped(detected=recipe.aois, models=named)])
    return _changes(run, scored, problems, missing)


def _tasks(run: Run, recipe: Recipe, files: Mapping[UUID, Path]) -> Iterator[AoiTask]:
    """Yield what is to be done about each medium of which there is a file.

    Raises UsageError: the run kept no densities, or an image is looked at for another time in the objectives.
    """
    inputs = load_inputs(recipe.objectives, None, brand_kit=recipe.brand_kit)
    areas = read_areas(run)
    for path, medium in analyzed_media(run):
        if medium.medium_id not in files:
            continue
        medium_options, exposure_s = inputs.options(path), run.exposure_s(path)
        # it would hold scores of both
        if medium.kind == "image" and medium_options.exposure_s not in (None, exposure_s):
            raise UsageError(
                f"{recipe.objectives}: {path} is looked at for {medium_options.exposure_s:g} s there and for "
                f"{exposure_s:g} s in the run; leave exposure_s out, or analyze again",
                code="exposure_differs",
            )
        drawn = tuple(aoi for aoi in areas.get(medium.medium_id, ScoredAois()).aois if aoi.source == "drawn")
        density = density_path(run, medium.medium_id)
        file, domain = files[medium.medium_id], run.stated_domain(path)
        yield AoiTask(medium, path, file, density, medium_options, exposure_s, drawn, domain)


def _detect(
    plan: Plan, tasks: Sequence[AoiTask], layout: ProcessLayout, on_medium: Callable[[str], object] | None
) -> tuple[list[tuple[Medium, ScoredAois]], tuple[tuple[str, Problem], ...]]:
    """Detect AOIs in media again; return them and the problems."""
    scored: list[tuple[Medium, ScoredAois]] = []
    problems: list[tuple[str, Problem]] = []
    for reply in layout.run(AoiTaskRunner(plan), tasks):
        task, value = reply.item, reply.value
        if isinstance(value, Crashed):
            problems.append((task.display_path, Problem("worker_died", value.message)))
            continue
        problems += [(task.display_path, complaint) for complaint in value.problems]
        scored.append((task.medium, ScoredAois(value.aois, value.brand, value.suggestions, value.looks)))
        if on_medium:
            on_medium(task.display_path)
    return scored, tuple(problems)


def carry_aois(run_dir: str | Path, earlier: str | Path) -> int:
    """Copy the AOIs that an earlier run holds of the same media, in place of the run's own.

    They are scored on the run's densities; no model runs. That one looked for them in vain is taken over, too.

    `run_dir`, `earlier`: runs over the same bytes, whatever their recipes.
    Returns: of how many media.
    Raises UsageError: no run, or the run kept no densities.
    """
    before = read_run(earlier)
    areas, looked_at = read_areas(before), set(before.maps.medium_id[before.maps["map"] == "aoi_scores"])
    with open_for_change(run_dir) as run:
        check_rating(run)
        scored = []
        for path, medium in analyzed_media(run):
            if str(medium.medium_id) in looked_at:
                earlier_areas = areas.get(medium.medium_id, ScoredAois())
                brand = same_brand(earlier_areas.brand, run.metadata, path)
                scored.append((medium, scored_aois(run, path, medium, earlier_areas.aois, brand, earlier_areas.absent)))
        if scored:
            keep_changes(run, scored, {"aoi_changes": []}, [*_searches(before), timestamped(carried=before.path.name)])
    return len(scored)


def _searches(run: Run) -> list[dict[str, Any]]:
    """Return what happened to the AOIs of a run, including the detection in the analysis itself."""
    metadata, level = run.metadata, run.metadata.recipe.aois
    finders = [model.model_dump() for model in metadata.models[1:]]
    first = {"at": metadata.created_at, "media": metadata.counts.done, "detected": level, "models": finders}
    return [*([first] if level != "none" else []), *metadata.aoi_changes]


def exported_aois(run_dir: str | Path, format: str = "json", prefix: str = "") -> str:
    """Return the AOIs of a run as the text of a file.

    Parameters
    ----------
    run_dir : path
    format : {'json', 'csv', 'coco', 'labelstudio', 'fiftyone'}
        The last one holds images only, with their densities where the run kept these.
    prefix : str
        Stands before each name in the formats of other programs, such as ``ads/`` where these find the files.

    Raises
    ------
    UsageError
        No run, no such format, or a prefix for names of our own.
    """
    if prefix and format in OWN_FORMATS:
        raise UsageError(f"{format} names files as the run does; leave the prefix out", code="bad_options")
    run = read_run(run_dir)
    areas = read_areas(run)
    kept = set(run.maps.medium_id[run.maps["map"] == "density"]) if format == "fiftyone" else set()
    media = []
    for path, medium in analyzed_media(run):
        of_medium = areas.get(medium.medium_id, ScoredAois())
        density = None
        if str(medium.medium_id) in kept:
            density = read_densities(density_path(run, medium.medium_id))[0]["total"]
        media.append(
            AnnotatedMedium(
                prefix + path, medium.width, medium.height, of_medium.aois, of_medium.absent, medium.kind, density
            )
        )
    return export_aois(media, format)


def _plan(run: Run, wanted: Recipe, threads: int) -> Plan:
    """Plan to look for the wanted areas as the run looked at its media."""
    recipe = run.metadata.recipe
    kept = ("fps", "fast", "max_megapixels", "time_limit_s", "calibration")
    return Plan(
        aois=wanted.aois,
        detector=wanted.detector,
        threads=threads,
        advice=recipe.advice if recipe.model == _SHIPS else "none",
        **{name: getattr(recipe, name) for name in kept},
    )


def _files(run: Run, paths: Sequence[Path]) -> dict[UUID, Path]:
    """Find the files of a run's media by size, then by content."""
    done = run.media[run.media.status == "done"]
    sizes, ids = set(done.size_bytes), {UUID(medium_id) for medium_id in done.medium_id}
    files: dict[UUID, Path] = {}
    for file in find_files(paths).files:
        if file.size_bytes in sizes and (medium_id := file_medium_id(file.path)) in ids:
            files.setdefault(medium_id, file.path)
    return files


def _same_place(aoi: Aoi, old: Aoi, *, with_track: bool) -> bool:
    """Return whether two AOIs have the same place and time, within rounding; polygons go before bounds.

    Formats other than our JSON hold no tracks: `with_track` False leaves the number of sightings out.
    """
    if (aoi.t0_s, aoi.t1_s) != (old.t0_s, old.t1_s) or (with_track and len(aoi.track) != len(old.track)):
        return False
    corners, before = (area.polygon or (area.box[:2], area.box[2:]) for area in (aoi, old))
    return len(corners) == len(before) and all(
        abs(a - b) < 1e-4 for p, q in zip(corners, before, strict=True) for a, b in zip(p, q, strict=True)
    )
