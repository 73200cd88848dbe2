"""What every model that ships keeps to, whatever is inside."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mediaan import predict_density
from mediaan.errors import SetupError, UsageError
from mediaan.evaluation.saliency.metrics import cc
from mediaan.media import resize, view_size
from mediaan.saliency import AttentionPredictor, list_cards, load_predictor
from mediaan.saliency.onnx.session import cuda_is_possible
from mediaan.types.densities import Densities

ADS = Path(__file__).resolve().parents[1] / "sample_ads" / "ads"
MIRROR_CC = 0.9
"""A network learns mirroring from mirrored pictures, it is not built in; a first one reached .95-.99 on these ads."""

EVERY_MODEL = pytest.mark.parametrize("name", sorted(list_cards()))
WITH_WEIGHTS = [name for name, card in sorted(list_cards().items()) if card.file]


@functools.cache
def loaded(name: str) -> AttentionPredictor:
    return load_predictor(name, "cpu")


def ad(name: str, model: AttentionPredictor) -> np.ndarray:
    """A sample ad in the size that the model wants, (H, W, 3) uint8."""
    with Image.open(ADS / name) as picture:
        rgb = picture.convert("RGB")
    return np.asarray(resize(rgb, view_size(*rgb.size, model.view)), np.uint8)


def is_density(density: np.ndarray) -> bool:
    return density.dtype == np.float32 and density.min() >= 0 and abs(density.sum(dtype=np.float64) - 1) < 1e-5


def assert_densities(densities: Densities, windows: tuple[str, ...]) -> None:
    assert tuple(densities.maps) == windows
    assert all(is_density(density) for density in densities.maps.values())
    assert len({density.shape for density in densities.maps.values()}) == 1


@EVERY_MODEL
def test_it_is_what_its_card_says(name: str) -> None:
    model, card = loaded(name), list_cards()[name]
    assert isinstance(model, AttentionPredictor)
    assert (model.name, model.sha256 or "", model.device) == (name, card.sha256, "cpu")
    assert card.licence, "a model ships with its licence"
    assert card.summary


@EVERY_MODEL
def test_frames_in_densities_out(name: str) -> None:
    model = loaded(name)
    pictures = np.stack([frame := ad("coffee_leaderboard.jpg", model), frame[:, ::-1], frame[::-1]])
    replies = model.predict(pictures)
    assert len(replies) == 3
    for densities in replies:
        assert_densities(densities, list_cards()[name].windows)


@EVERY_MODEL
def test_a_batch_is_its_frames_one_by_one(name: str) -> None:
    model = loaded(name)
    pictures = np.stack([frame := ad("museum_story.jpg", model), np.roll(frame, 40, axis=0), frame // 2])
    together = model.predict(pictures)
    for alone, one in zip((model.predict(p[None])[0] for p in pictures), together, strict=True):
        for window in alone.maps:
            np.testing.assert_allclose(one[window], alone[window], rtol=1e-3, atol=1e-9)


@EVERY_MODEL
@pytest.mark.parametrize("picture", ["headphones_hero.webp", "serum_square.jpg", "cat_food_feed.jpg"])
def test_a_mirrored_picture_has_the_mirrored_density(name: str, picture: str) -> None:
    model = loaded(name)
    frame = ad(picture, model)
    plain, mirrored = model.predict(np.stack([frame, frame[:, ::-1]]))
    for window in plain.maps:
        assert (cc(np.ascontiguousarray(plain[window][:, ::-1]), mirrored[window]) or 0) > MIRROR_CC, window


@EVERY_MODEL
@pytest.mark.parametrize("grey", [0, 127, 255])
def test_a_constant_picture_has_a_defined_density(name: str, grey: int) -> None:
    """Nothing is divided by a spread that is 0, and nobody is thought to stare at one point of it."""
    density = predict_density(np.full((300, 400, 3), grey, np.uint8), model=name, device="cpu")
    assert is_density(density)
    assert 1 / (density.astype(np.float64) ** 2).sum() > 0.05 * density.size


@EVERY_MODEL
@pytest.mark.parametrize("size", [(1, 1), (8, 4000), (4000, 8), (37, 53), (90, 728)])
def test_any_size_and_aspect(name: str, size: tuple[int, int]) -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (*size, 3)).astype(np.uint8)
    assert is_density(predict_density(rgb, model=name, device="cpu"))


@EVERY_MODEL
def test_domains_are_told_by_the_picture_or_stated(name: str) -> None:
    model = loaded(name)
    frame = ad("serum_square.jpg", model)[None]
    assert model.domains == list_cards()[name].domains
    (told,) = model.predict(frame)
    if not model.domains:
        assert told.domains is None
    else:
        assert told.domains is not None
        assert tuple(told.domains) == model.domains
        assert min(told.domains.values()) >= 0
        assert sum(told.domains.values()) == pytest.approx(1)
    for domain in model.domains:
        (stated,) = model.predict(frame, domain=domain)
        assert_densities(stated, list_cards()[name].windows)
        assert (stated.domain, stated.domains) == (domain, {one: float(one == domain) for one in model.domains})
    with pytest.raises(UsageError, match=f"model {name}"):
        model.predict(frame, domain="no such domain")


@EVERY_MODEL
def test_a_device_that_is_none(name: str) -> None:
    with pytest.raises(UsageError, match="use auto, cpu or cuda"):
        load_predictor(name, "gpu")


@pytest.mark.skipif(cuda_is_possible(), reason="this machine has an NVIDIA driver")
@EVERY_MODEL
def test_cuda_is_an_error_where_there_is_none(name: str) -> None:
    with pytest.raises(SetupError) as caught:
        load_predictor(name, "cuda")
    assert caught.value.code == "no_cuda"
    assert load_predictor(name, "auto").device == "cpu"


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_a_trained_model_looks_at_the_picture(name: str) -> None:
    """Two pictures have two densities, and a bright disc on a plain ground draws attention to its own place."""
    rgb = np.full((300, 400, 3), 120, np.uint8)
    y, x = np.mgrid[:300, :400]
    rgb[(y - 75) ** 2 + (x - 300) ** 2 < 30**2] = (250, 30, 30)
    density = predict_density(rgb, model=name, device="cpu")
    rows, columns = density.shape
    corner = density[: rows // 2, columns // 2 :].sum()
    assert corner > 1.5 * density[rows // 2 :, : columns // 2].sum()


def test_an_unknown_model_is_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no model is called 'center-prior'; did you mean 'centre-prior'\?"):
        load_predictor("center-prior")
    with pytest.raises(UsageError, match=r"'zzz'; there are .*centre-prior.*own is named by the path"):
        load_predictor("zzz")


AD = Path(__file__).resolve().parents[1] / "sample_ads" / "ads" / "serum_square.jpg"
PROGRAM = """
import sys
import mediaan as mn
assert "onnxruntime" not in sys.modules
mn.analyze(sys.argv[1], aois="text")
"""


def test_the_runtime_keeps_no_usage_data_to_send(tmp_path: Path) -> None:
    """ONNX Runtime stores events below the home folder until it can send them."""
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    subprocess.run([sys.executable, "-c", PROGRAM, str(AD)], env=environment | {"HOME": str(tmp_path)}, check=True)
    assert not [path for path in tmp_path.rglob("*") if "onnxruntime" in path.name.lower()]
