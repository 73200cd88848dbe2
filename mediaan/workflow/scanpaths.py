"""Simulate the viewers of an analyzed image."""

from __future__ import annotations

from mediaan.aoi.scoring.looks import NO_LOOKS, viewers_seed
from mediaan.errors import UsageError
from mediaan.saliency.scanpath import N_VIEWERS, simulate_scanpaths
from mediaan.types.arguments import check_type
from mediaan.types.result import Result
from mediaan.types.scanpath import Scanpaths


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
