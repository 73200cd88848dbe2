"""Predict attention alone: densities of one array or any number of images, and the viewers of an analyzed one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from mediaan.analysis import Execution, Recipe, load_models
from mediaan.analysis.tasks import DensityPrediction, DensityTask, failed_image
from mediaan.aoi.scoring.looks import NO_LOOKS, viewers_seed
from mediaan.errors import UsageError
from mediaan.execution import Crashed, Reply
from mediaan.media.names import displayable
from mediaan.media.views import resize_to_view
from mediaan.saliency.predictor import check_domain
from mediaan.saliency.scanpath import N_VIEWERS, simulate_scanpaths
from mediaan.types.arguments import as_path, check_image, check_type
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Densities, Window
from mediaan.types.result import Failed, Result
from mediaan.types.scanpath import Scanpaths
from mediaan.workflow.options import SERIAL_BELOW, ProcessLayout, process_layout, read_options


def predict_density(
    rgb: UInt8,
    *,
    model: str | Path = "attention",
    device: str = "auto",
    window: Window = "total",
    domain: str | None = None,
) -> Float32:
    """Predict where fixations land.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        sRGB image.
    model, device, domain
        As in `analyze`.
    window : {'total', 'start', 'end'}
        The whole exposure of 5 s, its first 2 s, or its last 2 s.

    Returns
    -------
    (h, w) float32
        Non-negative, sums to 1; cells tile the image evenly, about 72 x 96 of them at 4:3.

    Raises
    ------
    UsageError
        `rgb` is no such array, or the model does not predict that window, or does not know that domain.
    """
    check_image(rgb)
    predictor = load_models(str(model), device).still
    (densities,) = predictor.predict(resize_to_view(rgb, predictor.view)[None], domain=domain)
    if window not in densities.maps:
        windows = ", ".join(densities.maps)
        raise UsageError(
            f"model {predictor.name} predicts no window {window!r}; it has {windows}", code="unknown_window"
        )
    return densities[window]


_USED = ("model", "domain", "max_megapixels", "device", "workers")
_MANY = 10**9
_DEPTH = 16
"""On a GPU: images that wait for it hold one small view each, and the more wait, the more have the same shape."""


def predict_densities(
    paths: Iterable[str | Path], recipe: Recipe | None = None, execution: Execution | None = None, **options: Any
) -> Iterator[tuple[Path, Densities | Failed]]:
    """Predict where fixations land in many images: no scores, maps or files, and on a GPU in batches.

    Parameters
    ----------
    paths : iterable of str or Path
        Images; taken as they are needed, so there may be any number. Of an animation the first image is looked at.
    recipe : Recipe, optional
        Of its options, ``model``, ``domain`` and ``max_megapixels`` mean something here.
    execution : Execution, optional
        Of its options, ``device`` and ``workers``.
    **options
        Fields of the two models by name, over theirs: ``model="my_model.toml"``, ``workers=4``.

    Returns
    -------
    iterator of (Path, Densities or Failed)
        A pair for each path, in the order in which they are done; close the iterator to stop early. An image that
        cannot be opened is `Failed` and hinders no other.

    Raises
    ------
    UsageError, SetupError
        An unknown option or model, or a domain that it does not know; a model or device that cannot be had.

    Examples
    --------
    >>> import mediaan as mn
    >>> for path, densities in mn.predict_densities(Path("ads").rglob("*.jpg")):  # doctest: +SKIP
    ...     print(path, densities["total"].max() if isinstance(densities, mn.Densities) else densities.message)
    """
    recipe, execution = read_options(recipe, execution, options, used=_USED)
    if isinstance(paths, (str, bytes, Path)) or not isinstance(paths, Iterable):
        raise UsageError("paths must be several: put the one path into a list", code="bad_settings")
    remaining = map(as_path, paths)
    first = list(islice(remaining, SERIAL_BELOW))
    task = DensityTask(recipe.model, execution.device, max_megapixels=recipe.max_megapixels, domain=recipe.domain)
    _, layout = density_layout(task, execution.workers, len(first) if len(first) < SERIAL_BELOW else None)
    task = replace(task, threads=layout.threads)
    return _pairs(layout.run(task, chain(first, remaining)))


def density_layout(task: DensityTask, workers: int | None, count: int | None = None) -> tuple[str, ProcessLayout]:
    """Return the device of the model, and the process layout on this machine; `count` is None for a long queue."""
    predictor = load_models(task.model, task.device, task.threads).still
    check_domain(task.domain, predictor.domains, predictor.name)
    device = predictor.device
    return device, process_layout(workers, _MANY if count is None else count, device, depth=_DEPTH)


def _pairs(replies: Iterator[Reply[Path, DensityPrediction]]) -> Iterator[tuple[Path, Densities | Failed]]:
    for reply in replies:
        if isinstance(reply.value, Crashed):
            message = f"{displayable(reply.item.name)}: {reply.value.message}"
            yield reply.item, failed_image(reply.item, reply.value.code, message)
        else:
            yield reply.item, reply.value.outcome


def scanpaths(result: Result, exposure_s: float = 5.0, *, n_viewers: int = N_VIEWERS) -> Scanpaths:
    """Simulate the scanpaths of viewers of an analyzed image: an estimate.

    Parameters
    ----------
    result : Result
    exposure_s : float
        Time for which the image is looked at, s.
    n_viewers : int
        At least 1. With 100, these are the viewers behind ``result.looks`` at the same exposure.

    Returns
    -------
    Scanpaths
        ``x``, ``y``, ``onset_s`` and ``duration_s`` have a row for each viewer; ``path(3)`` lists the fixations of one.

    Raises
    ------
    UsageError
        The result is that of a video or of a page of several screens; the exposure or the number of viewers is not
        positive.

    Examples
    --------
    >>> import mediaan as mn
    >>> paths = mn.scanpaths(mn.analyze("ad.png"))  # doctest: +SKIP
    >>> [(round(one.x, 2), round(one.y, 2)) for one in paths.typical_path][:3]  # doctest: +SKIP
    """
    check_type(result, Result, "result")
    if result.medium.kind != "image" or result.densities.screen is not None:
        raise UsageError(f"{result.path}: {NO_LOOKS}", code="no_looks")
    seed = viewers_seed(result.medium.medium_id)
    return simulate_scanpaths(result.densities, exposure_s, n_viewers=n_viewers, seed=seed).paths
