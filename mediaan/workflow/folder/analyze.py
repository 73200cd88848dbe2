"""Analyze folders of files into a run directory with its report."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import av
import cv2
import numpy as np
import onnxruntime
import PIL

from mediaan import __version__
from mediaan.analysis import (
    AnalysisProgress,
    CacheHit,
    Execution,
    Models,
    Plan,
    Recipe,
    TaskResult,
    TaskRunner,
    load_models,
)
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.errors import UsageError
from mediaan.execution import Crashed
from mediaan.execution.child_process import on_orphaned
from mediaan.maps import MAPS
from mediaan.media import MediaListing
from mediaan.media.listing import VIDEO_SUFFIXES
from mediaan.media.pages.addresses import split_addresses
from mediaan.metrics import metric_specs
from mediaan.run import Run, read_run
from mediaan.run.metadata import RunMetadata
from mediaan.run.result_store import ResultStore
from mediaan.run.writer import open_run
from mediaan.saliency.predictor import check_domain
from mediaan.types.aoi import AOI_TYPES, FOUND_BY, types_searched
from mediaan.types.arguments import check_items
from mediaan.types.result import MEASURED_WITH, Result
from mediaan.workflow.answers import refresh_answers
from mediaan.workflow.derived import refresh_derived
from mediaan.workflow.folder.executor import Executor
from mediaan.workflow.folder.inputs import RunInputs, dump_inputs, resolve_inputs
from mediaan.workflow.folder.listing import RunPages, media_listing
from mediaan.workflow.folder.progress import Interrupted, Interrupts, ProgressBar, in_notebook
from mediaan.workflow.folder.work_queue import FileChanges, WorkQueue, check_edits, rescore_exposures, settle_edits
from mediaan.workflow.medium import measured_with
from mediaan.workflow.options import ProcessLayout, choose_layout, read_options, worker_count
from mediaan.workflow.ranges import check_choice, rate_run
from mediaan.workflow.rules import check_needs

if TYPE_CHECKING:
    from mediaan.saliency import AttentionPredictor, TemporalAttention


def analyze_folder(
    paths: str | Path | Sequence[str | Path],
    out: str | Path,
    recipe: Recipe | None = None,
    execution: Execution | None = None,
    *,
    progress: bool | None = None,
    on_start: Callable[[MediaListing], None] | None = None,
    on_progress: Callable[[AnalysisProgress], None] | None = None,
    on_report: Callable[[TaskResult], None] | None = None,
    on_known: Callable[[str], None] | None = None,
    on_changes: Callable[[FileChanges], None] | None = None,
    **options: Any,
) -> Run:
    """Analyze files and folders into a run directory: tables, maps and an HTML report.

    The same call on the same directory goes on where an earlier one stopped, and takes in what has changed since.
    Objectives, rules, drawn AOIs and a domain that the recipe does not name are those that the run had, until it says
    ``none``.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, and folders that are walked recursively; addresses of web pages, such as ``https://shop.example``, of
        which pictures are taken, and ``@addresses.txt``, a file that lists some.
    out : path
        Run directory, made if absent; or the address of one in an object store, such as ``s3://bucket/run``.
    recipe : Recipe, optional
        What is computed, and what is stated about the media.
    execution : Execution, optional
        Where and how it is computed.
    progress : bool, optional
        Whether a bar shows how far it is; by default in a notebook, unless one of the following is given.
    on_start, on_progress, on_report : callables, optional
        Called with what was found, now and then inside a long video, and after each file that was analyzed.
    on_known, on_changes : callables, optional
        Called with the path of each file that needs no analysis, because it was done before or holds the same as
        another; and with the counts of all, before tables are written.
    **options
        Fields of `Recipe` and `Execution` by name, over those of the two models.

    Returns
    -------
    Run
        The finished run; files that failed are rows of its tables. Of a run in an object store, tables and report are
        read from a copy that lasts as long as this process.

    Raises
    ------
    UsageError, SetupError
        Before any file is opened; SetupError also later, when the disk is full. What was done is kept.
    Interrupted
        A KeyboardInterrupt, after SIGINT or SIGTERM: the first lets what is under way be finished and kept, the second
        stops at once. In the main thread only, and only where no other handler is set.
    """
    watched = any((on_start, on_progress, on_report, on_known))
    if progress and watched:
        raise UsageError("progress=True takes the callables itself; leave them out, or progress", code="bad_settings")
    recipe, execution = read_options(recipe, execution, options)
    listed = [paths] if isinstance(paths, (str, Path)) else check_items(paths, (str, Path), "paths")
    listeners = Listeners(on_start, on_progress, on_report, on_known, on_changes)
    if not (progress or (progress is None and not watched and in_notebook())):
        return _analyze(listed, out, recipe, execution, listeners)
    with ProgressBar(file=sys.stdout if in_notebook() else sys.stderr) as bar:
        return _analyze(listed, out, recipe, execution, Listeners(**bar.callables, on_changes=on_changes))


class Listeners(NamedTuple):
    """What is called while a folder is analyzed; see `analyze_folder`."""

    on_start: Callable[[MediaListing], None] | None = None
    on_progress: Callable[[AnalysisProgress], None] | None = None
    on_report: Callable[[TaskResult], None] | None = None
    on_known: Callable[[str], None] | None = None
    on_changes: Callable[[FileChanges], None] | None = None


def _analyze(
    paths: Sequence[str | Path], out: str | Path, recipe: Recipe, execution: Execution, listeners: Listeners
) -> Run:
    began = time.perf_counter()
    prepared = _prepare(paths, out, recipe, execution)
    files, inputs, metadata = prepared.listing.files, prepared.inputs, prepared.metadata
    opened = open_run(out, metadata, force_new=execution.force_new, when_orphaned=on_orphaned)
    with Interrupts() as interrupts, opened as writer, prepared.pages as pages:
        if listeners.on_start:
            listeners.on_start(prepared.listing)
        check_edits(writer, files, inputs, detects_aois=recipe.aois != "none")
        queue = WorkQueue(
            files,
            inputs,
            writer,
            recipe,
            retry_failed=execution.retry_failed,
            stop=interrupts.stop,
            on_known=listeners.on_known,
            fetch=pages.taken,
        )
        executor = Executor(recipe, execution, prepared.layout, writer, interrupts.stop, listeners.on_progress)
        with interrupts.held_back():
            _analyze_queue(prepared, queue, executor, listeners.on_report)
        if interrupts.asked:
            queue.keep()
            raise Interrupted.after(writer.parts.count())
        if listeners.on_changes:
            listeners.on_changes(queue.changes)
        settle_edits(writer, metadata, inputs)
        rescore_exposures(writer, metadata, queue.parts_to_rescore)
        writer.finish(
            order=[file.display_path for file in files],
            skipped=len(prepared.listing.skipped),
            seconds=time.perf_counter() - began,
            analyzed=queue.changes.analyzed,
        )
        rate_run(writer.run_dir, recipe.benchmark, recipe.benchmark_despite)
        refresh_derived(writer.run_dir, writer.parts.storage)
        writer.close()
        if writer.parts.storage.folder is not None:
            refresh_answers(writer.run_dir, analyzed=True)
    return read_run(writer.run_dir)


@dataclass(frozen=True, slots=True)
class _PreparedRun:
    """Facts that are known before any file is opened."""

    inputs: RunInputs
    listing: MediaListing
    plan: Plan
    layout: ProcessLayout
    metadata: RunMetadata
    pages: RunPages


def _prepare(paths: Sequence[str | Path], out: str | Path, recipe: Recipe, execution: Execution) -> _PreparedRun:
    """Validate everything that can be refused before any file is opened."""
    addresses, others = split_addresses(paths)
    pages = RunPages(addresses, out, viewport=recipe.viewport, clicks=execution.click, force_new=execution.force_new)
    inputs = resolve_inputs(recipe, out, force_new=execution.force_new)
    check_needs(inputs.rules, AOI_TYPES if inputs.drawn_aois else FOUND_BY[recipe.aois])
    listing = MediaListing((), ())
    if others or not addresses:
        listing = media_listing(others, limit=execution.limit, follow_links=execution.follow_links)
    listing = pages.among(listing, execution.limit)
    threads = execution.threads or (1 if worker_count(execution.workers, len(listing.files)) else 0)
    plan = Plan.of(recipe, execution, threads=threads, domain=None)  # the inputs know the domain of each medium
    here = plan.model_copy(update={"device": "cpu"}) if execution.executor == "ray" else plan  # the GPUs are elsewhere
    models = load_models(*here.models)
    videos_alone = all(file.path.suffix.lower() in VIDEO_SUFFIXES for file in listing.files)
    predictor = models.moving if videos_alone else models.still  # loaded now, so that a missing one shows at once
    layout = choose_layout(execution, len(listing.files), predictor.device)
    plan = plan.model_copy(update={"threads": execution.threads or layout.threads})
    display_paths = [file.display_path for file in listing.files]
    inputs = inputs.among(display_paths)
    inputs = replace(inputs, pages=pages.options(predictor.domains or ()))
    for domain in sorted({stated for path in display_paths if (stated := inputs.options(path).domain) is not None}):
        check_domain(domain, predictor.domains, predictor.name)
    device = {"device": execution.worker_device} if execution.executor == "ray" else {}
    metadata = run_metadata(recipe, predictor, models, inputs, display_paths)
    metadata = metadata.updated(report=execution.report, **device)
    check_choice(metadata, recipe.benchmark, recipe.benchmark_despite)
    return _PreparedRun(inputs, listing, plan, layout, metadata, pages)


def _analyze_queue(
    prepared: _PreparedRun,
    queue: WorkQueue,
    executor: Executor,
    on_report: Callable[[TaskResult], None] | None,
) -> None:
    """Analyze all media that are not known yet, and assign each path its part."""
    writer, recipe = executor.writer, executor.recipe
    retry_failed = executor.execution.retry_failed
    store = ResultStore(writer.parts, writer.claims, recipe.exposure_s, recipe.densities, retry_failed)
    runner = TaskRunner(prepared.plan, store, writer.scratch)
    for tasks in (queue.tasks(), queue.missing()):
        for reply in executor(runner, tasks):
            task, result = reply.item, reply.value
            if isinstance(result, Crashed):
                result = store.commit_failure(task, result.code, result.message)
            key = store.key(task, result)
            queue.assign(task, key)
            if result.medium_id is not None:
                queue.record_content(task, result.medium_id, key, is_known=isinstance(result, CacheHit))
            if on_report and isinstance(result, TaskResult):
                outcome = result.outcome
                if isinstance(outcome, Result):  # says what it was measured with, as that of `mediaan.analyze` does
                    result = replace(result, outcome=_with_context(outcome, prepared.metadata))
                on_report(result)
        if executor.stop():
            return


def _with_context(result: Result, metadata: RunMetadata) -> Result:
    """Add to a result what the run knows of it, as `mediaan.analyze` does."""
    drawn = any(aoi.source == "drawn" for aoi in result.aois or ())  # confirmed ones say nothing of other types
    answered = result.absent | {aoi.type for aoi in result.aois or () if aoi.confirmed}
    return replace(
        result,
        measured_with={key: metadata.facts[key] for key in MEASURED_WITH},
        objective=metadata.objective(result.path),
        looked_for=types_searched(metadata.recipe.aois, drawn=drawn) | answered,
    )


def run_metadata(
    recipe: Recipe,
    predictor: AttentionPredictor | TemporalAttention,
    models: Models,
    inputs: RunInputs,
    display_paths: Sequence[str],
) -> RunMetadata:
    """Return the contents of ``run.json`` but for what is counted at the end.

    `predictor`: named in the facts, with its weights' hash and its device.
    `models`: of which those that look for AOIs are named too.
    `display_paths`: paths of the files, as tables show them.
    """
    contents = {
        "mediaan": __version__,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **measured_with(recipe, predictor, models),
        "device": predictor.device,
        "versions": {
            "python": platform.python_version(),
            "ffmpeg": av.ffmpeg_version_info,
            "pyav": av.__version__,
            "numpy": np.__version__,
            "opencv": cv2.__version__,
            "onnxruntime": onnxruntime.__version__,
            "pillow": PIL.__version__,
        },
        "metrics": [asdict(spec) for spec in metric_specs()],
        "maps": [
            {"name": m.name, "title": m.title, "caption": m.caption, "scale": m.scale_text}
            for m in MAPS.values()
            if m.name in recipe.maps
        ],
        "aoi_metrics": [asdict(spec) for spec in AOI_METRICS],
        "domains": list(predictor.domains),
        "domain": inputs.domain,
        "objectives": inputs.packed_objectives(display_paths),
        "unused_patterns": inputs.unused_patterns(display_paths),
        "rules": [rule.written() for rule in inputs.rules],
        "targets": inputs.targets,
        "briefing": dump_inputs(inputs),
    }
    return RunMetadata.parse(contents)
