"""Which frames are worth a look by the network, and what can be seen of the others without it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mediaan.errors import AnalysisError
from mediaan.predictors.motion import (
    add_energy,
    camera_motion,
    carry,
    contrast,
    difference,
    luma,
    moving_energy,
    unrest,
)
from mediaan.types.arrays import Float32, Float64, UInt8

LOOK_EVERY_S = 0.35
"""A fresh frame is looked at when the last look is so old: viewers fixate about as often (2.5 to 3 times a second)."""

_LOOKS_AT_LEAST = 2  # of a shot, even of a still one: the picture and its mirror image
_MUCH = 20.0  # mean grey levels since the last look that ask for another one at once
_MOVED = 6.0  # grey levels somewhere since the last look from which the picture counts as moving
_NEW = 24.0  # grey levels somewhere from which older looks no longer count
_BARELY = 1e-6  # s; sample times are sums of fractions


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """One sample, as far as it can be seen without the network.

    Attributes
    ----------
    t, weight_s : float
        s.
    since : float
        s since the sample before; 0 for the first.
    cut : bool
        The first sample of a shot.
    look : bool
        Whether the network shall look at it.
    mirrored : bool
        Whether it shall see the mirror image: every other look, so that averaging over looks replaces looking twice.
    camera : (2, 3) float64 or None
        Motion of the whole picture since the sample before, in unit coordinates.
    motion : (h, w) float32 or None
        How much each place moves beyond the rest, 0 and more, as `mediaan.predictors.motion.contrast`; None where
        nothing does.
    unrest : float
        How much the picture changes all over, 0-1.
    novelty : float
        How little earlier looks of the shot still say, 0-1.
    moving : bool
        Whether anything changed since the last look.
    """

    t: float
    weight_s: float
    since: float
    cut: bool
    look: bool
    mirrored: bool
    camera: Float64 | None
    motion: Float32 | None
    unrest: float
    novelty: float
    moving: bool


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """What is kept from sample to sample.

    Attributes
    ----------
    t, shot : float, int
        Of the last sample.
    luma, looked : (h, w) uint8
        Luma of the last sample, and of the last one that was looked at.
    looked_s : float
        When that was, s.
    looks : int
        How often the shot was looked at.
    energy : (h, w) float32 or None
        Motion energy.
    unseen : bool
        Whether anything was fresh since.
    """

    t: float
    shot: int
    luma: UInt8
    looked: UInt8
    looked_s: float
    looks: int
    energy: Float32 | None = None
    unseen: bool = False


def watch(
    before: Watch | None, frame: UInt8, t: float, weight_s: float, shot: int, *, fresh: bool
) -> tuple[Sight, Watch]:
    """See one sample after the others.

    Parameters
    ----------
    before : Watch or None
        None before the first sample.
    frame : (H, W, 3) uint8
    t, weight_s : float
        When it comes on display and for how long it stands, s.
    shot : int
    fresh : bool
        Whether it differs from the frame before.
    """
    since = 0.0 if before is None else max(0.0, t - before.t)
    if before is None or shot != before.shot:
        grey = luma(frame)
        sight = Sight(t, weight_s, since, True, True, False, None, None, 0.0, 1.0, False)
        return sight, Watch(t, shot, grey, grey, t, 1)
    return _go_on(before, frame if fresh else None, t, weight_s)


def _go_on(before: Watch, frame: UInt8 | None, t: float, weight_s: float) -> tuple[Sight, Watch]:
    """Another sample of the same shot; `frame` is None where it shows what the one before showed."""
    since = max(0.0, t - before.t)
    if frame is None:
        energy = None if before.energy is None else add_energy(before.energy, np.zeros_like(before.energy), since)
        after, camera = replace(before, t=t, energy=energy), None
    else:
        after, camera = _see(before, frame, t, since)
    # what is held still was compared when it came
    change = difference(before.looked, after.luma) if after.unseen else None
    due = t - before.looked_s >= LOOK_EVERY_S - _BARELY and (after.unseen or before.looks < _LOOKS_AT_LEAST)
    look = due or (frame is not None and change is not None and float(change.mean()) > _MUCH)
    peak = 0.0 if change is None else float(change.max())
    motion, restless = (None, 0.0) if after.energy is None else (contrast(after.energy), unrest(after.energy))
    moving = frame is not None and (camera is not None or peak > _MOVED)
    novelty, mirrored = min(1.0, peak / _NEW), before.looks % 2 == 1
    sight = Sight(t, weight_s, since, False, look, mirrored, camera, motion, restless, novelty, moving)
    if look:
        after = replace(after, looked=after.luma, looked_s=t, looks=before.looks + 1, unseen=False)
    return sight, after


def _see(before: Watch, frame: UInt8, t: float, since: float) -> tuple[Watch, Float64 | None]:
    """Take in a fresh frame, and how the camera moved to it."""
    grey = luma(frame)
    if grey.shape != before.luma.shape:
        raise AnalysisError(
            f"a frame of {frame.shape[0]} x {frame.shape[1]} px follows frames of another shape; "
            "scale all frames of a medium to one size"
        )
    camera = camera_motion(before.luma, grey)
    energy = before.energy if camera is None or before.energy is None else carry(before.energy, camera)
    energy = add_energy(energy, moving_energy(before.luma, grey, camera, since), since)
    return replace(before, t=t, luma=grey, energy=energy, unseen=True), camera
