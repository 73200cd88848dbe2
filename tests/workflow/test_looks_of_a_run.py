"""Order of looks of a run: tables, maps, and nothing for what moves."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mediaan as mn

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    folder = tmp_path_factory.mktemp("media")
    for name in ("ads/serum_square.jpg", "videos/sofa_banner.gif"):
        shutil.copy(SAMPLES / name, folder)
    recipe = mn.Recipe(model="centre-prior", maps=("gaze_plot", "gaze_animation"), aois="text", exposure_s=3.0)
    return mn.analyze_folder(folder, folder.parent / "run", recipe=recipe, execution=mn.Execution(workers=1))


def test_tables_hold_the_order_and_the_typical_path_of_the_image(run: mn.Run) -> None:
    image = run.media[run.media.path.str.endswith("serum_square.jpg")].medium_id.item()
    looks, path = run.looks, run.scanpaths
    assert set(looks.medium_id) == set(path.medium_id) == {image}
    assert set(looks.aoi_id) == set(run.aois[run.aois.medium_id == image].aoi_id)
    ranked = looks.dropna(subset="rank").sort_values("rank")
    assert list(ranked["rank"]) == list(range(1, len(ranked) + 1))
    assert ranked.share.iloc[-1] == 100
    assert list(path["index"]) == list(range(1, len(path) + 1))
    assert path.onset_s.is_monotonic_increasing
    assert (path.onset_s + path.duration_s).max() <= 3.0 + 1e-9
    for row in path.dropna(subset="aoi_id").itertuples():
        area = run.aois.set_index("aoi_id").loc[row.aoi_id]
        assert area.x0 <= row.x < area.x1
        assert area.y0 <= row.y < area.y1


def test_maps_are_drawn_of_the_image_and_missed_of_the_banner_with_a_reason(run: mn.Run) -> None:
    files = {row["map"]: run.path / row.path for _, row in run.maps.iterrows() if row["map"].startswith("gaze")}
    assert {path.name for path in files.values()} == {"gaze_plot.jpg", "gaze_animation.webp"}
    with Image.open(files["gaze_animation"]) as film:
        assert film.is_animated
        assert max(film.size) <= 640
    missing = run.problems[run.problems.code == "map_not_drawn"]
    assert set(missing.path) == {path for path in run.media.path if path.endswith("gif")}
    assert missing.message.str.contains("estimated for images, not for videos").all()


def test_the_simulated_viewers_are_those_behind_the_order(run: mn.Run) -> None:
    result = mn.analyze(SAMPLES / "ads/serum_square.jpg", model="centre-prior", aois="text", maps=("gaze_plot",))
    paths = mn.scanpaths(result)
    assert [one[:4] for one in result.looks.path] == [one[:4] for one in paths.typical_path]
    assert result.pictures["gaze_plot"].shape[1] == result.pictures["original"].shape[1]
    ahead = result.to_dict()["order_of_looks"]
    assert {one["aoi_id"] for one in ahead["areas"]} == {str(aoi.aoi_id) for aoi in result.aois or ()}
    assert np.isfinite(paths.x[:, 0]).all()
