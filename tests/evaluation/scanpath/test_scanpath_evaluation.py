"""Measures of scanpaths on cases worked out by hand, and the model against people on pictures that were held out."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mediaan.media import open_image
from mediaan.saliency import load_predictor
from mediaan.saliency.density import blur, normalise
from mediaan.saliency.scanpath import built_in_scanpath_model, simulate_scanpaths
from mediaan.types.densities import Densities

sys.path.append(str(Path(__file__).parents[3] / "models" / "training"))
from scanpath_evaluation.baselines import independent_draws, shuffled_order, winner_take_all
from scanpath_evaluation.evaluation import ViewedImage, evaluation_table, marginal_agreement
from scanpath_evaluation.sequences import collapsed, mean_shift, nearest, sequence_score
from scanpath_evaluation.statistics import saccade_statistics, total_variation

GAZE = Path(__file__).parents[4] / "shared" / "data" / "gaze"


def test_repeats_count_once() -> None:
    strings, lengths = collapsed(np.array([[3, 3, 1, 3, -1], [2, -1, -1, -1, -1]]))
    assert lengths.tolist() == [3, 1]
    assert strings[0, :3].tolist() == [3, 1, 3]


def test_sequence_score_of_places_found_by_mean_shift() -> None:
    x, y = np.array([[0.1, 0.9, 0.5], [0.12, 0.5, np.nan]]), np.array([[0.1, 0.9, 0.5], [0.1, 0.5, np.nan]])
    made = np.isfinite(x)
    modes = mean_shift(np.column_stack([x[made], y[made]]))
    assert len(modes) == 3
    assert sequence_score(nearest(modes, x, y), [0], [1]).tolist() == pytest.approx([2 / 3])


def test_ranking_goes_by_mass_and_leaves_what_it_has_seen() -> None:
    counts = np.zeros((60, 80))
    counts[15, 20], counts[45, 60], counts[10, 70] = 3.0, 2.0, 1.0
    x, y = winner_take_all(normalise(blur(counts)), 3)
    assert np.floor(x[0] * 80).tolist() == pytest.approx([20, 60, 70], abs=1)
    assert np.floor(y[0] * 60).tolist() == pytest.approx([15, 45, 10], abs=1)


def test_independent_draws_go_by_the_density() -> None:
    density = np.array([[0.75, 0.25]], np.float32)
    x, _ = independent_draws(density, np.ones((50, 100), bool), np.random.default_rng(0))
    assert (x < 0.5).mean() == pytest.approx(0.75, abs=0.02)


def test_shuffled_order_keeps_each_viewers_fixations() -> None:
    x = np.array([[0.1, 0.2, 0.3, np.nan]])
    shuffled, same = shuffled_order(x, x, np.random.default_rng(2))
    assert sorted(shuffled[0, :3]) == [0.1, 0.2, 0.3]
    assert np.isnan(shuffled[0, 3])
    assert np.array_equal(shuffled, same, equal_nan=True)


def test_statistics_of_a_drawn_path() -> None:
    """Right by .3, down by .4, back to where it began, by .5 aslant."""
    x, y = np.array([[0.2, 0.5, 0.5, 0.2]]), np.array([[0.2, 0.2, 0.6, 0.2]])
    found = saccade_statistics(x, y, (1.0, 1.0))
    assert found.mean_length == pytest.approx(0.4)
    assert found.directions[[0, 2]].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert found.returns == 0.5
    assert total_variation(np.array([1.0, 0.0]), np.array([0.5, 0.5])) == 0.5


def test_a_model_explains_its_own_viewers_better_than_the_density() -> None:
    counts = np.zeros((60, 80))
    rng = np.random.default_rng(0)
    counts[rng.integers(60, size=12), rng.integers(80, size=12)] = 1.0
    densities, model = Densities({"total": normalise(blur(counts))}), built_in_scanpath_model()
    images = []
    for name, seed in (("a", 11), ("b", 12)):
        p = simulate_scanpaths(densities, seed=seed, n_viewers=20, model=model).paths
        images.append(ViewedImage("own", name, densities, p.x, p.y, p.onset_s, p.duration_s, 5.0))
    table = evaluation_table(images, [model] * 2)
    assert (table["bit: model"] > table["bit: density by index"] + 0.2).all()
    assert (table["bit: model"] > table["bit: model, random order"] + 0.5).all()
    assert marginal_agreement(images[0], model) > 0.93


@pytest.mark.skipif(not GAZE.is_dir(), reason="the eye tracking lies beside the project, in ../shared")
def test_people_on_held_out_pictures_are_explained_better_than_by_the_density() -> None:
    predictor, images = load_predictor("attention", "cpu", threads=1), []
    table = pd.read_parquet(GAZE / "crowd" / "fixations.parquet").sort_values(["image", "viewer", "index"])
    held_out = Path(__file__).parents[3] / "models/training/split/held_out/crowd.txt"
    for name in held_out.read_text(encoding="utf-8").split()[:4]:
        path = next((GAZE / "crowd" / "images").glob(f"{name}.*"))
        (densities,) = predictor.predict(open_image(path, [predictor.view]).chunks[0].views[predictor.view.name])
        rows = table[(table.image == name) & table.x.between(0, 0.999) & table.y.between(0, 0.999)]
        wide = {
            column: rows.assign(n=rows.groupby("viewer").cumcount()).pivot(index="viewer", columns="n", values=column)
            for column in ("x", "y", "onset_s", "duration_s")
        }
        arrays = {column: values.to_numpy(np.float64) for column, values in wide.items()}
        images.append(ViewedImage("crowd", name, densities, exposure_s=5.0, **arrays))
    found = evaluation_table(images, [built_in_scanpath_model()] * len(images)).mean(numeric_only=True)
    assert found["bit: model"] > found["bit: density"] + 0.5
    assert found["bit: model"] > found["bit: model, random order"] + 0.8
    assert found["model: scanmatch"] > found["other image: scanmatch"]
    assert found["people: scanmatch"] > found["model: scanmatch"]
