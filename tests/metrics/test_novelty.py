"""What is unlike the training material is told from what is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mediaan as mn
from mediaan.analysis.image import novelty_problem, novelty_share
from mediaan.metrics.novelty import NoveltyModel, novelty_model
from mediaan.metrics.scores.ratings import demand_model
from mediaan.saliency import list_cards

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads" / "ads"


def two_kinds() -> NoveltyModel:
    """Kinds at (0, 0) and (10, 0) in the plane of the first two of three features, one unit wide."""
    return NoveltyModel(
        "",
        centre=np.zeros(3),
        scale=np.ones(3),
        axes=np.eye(3)[:, :2],
        kinds=np.array([[0.0, 0.0], [10.0, 0.0]]),
        whitening=np.eye(2),
        rest=2.0,
        knots=np.array([0.0, 1.0, 2.0]),
    )


@pytest.mark.parametrize(
    ("features", "distance"),
    [([3, 4, 0], 5.0), ([10, 2, 0], 2.0), ([5, 0, 0], 5.0), ([0, 0, 2], np.sqrt(2)), ([3, 4, 2], np.sqrt(27))],
)
def test_distance_by_hand(features: list[float], distance: float) -> None:
    """To the nearer kind; what leaves the plane counts as often as the plane has axes, in units of its usual length."""
    assert two_kinds().distance(np.array(features, np.float32)) == pytest.approx(distance)


def test_share_is_a_quantile_of_the_training_distances() -> None:
    model = two_kinds()
    assert [model.share(d) for d in (0.0, 0.5, 2.0, 9.0)] == [0.0, 0.25, 1.0, 1.0]


def test_the_models_on_the_features_are_those_of_the_encoder_that_ships() -> None:
    sha256 = list_cards()["attention"].sha256
    assert novelty_model().model_sha256 == sha256
    assert demand_model().model_sha256 == sha256


def test_noise_is_flagged_and_an_advertisement_is_not(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (300, 400, 3)).astype(np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    strange = mn.analyze(tmp_path / "noise.png", aois="none")
    assert strange.novelty is not None
    assert strange.novelty > 0.99
    assert [problem.code for problem in strange.problems] == ["unlike_training"]
    for name in ("serum_square.jpg", "museum_story.jpg", "rocket_skyscraper.jpg"):
        usual = mn.analyze(SAMPLES / name, aois="none")
        assert usual.novelty is not None
        assert 0 <= usual.novelty < 0.99
        assert "unlike_training" not in [problem.code for problem in usual.problems]


def test_the_flag_begins_above_its_share() -> None:
    assert novelty_problem(0.99) == ()
    assert novelty_problem(None) == ()
    (problem,) = novelty_problem(0.9961)
    assert "99.6%" in problem.message
    assert novelty_share([]) is None
