"""A model that keeps a tensor in another file is refused, wherever in the model it stands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tiny_onnx import write_card, write_model

from mediaan.errors import SetupError
from mediaan.saliency import load_predictor
from mediaan.vision.objects.detector import load_detector


def elsewhere() -> TensorProto:
    """A tensor of three numbers that lie in `local.bin`."""
    tensor = TensorProto(name="lies_elsewhere", data_type=TensorProto.FLOAT, dims=[1, 1, 1, 3])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="local.bin")
    return tensor


def graph_with_tensor() -> onnx.GraphProto:
    output = helper.make_tensor_value_info("lies_elsewhere", TensorProto.FLOAT, [1, 1, 1, 3])
    return helper.make_graph([], "inner", [], [output], [elsewhere()])


def initializer(model: onnx.ModelProto) -> None:
    model.graph.initializer[0].CopyFrom(elsewhere())
    model.graph.initializer[0].name = "weights"


def attribute(model: onnx.ModelProto) -> None:
    model.graph.node.insert(0, helper.make_node("Constant", [], ["c"], value=elsewhere()))


def sparse_initializer(model: onnx.ModelProto) -> None:
    positions = numpy_helper.from_array(np.arange(3), "positions")
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(elsewhere(), positions, [3]))


def branch(model: onnx.ModelProto) -> None:
    inner = graph_with_tensor()
    model.graph.node.append(helper.make_node("If", ["condition"], ["c"], then_branch=inner, else_branch=inner))


def function(model: onnx.ModelProto) -> None:
    node = helper.make_node("Constant", [], ["c"], value=elsewhere())
    opsets = [helper.make_opsetid("", 17)]
    model.functions.append(helper.make_function("own", "own", [], ["c"], [node], opsets))


def training(model: onnx.ModelProto) -> None:
    model.training_info.add().initialization.CopyFrom(graph_with_tensor())


def only_a_path(model: onnx.ModelProto) -> None:
    """The reference stands there, though the tensor is said to be inside."""
    initializer(model)
    model.graph.initializer[0].data_location = TensorProto.DEFAULT


@pytest.mark.parametrize("hide", [initializer, attribute, sparse_initializer, branch, function, training, only_a_path])
def test_a_tensor_in_another_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hide: Callable[[onnx.ModelProto], None]
) -> None:
    write_model(tmp_path / "tiny.onnx")
    model = onnx.load(tmp_path / "tiny.onnx")
    hide(model)
    (tmp_path / "tiny.onnx").write_bytes(model.SerializeToString())
    monkeypatch.chdir(tmp_path)  # where the runtime would look for it
    (tmp_path / "local.bin").write_bytes(np.ones(3, np.float32).tobytes())
    sha256 = hashlib.sha256((tmp_path / "tiny.onnx").read_bytes()).hexdigest()
    card = write_card(tmp_path, sha256=sha256, pixels=32 * 48)
    with pytest.raises(SetupError, match=r"tiny\.onnx keeps the tensor .* in another file, 'local\.bin'") as caught:
        load_predictor(card)
    assert caught.value.code == "model_external_data"


def test_detectors_are_refused_likewise(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny.onnx")
    model = onnx.load(tmp_path / "tiny.onnx")
    initializer(model)
    (tmp_path / "tiny.onnx").write_bytes(model.SerializeToString())
    sha256 = hashlib.sha256((tmp_path / "tiny.onnx").read_bytes()).hexdigest()
    card = write_card(tmp_path, sha256=sha256, kind="detector", decode="rows", width=48, height=32)
    card.write_text(card.read_text() + '[classes]\n0 = "product"\n')
    with pytest.raises(SetupError, match="in another file"):
        load_detector(card)


def test_the_runtime_s_own_format_is_refused(tmp_path: Path) -> None:
    content = b"\x20\x00\x00\x00ORTM" + bytes(64)
    (tmp_path / "tiny.onnx").write_bytes(content)
    card = write_card(tmp_path, sha256=hashlib.sha256(content).hexdigest(), pixels=32 * 48)
    with pytest.raises(SetupError, match="ORT format; export it as ONNX"):
        load_predictor(card)


def test_the_word_alone_is_harmless(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny.onnx")
    model = onnx.load(tmp_path / "tiny.onnx")
    model.doc_string = "weights for any location"
    (tmp_path / "tiny.onnx").write_bytes(model.SerializeToString())
    sha256 = hashlib.sha256((tmp_path / "tiny.onnx").read_bytes()).hexdigest()
    assert load_predictor(write_card(tmp_path, sha256=sha256, pixels=32 * 48)).name == "tiny"
