"""What a medium that moves is like over time: by sampled frame, and by scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mediaan.types.media import Transition


@dataclass(frozen=True, slots=True)
class FrameScores:
    """Scores at one sampled instant; None where one is undefined.

    Attributes
    ----------
    t_s, weight_s : float
        When, s from the first frame, and for how long it stands.
    scene_id : int
        Scene it belongs to, from 0.
    focus, cognitive_demand, clarity, engagement_frt, design, memory : float or None
        0-100. `engagement_frt` is the frame-level series behind engagement.
    x, y : float
        The point of largest attention, unit coordinates, origin top-left.
    """

    t_s: float
    weight_s: float
    scene_id: int
    focus: float | None
    cognitive_demand: float | None
    clarity: float | None
    engagement_frt: float | None
    design: float | None
    memory: float | None
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Scene:
    """What lies between two cuts.

    Attributes
    ----------
    scene_id : int
        From 0, in order.
    start_s, end_s : float
        Half-open, s from the first frame.
    cut_type : {'start', 'cut', 'fade'}
        How it begins.
    scores : mapping of str to float or None
        Time-weighted means of the frames' scores, by metric.
    """

    scene_id: int
    start_s: float
    end_s: float
    cut_type: Transition
    scores: Mapping[str, float | None]
