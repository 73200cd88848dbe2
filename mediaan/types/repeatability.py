"""Say how far a score moves when an image is changed in ways that should not matter."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from mediaan.types.metrics import Z90


def repeatability(metric: str, value: float) -> float | None:
    """Return the half-width within which nine in ten scores lie when a still image is seen a little differently.

    Mirroring, a slight crop, another size and a slight blur leave an image the same to its viewers. How far a score
    moves under them depends mostly on the metric and on the score itself; `models/training/repeatability.py` measures
    it. It says how exact a number is, not how well it agrees with people.

    `value`: the score, in the metric's unit.
    Returns: in the metric's unit. None for metrics of which it was not measured, such as counts.

    >>> repeatability("percentage_seen", 97.0) < repeatability("percentage_seen", 50.0)
    True
    >>> repeatability("hotspot_count", 3.0) is None
    True
    """
    curve = repeatability_curves().get(metric)
    return None if curve is None else Z90 * float(np.interp(value, curve["value"], curve["sd"]))


@cache
def repeatability_curves() -> Mapping[str, Mapping[str, Sequence[float]]]:
    """Load the standard deviation of what each metric moves (``sd``) at some of its values (``value``), by metric."""
    text = files("mediaan.types").joinpath("repeatability.json").read_text(encoding="utf-8")
    curves: dict[str, dict[str, list[float]]] = json.loads(text)["metrics"]
    return curves
