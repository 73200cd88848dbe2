"""Nodes that normalise frames inside the model, against the same done outside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from fake_gpu import cpu_session, pretend_cuda
from onnx import TensorProto, helper
from tiny_onnx import write_card, write_model

from mediaan.errors import SetupError
from mediaan.saliency import list_cards, load_predictor, read_card
from mediaan.saliency.onnx.weights import FRAMES_INPUT, input_card, prepend_preprocessing, preprocess

CARDS = [
    {"layout": layout, "channels": channels, "mean": (0.1, 0.45, 0.9), "std": (0.2, 0.25, 0.5), "scale": scale}
    for layout in ("nhwc", "nchw")
    for channels in ("rgb", "bgr")
    for scale in (1.0, 255.0)
]


def frames(count: int = 2) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, (count, 64, 96, 3)).astype(np.uint8)


def float_model(folder: Path, **keys: Any) -> tuple[bytes, Any]:
    layout = keys.get("layout", "nhwc")
    sha256 = write_model(folder / "tiny.onnx", layout=layout, dtype="float32", windows=2)
    card = read_card(
        write_card(
            folder, sha256=sha256, dtype="float32", output="logits", pixels=96 * 64, windows=["total", "start"], **keys
        )
    )
    return (folder / "tiny.onnx").read_bytes(), card


@pytest.mark.parametrize("keys", CARDS, ids=lambda keys: f"{keys['layout']}-{keys['channels']}-{keys['scale']:g}")
def test_the_model_itself_does_what_its_card_says(tmp_path: Path, keys: dict[str, Any]) -> None:
    model, card = float_model(tmp_path, **keys)
    edited = prepend_preprocessing(model, card)
    onnx.checker.check_model(onnx.load_from_string(edited), full_check=True)
    session, outside = cpu_session(edited), cpu_session(model)
    (given,) = session.get_inputs()
    assert (given.name, given.type) == (FRAMES_INPUT, "tensor(uint8)")
    assert given.shape == ["batch", "height", "width", 3]
    expected = outside.run(None, {"picture": preprocess(frames(), card)})[0]
    inside = session.run(None, {FRAMES_INPUT: preprocess(frames(), input_card(session, card))})[0]
    np.testing.assert_allclose(inside, expected, rtol=1e-4, atol=1e-3 * np.abs(expected).mean())


def test_what_is_before_the_model_adds_nothing_else(tmp_path: Path) -> None:
    model, card = float_model(tmp_path, **CARDS[-1])
    before, after = onnx.load_from_string(model), onnx.load_from_string(prepend_preprocessing(model, card))
    added = len(after.graph.node) - len(before.graph.node)
    assert [node.op_type for node in after.graph.node[:added]] == ["Gather", "Cast", "Sub", "Mul", "Transpose"]
    assert list(after.graph.node[added:]) == list(before.graph.node)
    assert list(after.graph.output) == list(before.graph.output)
    assert after.opset_import == before.opset_import


def test_on_a_gpu_frames_travel_as_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, card = float_model(tmp_path, **CARDS[-2])
    path = tmp_path / "tiny.toml"
    alone = load_predictor(path, "cpu", threads=1)
    opened = pretend_cuda(monkeypatch)
    together = load_predictor(path, "cuda")
    assert [session.get_inputs()[0].type for session in opened] == ["tensor(uint8)"]
    for found, expected in zip(together.predict(frames()), alone.predict(frames()), strict=True):
        for window in ("total", "start"):
            np.testing.assert_allclose(found[window], expected[window], rtol=2e-3, atol=1e-7)
    assert input_card(opened[0], card).dtype == "uint8"


def test_weights_that_are_listed_as_inputs_too_stay(tmp_path: Path) -> None:
    """Files before IR 4 list each weight among the inputs."""
    model, card = float_model(tmp_path)
    listed = onnx.load_from_string(model)
    for weight in listed.graph.initializer:
        listed.graph.input.insert(0, helper.make_tensor_value_info(weight.name, weight.data_type, list(weight.dims)))
    edited = onnx.load_from_string(prepend_preprocessing(listed.SerializeToString(), card))
    assert edited.graph.input[0].name == FRAMES_INPUT
    assert len(edited.graph.input) == len(listed.graph.input)
    expected = cpu_session(prepend_preprocessing(model, card)).run(None, {FRAMES_INPUT: frames()})[0]
    found = cpu_session(edited.SerializeToString()).run(None, {FRAMES_INPUT: frames()})[0]
    np.testing.assert_array_equal(found, expected)


def test_what_takes_bytes_anyhow_stays_as_it_is() -> None:
    card = list_cards()["attention"]
    model = card.path.read_bytes()
    assert prepend_preprocessing(model, card) is model


@pytest.mark.parametrize("case", ["two inputs", "flat input", "half precision", "old operators", "no model"])
def test_other_models_are_left_to_whoever_opens_them(tmp_path: Path, case: str) -> None:
    model, card = float_model(tmp_path)
    other = onnx.load_from_string(model)
    if case == "two inputs":
        other.graph.input.append(helper.make_tensor_value_info("second", TensorProto.FLOAT, [1]))
    elif case == "flat input":
        other.graph.input[0].CopyFrom(helper.make_tensor_value_info("picture", TensorProto.FLOAT, ["n", 3]))
    elif case == "half precision":
        other.graph.input[0].type.tensor_type.elem_type = TensorProto.FLOAT16
    elif case == "old operators":
        other.opset_import[0].version = 6
    given = b"<!doctype html>" if case == "no model" else other.SerializeToString()
    assert prepend_preprocessing(given, card) is given


def test_a_card_that_is_wrong_is_told_on_a_gpu_as_on_the_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx", layout="nhwc", dtype="uint8")
    card = write_card(tmp_path, sha256=sha256, pixels=96 * 64, dtype="float32")
    said = []
    for device in ("cpu", "cuda"):
        with pytest.raises(SetupError) as caught:
            load_predictor(card, device)
        said.append(caught.value.message)
        pretend_cuda(monkeypatch)
    assert said[0] == said[1]
    assert "correct dtype" in said[0]
