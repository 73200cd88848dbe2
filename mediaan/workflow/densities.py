"""Predict densities alone, for any number of images."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from mediaan.analysis import Execution, Recipe, load_models
from mediaan.analysis.tasks import DensityPrediction, DensityTask, failed_image
from mediaan.errors import UsageError
from mediaan.execution import Crashed, Reply
from mediaan.media.names import displayable
from mediaan.saliency.predictor import check_domain
from mediaan.types.arguments import as_path
from mediaan.types.densities import Densities
from mediaan.types.result import Failed
from mediaan.workflow.folder.process_layout import SERIAL_BELOW, ProcessLayout, process_layout
from mediaan.workflow.options import read_options

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
