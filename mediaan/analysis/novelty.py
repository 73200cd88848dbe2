"""Whether a medium is unlike what the models have learned from."""

from __future__ import annotations

from collections.abc import Iterable

from mediaan.metrics.novelty import UNLIKE, novelty_model
from mediaan.types.appearance import Appearance
from mediaan.types.outcome import Problem


def distance_of(appearance: Appearance) -> float:
    """How far from its nearest kind of training pictures one picture lies."""
    return novelty_model().distance(appearance.features)


def share_of_nearer(seen: Iterable[tuple[float, float]]) -> float | None:
    """Share of training pictures that lie nearer to their own kind than a medium does, 0-1.

    Parameters
    ----------
    seen : iterable of (float, float)
        `distance_of` what was seen of the medium, and for how long it counts, s; distances are averaged. None if
        nothing counts.
    """
    total = seconds = 0.0
    for distance, weight in seen:
        total += distance * weight
        seconds += weight
    return novelty_model().share(total / seconds) if seconds > 0 else None


def unlike_training(novelty: float | None) -> tuple[Problem, ...]:
    """The warning that such a medium gets, if it is due."""
    if novelty is None or novelty <= UNLIKE:
        return ()
    message = (
        f"the medium is unlike what the models have learned from: {novelty:.1%} of the training pictures lie nearer to "
        "their own kind; take its predictions and scores with caution"
    )
    return (Problem("unlike_training", message),)
