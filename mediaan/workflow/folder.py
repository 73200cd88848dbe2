"""Folders of files to a run directory with its report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from mediaan.analysis import Order, Plan, Progress, Report, Task, listen, load_models, name_of
from mediaan.config import Recipe
from mediaan.errors import UsageError
from mediaan.execution import Crashed, Notes, Reply, run_in_processes, run_serially
from mediaan.media import Found, Listing, find_files
from mediaan.media.listing import VIDEO_SUFFIXES
from mediaan.predictors import AttentionPredictor, TemporalAttention
from mediaan.report import write_report
from mediaan.rules.rule import FOUND_BY
from mediaan.run import MapWriter, Run, RunWriter, is_run, read_run
from mediaan.run.keeper import PartKeeper
from mediaan.run.opening import is_remote_run
from mediaan.storage import is_url, open_place
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.result import Failed
from mediaan.workflow.briefing import load_briefing
from mediaan.workflow.check import check_needs, refresh_rule_results
from mediaan.workflow.facts import run_facts
from mediaan.workflow.line import Line
from mediaan.workflow.population_choice import AUTO, check_choice
from mediaan.workflow.ranges import rate_run
from mediaan.workflow.workers import worker_count


@dataclass(frozen=True, slots=True)
class Settings:
    """How a folder is analysed.

    Attributes
    ----------
    recipe : Recipe
        What is computed; two runs of one recipe over one medium give the same numbers.
    objectives : str, Path or None
        YAML file that says what each medium is for.
    aois : str, Path or None
        File of AOIs that people drew.
    device : {'auto', 'cpu', 'cuda'}
    workers : int or None
        Processes; None takes one per core, and none at all for a handful of files. With 1, or none, files are analysed
        in this process, which then has no shelter from a file that makes a decoder crash.
    limit : int or None
        Analyse only the first so many files.
    follow_links : bool
        Whether symbolic links may lead out of the given folders.
    rules : str, Path or None
        YAML file with rules, beside those of the objectives.
    benchmark : str
        What scores are compared with: `auto`, `none`, or the name or file of a norm set; see `load_populations`.
    benchmark_despite : str
        Why a norm set may be used although it was measured otherwise.
    threads : int or None
        Of each process; None takes one where there are several processes, and all that the machine has otherwise.
    """

    recipe: Recipe
    objectives: str | Path | None = None
    aois: str | Path | None = None
    device: str = "auto"
    workers: int | None = None
    limit: int | None = None
    follow_links: bool = False
    rules: str | Path | None = None
    benchmark: str = AUTO
    benchmark_despite: str = ""
    threads: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("workers", self.workers), ("limit", self.limit), ("threads", self.threads)):
            if value is not None and value < 1:
                raise UsageError(f"{name} must be at least 1, or None; found {value}", code="bad_settings")


def analyze_folder(
    paths: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    settings: Settings | None = None,
    on_start: Callable[[Listing], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_report: Callable[[Report], None] | None = None,
) -> Run:
    """Analyse files and folders into a run directory: tables, maps and an HTML report.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, and folders that are walked recursively.
    out : path
        Run directory, made if absent.
    settings : Settings, optional
    on_start, on_progress, on_report : callables, optional
        Called with what was found, now and then inside a long video, and after each file.

    Returns
    -------
    Run
        The finished run; files that failed are rows of its tables.

    Raises
    ------
    UsageError, SetupError
        Before any file is opened.
    """
    began = time.perf_counter()
    settings = settings or Settings(Recipe())
    briefing = load_briefing(settings.objectives, settings.aois, settings.rules)
    check_needs(briefing.rules, AOI_TYPES if briefing.sheet else FOUND_BY[settings.recipe.aois])
    given = [paths] if isinstance(paths, (str, Path)) else paths
    listing = media_listing(given, limit=settings.limit, follow_links=settings.follow_links)
    plan = _plan(settings, len(listing.files))
    predictor = _predictor(plan, listing)
    run_dir, order = Path(out), [file.shown for file in listing.files]
    facts = run_facts(settings.recipe, predictor, load_models(*plan.models), briefing, order)
    check_choice(facts, settings.benchmark, settings.benchmark_despite)
    writer = RunWriter(run_dir, facts)
    if on_start:
        on_start(listing)
    keeper = PartKeeper(writer.parts, writer.recipe_id)
    maps = MapWriter(writer.parts.place, densities=settings.recipe.densities)
    task = Task(plan, maps, writer.scratch, keeper)
    looks_for_aois = settings.recipe.aois != "none"
    line = Line(listing.files, briefing, writer, looks_for_aois=looks_for_aois)
    for orders in (line.orders(), line.missing()):
        for reply in _execute(task, orders, len(listing.files), settings, on_progress):
            report = _settled(reply, keeper)
            writer.settle(report.outcome.path, keeper.key(reply.item, report))
            if on_report:
                on_report(report)
    writer.finish(order=order, skipped=len(listing.skipped), seconds=time.perf_counter() - began)
    rate_run(run_dir, settings.benchmark, settings.benchmark_despite)
    refresh_rule_results(read_run(run_dir))
    write_report(run_dir)
    writer.close()
    return read_run(run_dir)


def media_listing(paths: Sequence[str | Path], *, limit: int | None = None, follow_links: bool = False) -> Listing:
    """What to analyse; the maps and reports of runs inside the given folders are no media of theirs.

    Raises
    ------
    UsageError
        There is nothing, or a path does not exist.
    """
    everything = find_files(paths, follow_links=follow_links)
    folders = [Path(path) for path in paths if not is_url(str(path))]
    known_run, known_remote_run = cache(is_run), cache(is_remote_run)

    def of_a_run(file: Path) -> bool:
        return any(path in folder.parents and known_run(folder) for path in folders for folder in file.parents)

    def of_a_remote_run(file: Found) -> bool:
        inside = (folder for folder in file.path.parents if folder.name)
        return any(known_remote_run(file.place, folder.as_posix()) for folder in inside)

    files = [file for file in everything.files if not (of_a_remote_run(file) if file.place else of_a_run(file.path))]
    skipped = [entry for entry in everything.skipped if not of_a_run(entry.path)]
    if not files:
        shown = ", ".join(open_place(path).shown for path in paths)
        raise UsageError(
            f"no pictures or videos found under {shown}; mediaan looks at the content of files", code="nothing_found"
        )
    return Listing(tuple(files[:limit]), tuple(skipped))


def _predictor(plan: Plan, listing: Listing) -> AttentionPredictor | TemporalAttention:
    """The model as the run will use it, which shows before any file is opened that it can be had."""
    models = load_models(*plan.models)
    videos_alone = all(file.path.suffix.lower() in VIDEO_SUFFIXES for file in listing.files)
    return models.moving if videos_alone else models.still


def _plan(settings: Settings, count: int) -> Plan:
    recipe = settings.recipe
    return Plan(
        model=recipe.model,
        device=settings.device,
        maps=tuple(recipe.maps),
        exposure_s=recipe.exposure_s,
        max_megapixels=recipe.max_megapixels,
        threads=settings.threads or (1 if worker_count(settings.workers, count) else 0),
        fps=recipe.fps,
        fast=recipe.fast,
        mixed=recipe.mixed,
        max_side=recipe.max_side,
        time_limit_s=recipe.time_limit_s,
        aois=recipe.aois,
        detector=recipe.detector,
        series=recipe.densities,
        calibration=recipe.calibration,
        intervals=recipe.intervals == "full",
    )


def _execute(
    task: Task,
    orders: Iterator[Order],
    count: int,
    settings: Settings,
    on_progress: Callable[[Progress], None] | None,
) -> Iterator[Reply[Order, Report]]:
    first = next(orders, None)
    if first is None:
        return  # no process is started for nothing
    orders, workers = chain([first], orders), worker_count(settings.workers, count)
    if workers:
        notes = Notes(listen, on_progress) if on_progress else None
        yield from run_in_processes(task, orders, workers=workers, notes=notes)
        return
    listen(on_progress)
    try:
        yield from run_serially(task, orders)
    finally:
        listen(None)


def _settled(reply: Reply[Order, Report], keeper: PartKeeper) -> Report:
    """What a worker reported; in the place of one that died, its failure is committed here."""
    if not isinstance(reply.value, Crashed):
        return reply.value
    file = reply.item.file
    message = f"{file.shown}: {reply.value.message}"
    report = Report(Failed(file.shown, name_of(file), reply.value.code, message, size_bytes=file.size_bytes))
    keeper(reply.item, report)
    return report
