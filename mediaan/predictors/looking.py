"""Which frames are worth a look by the network, and what can be seen of the others without it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mediaan.predictors.motion import add_energy, camera_motion, carry, contrast, difference, luma, moving_energy
from mediaan.types.arrays import Float32, Float64, UInt8

LOOK_EVERY_S = 0.35
"""A fresh frame is looked at when the last look is so old: viewers fixate about as often (2.5 to 3 times a second)."""

_LOOKS_AT_LEAST = 2  # of a shot, even of a still one: the picture and its mirror image
_MUCH = 12.0  # mean grey levels since the last look that ask for another one at once
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
        How much each place moves beyond the rest, 0-1; None where nothing does.
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
    """

    t: float
    shot: int
    luma: UInt8
    looked: UInt8
    looked_s: float
    looks: int
    energy: Float32 | None = None


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
        sight = Sight(t, weight_s, since, True, True, False, None, None, 1.0, False)
        return sight, Watch(t, shot, grey, grey, t, 1)
    return _go_on(before, frame if fresh else None, t, weight_s)


def _go_on(before: Watch, frame: UInt8 | None, t: float, weight_s: float) -> tuple[Sight, Watch]:
    """Another sample of the same shot; `frame` is None where it shows what the one before showed."""
    since = max(0.0, t - before.t)
    grey, camera = before.luma, None
    energy = None if before.energy is None else add_energy(before.energy, 0 * before.energy, since)
    if frame is not None:
        grey = luma(frame)
        camera = camera_motion(before.luma, grey)
        carried = before.energy if camera is None or before.energy is None else carry(before.energy, camera)
        energy = add_energy(carried, moving_energy(before.luma, grey, camera, since), since)
    change = difference(before.looked, grey)
    peak = float(change.max())
    due = t - before.looked_s >= LOOK_EVERY_S - _BARELY
    look = (due and (frame is not None or before.looks < _LOOKS_AT_LEAST)) or (
        frame is not None and float(change.mean()) > _MUCH
    )
    motion = None if energy is None else contrast(energy)
    mirrored = before.looks % 2 == 1
    sight = Sight(t, weight_s, since, False, look, mirrored, camera, motion, min(1.0, peak / _NEW), peak > _MOVED)
    after = replace(before, t=t, luma=grey, energy=energy)
    return sight, replace(after, looked=grey, looked_s=t, looks=before.looks + 1) if look else after
