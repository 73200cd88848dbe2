"""Scores learned from opinions: what they were fitted to, what they say of it, and what they do not depend on."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.stats import spearmanr

from mediaan.media import open_image
from mediaan.metrics import DRIVER_VIEW, built_in_scales, measure_drivers, metric_specs
from mediaan.metrics.guide import agreements
from mediaan.metrics.scores.ratings import opinion_models, opinion_score
from mediaan.saliency import list_cards
from mediaan.vision.appearance import load_appearance_reader

ROOT = Path(__file__).parents[2]
RATED = ROOT.parent / "shared" / "data" / "rated_ads"
SPECS = {spec.name: spec for spec in metric_specs() if spec.name in opinion_models()}
SAID = {
    "clarity": ("simple", "unclear"),
    "engagement": ("entertaining", "boring"),
    "design": ("good_design", "bad_design"),
}


def cross_validated() -> dict[str, dict[str, float]]:
    stored = json.loads((ROOT / "mediaan" / "metrics" / "opinions.json").read_text("utf-8"))
    return stored["provenance"]["cross_validated"]


def drivers_of(rgb: np.ndarray):
    return measure_drivers(rgb, load_appearance_reader("cpu", 1).read(rgb))


def banner() -> np.ndarray:
    rgb = np.full((280, 336, 3), (30, 60, 90), np.uint8)
    cv2.putText(rgb, "Two days", (60, 120), cv2.FONT_HERSHEY_DUPLEX, 1.2, (250, 250, 250), 2, cv2.LINE_AA)
    return cv2.rectangle(rgb, (60, 170), (200, 220), (250, 180, 20), -1)


def test_they_take_the_encoder_that_ships():
    assert {model.model_sha256 for model in opinion_models().values()} == {list_cards()["attention"].sha256}


@pytest.mark.parametrize("name", SPECS)
def test_the_grade_rests_on_the_correlation_that_was_found(name: str):
    (graded,) = agreements(name)
    assert graded.r == pytest.approx(cross_validated()[name]["rho_nested"], abs=0.0051)


@pytest.mark.parametrize("name", SPECS)
def test_points_say_what_the_score_would_be_on_a_median_ground(name: str):
    drivers, scales = drivers_of(banner()), built_in_scales()
    score = opinion_score(SPECS[name], drivers, scales)
    median = replace(drivers, text_lightness=float(np.median(scales.drivers["text_lightness"])))
    points = {one.driver: one.points for one in score.drivers}
    assert points.keys() == {f"seen_{name}", "text_lightness"}
    assert points["text_lightness"] == pytest.approx(score.value - opinion_score(SPECS[name], median, scales).value)


@pytest.mark.skipif(not RATED.exists(), reason="the rated advertisements are not here")
def test_every_fourth_rated_advertisement_scores_as_its_people_said():
    """Not a measure of agreement, for these were fitted to: the score that ships is the one that was fitted."""
    with (RATED / "ratings.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[::4]
    views = [open_image(RATED / f"images/{row['image']}.jpg", [DRIVER_VIEW]).chunks[0].views for row in rows]
    drivers = [drivers_of(view[DRIVER_VIEW.name][0]) for view in views]
    for name, (more, less) in SAID.items():
        scores = [opinion_score(SPECS[name], one, built_in_scales()).value for one in drivers]
        assert spearmanr(scores, [float(row[more]) - float(row[less]) for row in rows])[0] > 0.7
