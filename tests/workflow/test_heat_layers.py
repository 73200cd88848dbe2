"""The heat of a run's files alone, as other programs lay it over a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mediaan as mn
from mediaan.maps import heat_layer
from mediaan.maps.heatmap import mute_colours

FAST = {"model": "centre-prior", "aois": "none", "advice": "none", "maps": "none", "workers": 1}
SIZES = {
    "summer/ad.png": (300, 200),
    "winter/ad.png": (200, 300),
    "50 % “off”, it's 😀.png": (120, 90),
    f"{'long name ' * 24}.png": (64, 48),
    ".hidden..png": (80, 40),
}


def test_heat_over_a_muted_picture_is_its_heatmap() -> None:
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 256, (90, 160, 3), np.uint8)
    density = rng.random((9, 16), np.float32) ** 4
    layer = heat_layer(density, (160, 90)).convert("RGBA")
    picture = Image.fromarray(mute_colours(rgb)).convert("RGBA")
    picture.alpha_composite(layer)
    laid = np.asarray(picture.convert("RGB")).astype(int)
    assert np.abs(laid - mn.heatmap(rgb, density, legend=False)).max() <= 1
    assert layer.getchannel("A").getextrema()[0] == 0


def test_each_file_has_a_layer_of_its_size_whatever_it_is_called(tmp_path: Path) -> None:
    ads = tmp_path / "ads"
    for i, (name, size) in enumerate(SIZES.items()):
        (ads / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", size, (20 * i, 90, 90)).save(ads / name)
    run = mn.analyze_folder([ads, ads / ".hidden..png"], tmp_path / "run", **FAST)
    layers = mn.write_heat(run.path, tmp_path / "heat")
    assert len(set(layers.values())) == len(list((tmp_path / "heat").iterdir())) == len(SIZES)
    for path, file in layers.items():
        (size,) = (size for name, size in SIZES.items() if path.endswith(name))
        with Image.open(file) as layer:
            assert layer.size == size
            assert layer.convert("RGBA").getchannel("A").getextrema()[1] > 0


def test_where_there_is_no_heat_or_no_folder(tmp_path: Path) -> None:
    Image.new("RGB", (64, 48)).save(tmp_path / "ad.png")
    without = mn.analyze_folder(tmp_path / "ad.png", tmp_path / "without", densities=False, **FAST)
    with pytest.raises(mn.UsageError, match="--no-densities"):
        mn.write_heat(without.path, tmp_path / "heat")
    assert not (tmp_path / "heat").exists()
    run = mn.analyze_folder(tmp_path / "ad.png", tmp_path / "run", **FAST)
    with pytest.raises(mn.UsageError, match=r"ad\.png: cannot be created"):
        mn.write_heat(run.path, tmp_path / "ad.png")
