"""Looking again: intervals of scores and of AOIs from a picture's own repeatability."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from PIL import Image

import mediaan as mn
from mediaan.analysis import load_models
from mediaan.analysis.augmentation import (
    AUGMENTATIONS,
    INTERVAL_AUGMENTATIONS,
    Augmentation,
    coarse_densities,
    predict_augmented,
)
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.aoi.scoring.fixation_hazard import PredictionBand, built_in_hazard_model
from mediaan.evaluation.saliency.metrics import cc
from mediaan.saliency.density_storage import encode_densities, read_densities
from mediaan.types.aoi import Aoi, Box, Drawing
from mediaan.types.densities import Densities

AD = Path(__file__).resolve().parents[1] / "sample_ads" / "ads" / "serum_square.jpg"
TOP = Aoi(UUID(int=1), "product", "top", Box(0, 0, 1, 0.4), None, "drawn")


def left_to_right(share: float) -> np.ndarray:
    """All attention in two halves, `share` of it above."""
    density = np.full((40, 30), (1 - share) / (24 * 30), np.float32)
    density[:16] = share / (16 * 30)
    return density


def test_a_changed_picture_is_seen_where_the_picture_is() -> None:
    models = load_models("attention", "cpu", 1)
    rgb = np.asarray(Image.open(AD).convert("RGB").resize((512, 512)))
    repeats = predict_augmented(rgb, models)
    found = coarse_densities(repeats, (112, 112)).astype(np.float32)
    assert found.shape == (len(INTERVAL_AUGMENTATIONS), 48, 48)
    np.testing.assert_allclose(found.sum(axis=(1, 2)), 1, atol=2e-3)
    for other in found[1:]:
        assert cc(found[0], other) > 0.9


def test_intervals_can_be_left_out() -> None:
    drawn = [Drawing("branding", "logo", ((0.3, 0.3), (0.6, 0.6)))]
    without = mn.analyze(AD, intervals="none", aois="none", drawings=drawn)
    with_them = mn.analyze(AD, aois="none", drawings=drawn)
    assert all(
        score.lo is None and score.hi is None
        for score in (*without.scores, *(s for aoi in without.aois for s in aoi.scores))
    )
    assert without.densities.variants is None
    for one, other in zip(without.scores, with_them.scores, strict=True):
        assert one.value == other.value
        if other.unit == "score":
            assert other.lo is not None
            assert other.hi is not None
            assert other.lo <= other.value <= other.hi


def test_shares_that_move_have_wider_intervals() -> None:
    total = left_to_right(0.5)
    steady, shaky = (
        Densities({"total": total}, np.stack([left_to_right(share) for share in shares]).astype(np.float16))
        for shares in ((0.5, 0.5, 0.5), (0.3, 0.5, 0.7))
    )
    widths = [
        {
            s.metric: s.hi - s.lo
            for s in score_still([TOP], densities, 5.0)[0].scores
            if s.time == "total" and s.hi is not None
        }
        for densities in (steady, shaky)
    ]
    assert widths[0].keys() == widths[1].keys() >= {"attention", "time_spent", "relative_attention", "first_seen_s"}
    for metric in ("attention", "time_spent", "relative_attention"):
        assert widths[1][metric] > widths[0][metric]


def test_movement_is_added_in_quadrature() -> None:
    """By hand: 0.3 to either side, standard deviation 0.1: hypot(.3, .1645) = .342, times .8."""
    band = PredictionBand((0.0, 0.5, 1.0), (0.0, 0.2, 0.7), (0.3, 0.8, 1.0), factor=0.8)
    assert band.bounds(0.5) == pytest.approx((0.2, 0.8))
    assert band.bounds(0.5, 0.1) == pytest.approx((0.5 - 0.2737, 0.5 + 0.2737), abs=1e-3)


def test_relative_sd_by_hand() -> None:
    """Relative variance of .04 over three looks, beside a usual one of .01: sqrt((4 * .01 + 2 * .04) / 6)."""
    model = replace(built_in_hazard_model(), usual_relative_sd=0.1)
    shares = [0.4, 0.5, 0.6]
    assert model.relative_sd(shares) == pytest.approx(np.sqrt((4 * 0.01 + 2 * 0.04) / 6))
    assert model.relative_sd([0.5]) is None
    assert model.relative_sd([0.0, 0.0]) is not None


def test_what_was_kept_scores_to_the_last_bit(tmp_path: Path) -> None:
    found = mn.analyze(AD, aois="none")
    file = tmp_path / "density.npz"
    file.write_bytes(encode_densities(found.densities, {}))
    again, _ = read_densities(file)
    assert score_still([TOP], again, 5.0) == score_still([TOP], found.densities, 5.0)
    assert again.variants is not None
    np.testing.assert_array_equal(again.variants, found.densities.variants)


def spot(shape: tuple[int, int], x: float, y: float) -> np.ndarray:
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    at = ((columns + 0.5) / shape[1] - x) ** 2 + ((rows + 0.5) / shape[0] - y) ** 2
    density = np.exp(-at / (2 * 0.05**2)).astype(np.float32)
    return density / density.sum()


def centre(density: np.ndarray) -> tuple[float, float]:
    rows, columns = np.mgrid[: density.shape[0], : density.shape[1]]
    x, y = (columns + 0.5) / density.shape[1], (rows + 0.5) / density.shape[0]
    return float((density * x).sum()), float((density * y).sum())


@pytest.mark.parametrize("variant", AUGMENTATIONS, ids=lambda v: v.name)
def test_what_is_seen_in_the_changed_picture_is_found_where_it_was(variant: Augmentation) -> None:
    """A picture that is its own density: change it, look, and go back."""
    density = spot((240, 320), 0.3, 0.6)
    picture = np.repeat((density / density.max() * 255).astype(np.uint8)[..., None], 3, axis=2)
    seen = variant.apply(picture)[..., 0].astype(np.float32)
    back = variant.restore(seen / seen.sum(), (60, 80))
    assert back.shape == (60, 80)
    assert back.sum() == pytest.approx(1, abs=1e-5)
    assert centre(back) == pytest.approx((0.3, 0.6), abs=0.01)


def test_mirroring_twice_is_nothing() -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (40, 60, 3)).astype(np.uint8)
    mirror = Augmentation("mirror", mirrored=True)
    np.testing.assert_array_equal(mirror.apply(mirror.apply(rgb)), rgb)


@pytest.mark.parametrize("variant", AUGMENTATIONS, ids=lambda v: v.name)
def test_the_smallest_picture_survives(variant: Augmentation) -> None:
    assert variant.apply(np.zeros((1, 1, 3), np.uint8)).shape == (1, 1, 3)
    assert variant.restore(np.ones((1, 1), np.float32), (1, 1)).tolist() == [[1.0]]
