"""The public functions: one picture, one array, or folders of files to a run directory with its report."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from pydantic import ValidationError

from mediaan import __version__
from mediaan.analysis import Plan, Report, Task, analyse, name_of
from mediaan.config import ObjectivesConfig, Recipe, load_objectives, resolve_objective, unused_patterns
from mediaan.errors import UsageError
from mediaan.execution import Crashed, Reply, run_in_processes, run_serially
from mediaan.maps import MAPS
from mediaan.media import Found, Listing, find_files, resize, view_size
from mediaan.metrics import BUILT_INS
from mediaan.predictors import AttentionPredictor, load_predictor
from mediaan.report import write_report
from mediaan.run import MapWriter, Run, RunWriter, is_run, read_run
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.maps import Window
from mediaan.types.result import Failed, Result

_SERIAL_BELOW = 6  # files: starting processes costs more than they save
Progress = Callable[[Report], None]


def analyze(
    path: str | Path,
    *,
    model: str | Path = "attention",
    device: str = "auto",
    maps: Sequence[str] = (),
    max_megapixels: float = 100.0,
) -> Result:
    """Analyse one picture.

    Parameters
    ----------
    path : str or Path
    model : str or Path
        Name of a model that ships, or path of a card (.toml) of your own.
    device : {'auto', 'cpu', 'cuda'}
    maps : sequence of str
        Maps to render into ``result.pictures``, such as ``("heat", "fog")``.
    max_megapixels : float
        Larger pictures are refused before their pixels are decoded.

    Returns
    -------
    Result
        ``result["focus"].value``, ``result.densities["total"]``, ``result.to_dict()``.

    Raises
    ------
    MediumError
        The file is bad; the code and the sentence say how.
    UsageError, SetupError
        An unknown model or map; a model or device that cannot be had.
    """
    recipe = make_recipe(model=str(model), maps=tuple(maps), max_megapixels=max_megapixels)
    plan = Plan(model=recipe.model, device=device, maps=recipe.maps, max_megapixels=max_megapixels)
    return analyse(Path(path), plan, _predictor(recipe.model, device))


def make_recipe(**settings: Any) -> Recipe:
    """A recipe of checked settings.

    Raises
    ------
    UsageError
        A setting that cannot be; the message names it.
    """
    try:
        return Recipe(**settings)
    except ValidationError as error:
        complaints = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(complaints, code="bad_recipe") from error


def predict_density(
    rgb: UInt8, *, model: str | Path = "attention", device: str = "auto", window: Window = "total"
) -> Float32:
    """Predict where fixations land.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        sRGB picture.
    model, device
        As in `analyze`.
    window : {'total', 'start', 'end'}
        The whole exposure of 5 s, its first 2 s, or its last 2 s.

    Returns
    -------
    (h, w) float32
        Non-negative, sums to 1; cells tile the picture evenly, about 72 x 96 of them at 4:3.

    Raises
    ------
    UsageError
        `rgb` is no such array, or the model does not predict that window.
    """
    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8 or not rgb.size:
        raise UsageError(f"rgb must be (H, W, 3) uint8, not {rgb.shape} {rgb.dtype}", code="bad_array")
    predictor = _predictor(str(model), device)
    size = view_size(rgb.shape[1], rgb.shape[0], predictor.view)
    frame = np.asarray(resize(Image.fromarray(rgb), size), dtype=np.uint8)
    (densities,) = predictor.predict(frame[None])
    if window not in densities.maps:
        known = ", ".join(densities.maps)
        raise UsageError(f"model {predictor.name} predicts no window {window!r}; it has {known}", code="unknown_window")
    return densities[window]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a folder is analysed.

    Attributes
    ----------
    recipe : Recipe
        What is computed; two runs of one recipe over one medium give the same numbers.
    objectives : Path or None
        YAML file that says what each medium is for.
    device : {'auto', 'cpu', 'cuda'}
    workers : int or None
        Processes; None takes one per core, and none at all for a handful of files. With 1, or none, files are analysed
        in this process, which then has no shelter from a file that makes a decoder crash.
    limit : int or None
        Analyse only the first so many files.
    follow_links : bool
        Whether symbolic links may lead out of the given folders.
    """

    recipe: Recipe
    objectives: Path | None = None
    device: str = "auto"
    workers: int | None = None
    limit: int | None = None
    follow_links: bool = False


