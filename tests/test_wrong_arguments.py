"""Arguments of the wrong type, in Python: a UsageError that says what is wanted, before anything is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import mediaan as mn
from mediaan.maps import gaze_plot

RGB = np.zeros((30, 40, 3), np.uint8)
DENSITY = np.full((4, 6), 1 / 24, np.float32)
NO_ARRAYS = {
    "list": [[1, 2], [3, 4]],
    "image": Image.new("RGB", (40, 30)),
    "bytes": b"ad.png",
    "path": Path("ad.png"),
    "text": "ad.png",
    "none": None,
    "number": 3,
    "mapping": {},
    "tuple": (1, 2),
}
NO_IMAGES = NO_ARRAYS | {
    "integers": np.zeros((30, 40, 3), np.int64),
    "floats": np.zeros((30, 40, 3)),
    "grey": np.zeros((30, 40), np.uint8),
    "alpha": np.zeros((30, 40, 4), np.uint8),
    "empty": np.zeros((0, 40, 3), np.uint8),
    "objects": np.array([None]),
}
NO_DENSITIES = NO_ARRAYS | {
    "integers": np.ones((4, 6), np.int32),
    "bytes": np.ones((4, 6), np.uint8),
    "colours": np.ones((4, 6, 3), np.float32),
    "empty": np.ones((0, 6), np.float32),
    "nothing": np.zeros((4, 6), np.float32),
    "negative": -DENSITY,
    "undefined": np.full((4, 6), np.nan, np.float32),
    "words": np.array([["a"]]),
}
NO_PATHS = {
    "list": ["a.png"],
    "image": Image.new("RGB", (40, 30)),
    "bytes": b"a.png",
    "none": None,
    "number": 3,
    "array": RGB,
    "nul": "a\0.png",
    "path with nul": Path("a\0.png"),
}


def refuse(call: Callable[[Any], object], value: object) -> str:
    with pytest.raises(mn.UsageError) as refusal:
        call(value)
    return refusal.value.message


@pytest.mark.parametrize("value", NO_IMAGES.values(), ids=NO_IMAGES)
@pytest.mark.parametrize(
    "call",
    [
        lambda rgb: mn.predict_density(rgb, model="centre-prior"),
        lambda rgb: mn.heatmap(rgb, DENSITY),
        lambda rgb: mn.fog_map(rgb, DENSITY),
        lambda rgb: gaze_plot(rgb, []),
    ],
    ids=["predict_density", "heatmap", "fog_map", "gaze_plot"],
)
def test_what_is_no_image(call: Callable[[Any], object], value: object) -> None:
    assert "(H, W, 3) uint8" in refuse(call, value)


def test_what_to_do_with_an_image_of_pillow_or_a_file() -> None:
    image = Image.new("RGB", (40, 30), "red")
    assert 'np.asarray(image.convert("RGB"))' in refuse(mn.predict_density, image)
    assert mn.predict_density(np.asarray(image.convert("RGB")), model="centre-prior").sum() == pytest.approx(1)
    assert "mediaan.analyze" in refuse(mn.predict_density, "ad.png")


@pytest.mark.parametrize("value", NO_DENSITIES.values(), ids=NO_DENSITIES)
@pytest.mark.parametrize("draw", [mn.heatmap, mn.fog_map])
def test_what_is_no_density(draw: Callable[..., object], value: object) -> None:
    assert "density" in refuse(lambda density: draw(RGB, density), value)


@pytest.mark.parametrize("value", NO_PATHS.values(), ids=NO_PATHS)
@pytest.mark.parametrize(
    "call",
    [
        mn.analyze,
        mn.read_run,
        mn.load_aois,
        mn.load_calibration,
        mn.check_run,
        mn.rate_run,
        mn.write_report,
        mn.exported_aois,
        lambda path: list(mn.predict_densities([path], model="centre-prior")),
        lambda path: mn.whatif(path, [mn.Edit("blur", "0,0,1,1")], aois="none"),
        lambda path: mn.place(path, "instagram_story"),
        lambda path: mn.trend([path]),
        lambda path: mn.analyze_folder([path], "out"),
        lambda path: mn.analyze_folder("in", path),
        lambda path: mn.apply_aois("run", path) if not isinstance(path, list) else mn.load_aois(path),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_is_no_path(call: Callable[[Any], object], value: object, tmp_path: Path) -> None:
    message = refuse(call, value)
    assert "must be" in message or "NUL" in message or "no run" in message, message


@pytest.mark.parametrize("value", ["Shop now", b"x", 3, {}, [3], [None], ["a"], [(0, 0, 1, 1)]], ids=repr)
def test_what_is_no_drawing_and_no_edit(value: object, tmp_path: Path) -> None:
    Image.fromarray(RGB).save(tmp_path / "ad.png")
    fast = {"model": "centre-prior", "aois": "none"}
    drawn = refuse(lambda v: mn.analyze(tmp_path / "ad.png", drawings=v, **fast), value)
    edited = refuse(lambda v: mn.whatif(tmp_path / "ad.png", v, **fast), value)
    assert "drawings must be a sequence of Drawing" in drawn
    assert "edits must be a sequence of Edit" in edited or "there is no edit" in edited


@pytest.mark.parametrize("value", [None, 3, "focus", b"focus", [1], {"focus": 1}], ids=repr)
def test_what_is_no_sequence_of_names(value: object) -> None:
    assert "metrics must be" in refuse(lambda v: mn.compare("a", "b", runs="run", metrics=v), value)
    assert "metrics must be" in refuse(lambda v: mn.trend("run", metrics=v), value)
    if not isinstance(value, str):
        assert "maps must be" in refuse(lambda v: mn.analyze("ad.png", maps=v), value)
        assert "runs must be" in refuse(lambda v: mn.trend(v), value) or value == [1]


@pytest.mark.parametrize(
    "value", ["ad.png", Path("ad.png"), None, RGB, {}], ids=["text", "path", "none", "array", "map"]
)
@pytest.mark.parametrize("call", [mn.scanpaths, mn.benchmark_ranges])
def test_what_is_no_result(call: Callable[[Any], object], value: object) -> None:
    assert "must be a mediaan.Result" in refuse(call, value)


def test_maps_are_named_in_one_text_as_for_the_command(tmp_path: Path) -> None:
    Image.fromarray(RGB).save(tmp_path / "ad.png")
    fast: Any = {"model": "centre-prior", "aois": "none"}
    for maps in ("heat", ("heat",), ["heat"]):
        assert list(mn.analyze(tmp_path / "ad.png", maps=maps, **fast).pictures) == ["original", "heat"]
    assert list(mn.analyze(tmp_path / "ad.png", maps="heat, fog", **fast).pictures) == ["original", "heat", "fog"]
    assert mn.Recipe(maps="none").maps == ()  # type: ignore[arg-type]
    assert "did you mean 'heat'?" in refuse(lambda v: mn.analyze(tmp_path / "ad.png", maps=v, **fast), "heta")
