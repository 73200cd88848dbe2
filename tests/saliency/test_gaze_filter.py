"""The filter of gaze over time, fed with densities: what certainty, unrest and motion do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mediaan.evaluation.saliency.metrics import cc
from mediaan.saliency import GazeDynamics
from mediaan.saliency.density import centre_prior, normalise
from mediaan.saliency.frame_selection import FrameDecision
from mediaan.saliency.temporal import GazeFilter, concentration

SHAPE = (36, 64)
FIRST = FrameDecision(0.0, 0.2, 0.0, True, True, False, None, None, 0.0, 1.0, False)
MOVING = FrameDecision(0.0, 0.2, 0.2, False, True, False, None, None, 0.0, 1.0, True)


def blob(x: float, y: float, sd: float, floor: float = 1e-3) -> np.ndarray:
    rows, columns = (np.arange(n) + 0.5 for n in SHAPE)
    squares = ((columns / SHAPE[1] - x) ** 2)[None] + ((rows / SHAPE[0] - y) ** 2)[:, None]
    return normalise(np.exp(-squares / (2 * sd**2)) + floor)


def after(looks: list[np.ndarray], sight: FrameDecision = MOVING, **constants: float) -> np.ndarray:
    """Density after samples of a moving picture, 0.2 s apart, of which each was looked at."""
    model, gaze = GazeFilter(GazeDynamics(**constants)), None  # type: ignore[arg-type]
    for index, look in enumerate(looks):
        now = FIRST if index == 0 else replace(sight, t=0.2 * index)
        gaze = model.step(gaze, now, np.stack([look] * 3))
    assert gaze is not None
    return model.density(gaze, 0.2 * (len(looks) - 1), 0.2)


def mass(density: np.ndarray, x: float, y: float, radius: float = 0.12) -> float:
    rows, columns = ((np.arange(n) + 0.5) / n for n in SHAPE)
    near = (np.abs(columns - x) < radius)[None] & (np.abs(rows - y) < radius)[:, None]
    return float(density[near].sum(dtype=np.float64))


def test_concentration_is_the_divergence_from_an_even_density() -> None:
    half = np.zeros((4, 8), np.float32)
    half[:, :4] = 1 / 16
    assert concentration(half) == pytest.approx(np.log(2), abs=1e-6)


@pytest.mark.parametrize("unrest", [0.0, 0.9])
def test_where_the_image_model_names_no_place_gaze_is_that_of_the_centre(unrest: float) -> None:
    """A fast shot of many small figures must not be predicted worse than the centre prior."""
    rng = np.random.default_rng(0)
    looks = [normalise(rng.gamma(8.0, size=SHAPE)) for _ in range(10)]
    found = after(looks, replace(MOVING, global_change=unrest))
    likeness = cc(found, centre_prior(SHAPE))
    assert likeness is not None
    assert likeness > 0.85


def test_where_it_names_one_place_the_middle_does_not_draw() -> None:
    """A face at the edge, sharper than the model says, and where it is; a crowd's edge is left for the middle."""
    face, crowd = blob(0.15, 0.3, 0.04), blob(0.15, 0.3, 0.3, floor=0.3)
    certain, uncertain = after([face] * 10), after([crowd] * 10)
    assert mass(certain, 0.15, 0.3) > 0.8
    assert mass(uncertain, 0.15, 0.3) < mass(crowd, 0.15, 0.3)


def test_in_a_restless_picture_one_look_says_little() -> None:
    """After nine looks to the left, one to the right moves gaze at once, but not where everything changes."""
    looks = [*[blob(0.25, 0.5, 0.06)] * 9, blob(0.75, 0.5, 0.06)]
    steady, restless = (after(looks, replace(MOVING, global_change=unrest)) for unrest in (0.0, 0.8))
    assert mass(steady, 0.75, 0.5) > 0.6 > mass(restless, 0.75, 0.5)


def test_motion_that_nobody_would_look_at_draws_as_its_power_says() -> None:
    """Contrast 9 at one of two places alike: 10 to the power of the gain."""
    looks = [normalise(blob(0.3, 0.5, 0.05, 1e-6) + blob(0.7, 0.5, 0.05, 1e-6))] * 10
    motion = 9.0 * (np.arange(SHAPE[1]) >= SHAPE[1] // 2) * np.ones(SHAPE)
    found = after(looks, replace(MOVING, motion=motion.astype(np.float32)), motion_gain=0.5, prior_share=0.0)
    assert mass(found, 0.7, 0.5) / mass(found, 0.3, 0.5) == pytest.approx(10**0.5, rel=0.05)
