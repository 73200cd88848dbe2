"""Score pacing: how often a medium that moves cuts."""

from __future__ import annotations

from collections.abc import Sequence

from mediaan.types.media import Shot
from mediaan.types.metrics import MetricSpec, Score

PACING = MetricSpec(
    "pacing", "Pacing", "1/min", 0, 60, "middle", "measured",
    "Cuts and fades per minute. Videos only.",
    "Average shot length is its inverse: Cutting, DeLong & Nothelfer (2010), Psychol. Sci. 21, 432-439; "
    "arousal by pacing: Lang et al. (1999), J. Broadcast. Electron. Media 43, 451-475.",
)  # fmt: skip


def pacing(shots: Sequence[Shot], duration_s: float) -> Score:
    """Count cuts per minute.

    `shots`: they tile the duration; each but the first begins with a cut or a fade.
    `duration_s`: of the medium, s.
    Returns: per minute, at least 0, undefined for a medium without duration. It has no interval: cuts are counted.

    >>> shots = [Shot(0, 2, "start"), Shot(2, 3, "cut"), Shot(3, 6, "cut")]
    >>> pacing(shots, 6.0).value
    20.0
    """
    if duration_s <= 0:
        reason = "The file has no duration."
        return Score.of(PACING, None, reason=reason)
    cuts = sum(shot.begins != "start" for shot in shots)
    return Score.of(PACING, 60 * cuts / duration_s)
