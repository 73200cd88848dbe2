"""A user's own ONNX model behind a card: every layout and scale, against numpy; and what is wrong is said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import mediaan_command
from PIL import Image
from tiny_onnx import weighted_sum, write_card, write_model

from mediaan.errors import AnalysisError, SetupError, UsageError
from mediaan.saliency import AttentionPredictor, load_predictor, read_card

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def frames(count: int = 1, height: int = 32, width: int = 48) -> np.ndarray:
    return np.random.default_rng(3).integers(1, 256, (count, height, width, 3)).astype(np.uint8)


def normalised(values: np.ndarray) -> np.ndarray:
    return values / values.sum()


def test_pixels_as_they_are(tmp_path: Path) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx")
    model = load_predictor(write_card(tmp_path, sha256=sha256, pixels=32 * 48, multiple=16))
    assert isinstance(model, AttentionPredictor)
    assert (model.name, model.sha256, model.device) == ("tiny", sha256, "cpu")
    assert (model.view.pixels, model.view.multiple) == (32 * 48, 16)
    pictures = frames(3)
    for picture, densities in zip(pictures, model.predict(pictures), strict=True):
        assert list(densities.maps) == ["total"]
        np.testing.assert_allclose(densities["total"], normalised(weighted_sum(picture)), rtol=1e-5)


def test_channels_first_float_bgr_normalised_logits(tmp_path: Path) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx", layout="nchw", dtype="float32")
    keys = {"layout": "nchw", "dtype": "float32", "channels": "bgr", "mean": MEAN, "std": STD, "output": "logits"}
    model = load_predictor(write_card(tmp_path, sha256=sha256, pixels=32 * 48, **keys))
    (picture,) = frames()
    blue_first = (picture[..., ::-1] / 255 - MEAN) / STD
    (densities,) = model.predict(picture[None])
    expected = normalised(np.exp(weighted_sum(blue_first)))
    np.testing.assert_allclose(densities["total"], expected, rtol=2e-4, atol=1e-12)


def test_large_logits_do_not_overflow(tmp_path: Path) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx", scale=1000.0)
    model = load_predictor(write_card(tmp_path, sha256=sha256, pixels=32 * 48, output="logits"))
    picture = np.zeros((1, 8, 8, 3), np.uint8)
    picture[0, 2, 5] = 255
    (densities,) = model.predict(picture)
    assert densities["total"][2, 5] == 1.0
    assert densities["total"].sum() == 1.0


@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
def test_fixed_size_and_fixed_batch(tmp_path: Path, layout: str) -> None:
    """A frame of any size is brought to 20 x 10; flat quadrants keep their values whatever the resampling."""
    sha256 = write_model(tmp_path / "tiny.onnx", layout=layout, size=(10, 20), batch=1)
    model = load_predictor(write_card(tmp_path, sha256=sha256, width=20, height=10, layout=layout))
    colours = np.array([[[10, 20, 30], [200, 0, 90]], [[0, 5, 250], [60, 60, 60]]], np.uint8)
    picture = colours.repeat(50, axis=0).repeat(60, axis=1)
    replies = model.predict(np.stack([picture, picture[:, ::-1], picture]))
    expected = normalised(weighted_sum(colours.repeat(5, axis=0).repeat(10, axis=1)))
    for densities, wanted in zip(replies, (expected, expected[:, ::-1], expected), strict=True):
        assert densities["total"].shape == (10, 20)
        np.testing.assert_allclose(densities["total"], wanted, rtol=1e-5)


@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
def test_several_windows_wherever_their_axis_is(tmp_path: Path, layout: str) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx", layout=layout, windows=3)
    windows = ("total", "start", "end")
    model = load_predictor(write_card(tmp_path, sha256=sha256, pixels=99, layout=layout, windows=windows))
    (picture,) = frames()
    (densities,) = model.predict(picture[None])
    for k, window in enumerate(windows):
        np.testing.assert_allclose(densities[window], normalised(weighted_sum(picture) ** (k + 1)), rtol=1e-4)


@pytest.mark.parametrize(
    ("scale", "picture", "error", "code", "said"),
    [
        (-1.0, frames(), SetupError, "bad_card", "output = 'logits'"),  # negative, and said to be no logits
        (float("nan"), frames(), AnalysisError, "model_not_finite", "not finite"),
        (1.0, np.zeros((1, 8, 8, 3), np.uint8), AnalysisError, "model_empty", "zeros"),
    ],
)
def test_values_that_are_no_density(
    tmp_path: Path, scale: float, picture: np.ndarray, error: type[Exception], code: str, said: str
) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx", scale=scale)
    model = load_predictor(write_card(tmp_path, sha256=sha256, pixels=99))
    with pytest.raises(error, match=said) as caught:
        model.predict(picture)
    assert caught.value.code == code  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("model", "card", "said"),
    [
        ({"dtype": "float32"}, {"pixels": 99}, "takes float32"),
        ({}, {"pixels": 99, "layout": "nchw"}, r"nchw, that is \(1, 3, any, any\)"),
        ({"size": (10, 20)}, {"pixels": 99}, r"\(any, 10, 20, 3\)"),
        ({"size": (10, 20)}, {"width": 10, "height": 20}, r"that is \(1, 20, 10, 3\)"),
        ({"batch": 4}, {"pixels": 99}, r"\(4, any, any, 3\)"),
    ],
    ids=["dtype", "layout", "size", "sides swapped", "batch"],
)
def test_a_card_that_does_not_fit_the_model(
    tmp_path: Path, model: dict[str, object], card: dict[str, object], said: str
) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx", **model)  # type: ignore[arg-type]
    with pytest.raises(SetupError, match=said) as caught:
        load_predictor(write_card(tmp_path, sha256=sha256, **card))
    assert caught.value.code == "bad_card"


def test_more_windows_promised_than_returned(tmp_path: Path) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx")
    model = load_predictor(write_card(tmp_path, sha256=sha256, pixels=99, windows=("start", "end", "total")))
    with pytest.raises(SetupError, match=r"promises 3 window\(s\)"):
        model.predict(frames())


def test_a_flipped_byte(tmp_path: Path) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx")
    data = bytearray((tmp_path / "tiny.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "tiny.onnx").write_bytes(data)
    with pytest.raises(SetupError, match=f"its card says {sha256}") as caught:
        load_predictor(write_card(tmp_path, sha256=sha256, pixels=99))
    assert caught.value.code == "model_corrupt"


def test_a_file_that_is_no_model_whatever_its_hash(tmp_path: Path) -> None:
    (tmp_path / "tiny.onnx").write_bytes(b"not a model")
    sha256 = "37c7a6cb9e44ed2c2d5c2e9d1a7a8c8c0dc4a4e1cf0d6a2f8e6a7d2b2c6e1f00"
    with pytest.raises(SetupError) as caught:
        load_predictor(write_card(tmp_path, sha256=sha256, pixels=99))
    found = str(caught.value).split("has sha256 ")[1].split(",")[0]
    with pytest.raises(SetupError, match="ONNX Runtime cannot open") as caught:
        load_predictor(write_card(tmp_path, sha256=found, pixels=99))
    assert caught.value.code == "model_corrupt"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"pixles": 5, "pixels": 99}, r"pixles: unknown key; did you mean 'pixels'\?"),
        ({"sha256": "", "pixels": 99}, "file and sha256 are required"),
        ({"sha256": "abc", "pixels": 99}, "sha256: "),
        ({}, "either pixels, or width and height"),
        ({"pixels": 99, "width": 4}, "either pixels, or width and height"),
        ({"width": 4}, "either pixels, or width and height"),
        ({"pixels": 0}, "pixels: "),
        ({"pixels": 99, "windows": ["start", "end"]}, "windows must hold total"),
        ({"pixels": 99, "windows": ["total", "total"]}, "windows must differ"),
        ({"pixels": 99, "windows": ["later"]}, r"windows\.0: "),
        ({"pixels": 99, "layout": "chw"}, "layout: "),
        ({"pixels": 99, "std": [1.0, 0.0, 1.0]}, "std must not hold 0"),
    ],
)
def test_a_card_that_cannot_be(tmp_path: Path, keys: dict[str, object], said: str) -> None:
    path = write_card(tmp_path, **{"sha256": "0" * 64, **keys})
    with pytest.raises(UsageError, match=said) as caught:
        read_card(path)
    assert caught.value.code == "bad_card"
    assert str(path) in caught.value.message


def test_a_card_does_not_say_where_it_lies(tmp_path: Path) -> None:
    path = write_card(tmp_path, sha256="0" * 64, pixels=99)
    path.write_text(path.read_text() + 'folder = "/"\n')
    with pytest.raises(UsageError, match="folder: unknown key"):
        read_card(path)


@pytest.mark.parametrize("text", ["pixels = ", "\xff"])
def test_a_card_that_is_no_toml(tmp_path: Path, text: str) -> None:
    (tmp_path / "own.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=r"own\.toml: cannot be read as a model card"):
        read_card(tmp_path / "own.toml")
    with pytest.raises(UsageError, match=r"absent\.toml: cannot be read as a model card"):
        read_card(tmp_path / "absent.toml")


def test_a_card_without_a_name_is_called_as_its_file(tmp_path: Path) -> None:
    (tmp_path / "redness.toml").write_text(f'file = "x.onnx"\nsha256 = "{"0" * 64}"\npixels = 99\n')
    card = read_card(tmp_path / "redness.toml")
    assert card.name == "redness"
    assert card.path == tmp_path / "x.onnx"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_whole_run_with_a_model_that_knows_one_window(tmp_path: Path, workers: str) -> None:
    """What docs/own_model.md promises: scores and maps of other windows are null or noted, the rest is there."""
    sha256 = write_model(tmp_path / "tiny.onnx")
    card = write_card(tmp_path, sha256=sha256, pixels=96 * 96, multiple=8)
    (tmp_path / "ads").mkdir()
    for k in range(2):
        Image.fromarray(frames(2, 90, 120)[k]).save(tmp_path / "ads" / f"{k}.png")
    asked = ("analyze", "ads", "--model", card.name, "--out", "run", "--aois", "none", "--json")
    layout = ("--executor", "processes" if workers == "2" else "serial", "--workers", workers)
    done = mediaan_command(*asked, *layout, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for line in done.stdout.splitlines():
        outcome = json.loads(line)
        assert outcome["metrics"]["focus"]["value"] is not None
        assert outcome["metrics"]["focus_first_two"]["value"] is None
        assert "window" in outcome["metrics"]["focus_first_two"]["reason"]
        assert any("first_two_heat" in problem["message"] for problem in outcome["problems"])
    facts = json.loads((tmp_path / "run" / "run.json").read_text())
    assert facts["models"] == [{"name": "tiny", "sha256": sha256}]
    assert len(list((tmp_path / "run" / "maps").glob("*/heat.jpg"))) == 2
    assert not list((tmp_path / "run" / "maps").glob("*/first_two_heat.jpg"))
