"""A model cut down to one of its tensors, against onnx's own tool, and in use for the frames of a video."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper
from tiny_onnx import weighted_sum, write_card, write_model

from mediaan.errors import SetupError, UsageError
from mediaan.saliency import list_cards, load_frame_predictor, load_predictor, read_card
from mediaan.saliency.onnx.weights import extract_subgraph

CARD = list_cards()["attention"]


def run(model: bytes, x: np.ndarray) -> np.ndarray:
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    (only,) = session.get_outputs()
    picture, *others = (given.name for given in session.get_inputs())
    return np.asarray(session.run([only.name], {picture: x} | {name: feed(x)[name] for name in others})[0])


def feed(x: np.ndarray) -> dict[str, np.ndarray]:
    """What the whole shipped model takes: a picture and, where it tells domains apart, how much each may count."""
    return {"rgb": x} | ({CARD.domain_input: np.ones((1, len(CARD.domains)), np.float32)} if CARD.domains else {})


def frame() -> np.ndarray:
    return np.random.default_rng(5).integers(1, 256, (2, 96, 64, 3)).astype(np.uint8)


def test_the_shipped_model_keeps_what_the_tensor_needs_and_nothing_else() -> None:
    """The same nodes and weights, in the same order, as onnx's extractor finds."""
    whole, tensor = CARD.path.read_bytes(), CARD.features[1]
    graph = onnx.load_from_string(extract_subgraph(whole, tensor)).graph
    model = onnx.load_from_string(whole)
    model.graph.value_info.append(helper.make_tensor_value_info(tensor, TensorProto.FLOAT, None))
    expected = onnx.utils.Extractor(model).extract_model(["rgb"], [tensor]).graph
    assert [node.SerializeToString() for node in graph.node] == [node.SerializeToString() for node in expected.node]
    weights = {weight.name: weight.SerializeToString() for weight in expected.initializer}
    assert {weight.name: weight.SerializeToString() for weight in graph.initializer} == weights
    assert [given.name for given in graph.input] == ["rgb"]
    assert [output.name for output in graph.output] == [tensor]
    assert len(graph.node) < len(model.graph.node) * 0.6


@pytest.mark.skipif(not CARD.video_output, reason="the model that ships looks once")
def test_the_shipped_models_first_look_is_what_the_whole_model_computes_on_the_way() -> None:
    whole = onnx.load_from_string(CARD.path.read_bytes())
    whole.graph.output.insert(0, helper.make_tensor_value_info(CARD.video_output, TensorProto.FLOAT, None))
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run([CARD.video_output], feed(frame()))[0]
    got = run(extract_subgraph(CARD.path.read_bytes(), CARD.video_output), frame())
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-9)
    assert got.shape == (2, 3, 24, 16)