def analyze_folder(
    paths: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    settings: Settings | None = None,
    on_start: Callable[[Listing], None] | None = None,
    on_report: Progress | None = None,
) -> Run:
    """Analyse files and folders into a run directory: tables, maps and an HTML report.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, and folders that are walked recursively.
    out : path
        Run directory, made if absent.
    settings : Settings, optional
    on_start, on_report : callables, optional
        Called with what was found, and after each file.

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
    objectives = load_objectives(settings.objectives) if settings.objectives else None
    listing = _listing([Path(p) for p in ([paths] if isinstance(paths, (str, Path)) else paths)], settings)
    predictor = load_predictor(settings.recipe.model, settings.device)
    run_dir = Path(out)
    writer = RunWriter(run_dir, _facts(settings, predictor, objectives, listing))
    if on_start:
        on_start(listing)
    task = Task(_plan(settings, len(listing.files)), MapWriter(run_dir, densities=settings.recipe.densities))
    for reply in _execute(task, listing.files, settings):
        report = _settled(reply)
        writer.add(report.outcome, report.files, report.seconds)
        if on_report:
            on_report(report)
    order = [file.shown for file in listing.files]
    writer.finish(order=order, skipped=len(listing.skipped), seconds=time.perf_counter() - began)
    write_report(run_dir)
    return read_run(run_dir)


def _listing(paths: Sequence[Path], settings: Settings) -> Listing:
    """What to analyse; the maps and reports of runs inside the given folders are no media of theirs."""
    everything = find_files(paths, follow_links=settings.follow_links)
    known_run = cache(is_run)

    def of_a_run(file: Path) -> bool:
        return any(path in folder.parents and known_run(folder) for path in paths for folder in file.parents)

    files = [file for file in everything.files if not of_a_run(file.path)]
    skipped = [entry for entry in everything.skipped if not of_a_run(entry.path)]
    if not files:
        shown = ", ".join(str(p) for p in paths)
        raise UsageError(
            f"no pictures found under {shown}; mediaan looks at the content of files", code="nothing_found"
        )
    return Listing(tuple(files[: settings.limit]), tuple(skipped))


def _workers(settings: Settings, count: int) -> int:
    """Number of processes; 0 means this one."""
    if settings.workers is not None:
        return 0 if settings.workers == 1 else min(settings.workers, count)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if count < _SERIAL_BELOW else min(cores, count)


def _plan(settings: Settings, count: int) -> Plan:
    recipe = settings.recipe
    return Plan(
        model=recipe.model,
        device=settings.device,
        maps=tuple(recipe.maps),
        exposure_s=recipe.exposure_s,
        max_megapixels=recipe.max_megapixels,
        threads=1 if _workers(settings, count) else 0,
    )


def _execute(task: Task, files: Sequence[Found], settings: Settings) -> Iterator[Reply[Found, Report]]:
    workers = _workers(settings, len(files))
    return run_in_processes(task, files, workers=workers) if workers else run_serially(task, files)


def _settled(reply: Reply[Found, Report]) -> Report:
    if not isinstance(reply.value, Crashed):
        return reply.value
    file = reply.item
    message = f"{file.shown}: {reply.value.message}"
    return Report(Failed(file.shown, name_of(file), "worker_died", message, size_bytes=file.size_bytes))


def _facts(
    settings: Settings, predictor: AttentionPredictor, objectives: ObjectivesConfig | None, listing: Listing
) -> dict[str, Any]:
    """What ``run.json`` says of how this run was made."""
    asked = set(settings.recipe.maps)
    return {
        "mediaan": __version__,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "recipe": settings.recipe.model_dump(mode="json"),
        "recipe_id": _recipe_id(settings.recipe, predictor),
        "models": [{"name": predictor.name, "sha256": predictor.sha256}],
        "device": predictor.device,
        "versions": {"python": platform.python_version(), **_versions()},
        "metrics": [asdict(metric.spec) for metric in BUILT_INS],
        "maps": [
            {"name": m.name, "title": m.title, "caption": m.caption, "scale": m.scale_text}
            for m in MAPS
            if m.name in asked
        ],
        "objectives": _objectives(objectives, listing),
        "unused_patterns": list(unused_patterns(objectives, (f.shown for f in listing.files))) if objectives else [],
    }


def _recipe_id(recipe: Recipe, predictor: AttentionPredictor) -> str:
    """Changes with any setting, with the program's version and with the weights."""
    return hashlib.sha256(f"{recipe.recipe_id} {predictor.sha256}".encode()).hexdigest()[:16]


def _versions() -> dict[str, str]:
    import cv2
    import onnxruntime
    import PIL

    return {
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "onnxruntime": onnxruntime.__version__,
        "pillow": PIL.__version__,
    }


def _objectives(config: ObjectivesConfig | None, listing: Listing) -> dict[str, Any] | None:
    if config is None:
        return None
    return {
        f.shown: resolve_objective(config, f.shown).model_dump(mode="json", exclude_none=True) for f in listing.files
    }


@cache
def _predictor(model: str, device: str) -> AttentionPredictor:
    """Models stay loaded between calls of the library."""
    return load_predictor(model, device)