def test_several_tensors_come_in_the_order_asked_for() -> None:
    whole = onnx.load_from_string(CARD.path.read_bytes())
    for tap in CARD.features:
        whole.graph.output.append(helper.make_tensor_value_info(tap, TensorProto.FLOAT, None))
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run(list(CARD.features), feed(frame()))
    part = ort.InferenceSession(
        extract_subgraph(CARD.path.read_bytes(), *CARD.features), providers=["CPUExecutionProvider"]
    )
    assert [output.name for output in part.get_outputs()] == list(CARD.features)
    for one, other in zip(part.run(None, {"rgb": frame()}), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
    with pytest.raises(SetupError, match="'missing'"):
        extract_subgraph(CARD.path.read_bytes(), CARD.features[0], "missing")


def test_frames_of_a_video_are_seen_by_it() -> None:
    model = load_frame_predictor("attention", "cpu", threads=1)
    whole = load_predictor("attention", "cpu", threads=1)
    assert (model.name, model.sha256) == (whole.name, whole.sha256)
    assert model.view.pixels == CARD.video_pixels != whole.view.pixels
    weights = CARD.path.read_bytes()
    part = extract_subgraph(weights, CARD.video_output) if CARD.video_output else weights
    raw = ort.InferenceSession(part, providers=["CPUExecutionProvider"]).run(None, feed(frame()))[0]
    for reply, expected in zip(model.predict(frame()), raw, strict=True):
        for k, window in enumerate(("start", "end", "total")):
            np.testing.assert_allclose(reply[window], expected[k] / expected[k].sum(), rtol=1e-4, atol=1e-9)


def test_any_inner_tensor(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny.onnx", windows=3)
    model = onnx.shape_inference.infer_shapes(onnx.load(tmp_path / "tiny.onnx")).SerializeToString()
    assert onnx.load_from_string(model).graph.value_info
    np.testing.assert_allclose(
        run(extract_subgraph(model, "sum"), frame())[..., 0], [weighted_sum(f) for f in frame()], rtol=1e-6
    )
    reduced = onnx.load_from_string(extract_subgraph(model, "sum"))
    assert {node.op_type for node in reduced.graph.node} == {"Cast", "Mul", "ReduceSum"}
    assert not reduced.graph.value_info
    assert reduced.opset_import == onnx.load_from_string(model).opset_import


def test_weights_that_are_listed_as_inputs_too_go_together(tmp_path: Path) -> None:
    """Files before IR 4 list each weight among the inputs."""
    write_model(tmp_path / "tiny.onnx", windows=2)
    model = onnx.load(tmp_path / "tiny.onnx")
    for weight in model.graph.initializer:
        model.graph.input.append(helper.make_tensor_value_info(weight.name, weight.data_type, list(weight.dims)))
    reduced = onnx.load_from_string(extract_subgraph(model.SerializeToString(), "window0"))
    assert [given.name for given in reduced.graph.input] == ["picture", "weights", "channels", "power0"]


def test_a_tensor_that_is_not_there(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny.onnx")
    for name in ("summ", "picture", "weights"):
        with pytest.raises(SetupError, match=f"no node of the model computes a tensor called '{name}'") as caught:
            extract_subgraph((tmp_path / "tiny.onnx").read_bytes(), name)
        assert caught.value.code == "bad_card"


@pytest.mark.parametrize("cut", [1, 40, 400])
def test_a_file_that_breaks_off(tmp_path: Path, cut: int) -> None:
    write_model(tmp_path / "tiny.onnx")
    with pytest.raises(SetupError, match="not an ONNX model") as caught:
        extract_subgraph((tmp_path / "tiny.onnx").read_bytes()[:-cut], "sum")
    assert caught.value.code == "model_corrupt"


def branching_model() -> bytes:
    branch = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])], "inner", [], [helper.make_tensor_value_info("y", 1, [1])]
    )
    nodes = [
        helper.make_node("Abs", ["x"], ["size"]),
        helper.make_node("If", ["yes"], ["chosen"], then_branch=branch, else_branch=branch),
    ]
    graph = helper.make_graph(
        nodes,
        "branching",
        [helper.make_tensor_value_info("x", 1, [1])],
        [helper.make_tensor_value_info("chosen", 1, [1])],
        [numpy_helper.from_array(np.array(True), "yes")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    return bytes(model.SerializeToString())


def test_graphs_within_are_refused_only_where_they_are_needed() -> None:
    with pytest.raises(SetupError, match="a graph of its own") as caught:
        extract_subgraph(branching_model(), "chosen")
    assert caught.value.code == "bad_card"
    assert run(extract_subgraph(branching_model(), "size"), np.array([-3], np.float32)).tolist() == [3]


def test_a_card_of_ones_own(tmp_path: Path) -> None:
    sha256 = write_model(tmp_path / "tiny.onnx")
    plain = load_frame_predictor(write_card(tmp_path, sha256=sha256, pixels=96 * 64))
    assert plain.view == load_predictor(tmp_path / "tiny.toml").view
    cheap = load_frame_predictor(
        write_card(tmp_path, sha256=sha256, pixels=96 * 64, video_pixels=900, video_output="sum")
    )
    assert cheap.view.pixels == 900
    np.testing.assert_allclose(cheap.predict(frame())[0]["total"], plain.predict(frame())[0]["total"], rtol=1e-5)
    with pytest.raises(SetupError, match="correct its card"):
        load_frame_predictor(write_card(tmp_path, sha256=sha256, pixels=99, video_output="other"))
    with pytest.raises(UsageError, match="video_pixels is for a model with pixels"):
        read_card(write_card(tmp_path, sha256=sha256, width=9, height=9, video_pixels=99))


def test_the_centre_prior_is_its_own_frame_predictor() -> None:
    assert load_frame_predictor("centre-prior").name == "centre-prior"
