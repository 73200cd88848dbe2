"""ONNX detectors whose answers are known: fixed boxes, and scores that say what the picture's corner looks like."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

KINDS = {"uint8": TensorProto.UINT8, "float32": TensorProto.FLOAT}


def write_detector(
    path: Path,
    boxes: list[list[float]],
    labels: list[int],
    scores: list[float],
    *,
    size: tuple[int, int] | None = None,
    batch: int | None = 1,
    dtype: str = "uint8",
    columns: bool = False,
    batched: bool = True,
) -> str:
    """Write a model that answers every (1, H, W, 3) picture with the same boxes; return its sha256.

    `columns`: one output of six columns rather than three outputs; not `batched`: three outputs without a batch axis.
    """
    table = np.column_stack([np.array(boxes, np.float32), scores, labels]).astype(np.float32)
    lead = (1,) if batched else ()
    if columns:
        answers = {"found": table.reshape(*lead, -1, 6)}
    else:
        answers = {
            "boxes": table[:, :4].reshape(*lead, -1, 4),
            "scores": table[:, 4].reshape(*lead, -1),
            "labels": np.array(labels, np.int64).reshape(*lead, -1),
        }
    return _write(path, answers, size, batch, dtype)


def _write(
    path: Path, answers: dict[str, np.ndarray], size: tuple[int, int] | None, batch: int | None, dtype: str
) -> str:
    nodes, constants, outputs = [], [], []
    for name, answer in answers.items():
        constants.append(numpy_helper.from_array(answer, f"{name}_fixed"))
        nodes.append(helper.make_node("Identity", [f"{name}_fixed"], [name]))
        kind = TensorProto.INT64 if answer.dtype == np.int64 else TensorProto.FLOAT
        outputs.append(helper.make_tensor_value_info(name, kind, list(answer.shape)))
    sides: tuple[int | str, int | str] = size or ("height", "width")
    picture = helper.make_tensor_value_info("picture", KINDS[dtype], [batch or "batch", *sides, 3])
    graph = helper.make_graph(nodes, "fixed_answers", [picture], outputs, constants)
    return _save(path, graph)


def write_reddest(path: Path, *, size: tuple[int, int]) -> str:
    """Write a model whose one box is all of the input and whose score is the first channel of its top-left pixel."""
    constants = [
        numpy_helper.from_array(np.array([[[0, 0, size[1], size[0]]]], np.float32), "all"),
        numpy_helper.from_array(np.array([[0]], np.int64), "first"),
        *(numpy_helper.from_array(np.array(v, np.int64), k) for k, v in _SLICE.items()),
        numpy_helper.from_array(np.array([1, 1], np.int64), "shape"),
        numpy_helper.from_array(np.float32(255), "white"),
    ]
    nodes = [
        helper.make_node("Slice", ["picture", "starts", "ends", "axes"], ["corner"]),
        helper.make_node("Cast", ["corner"], ["x"], to=TensorProto.FLOAT),
        helper.make_node("Reshape", ["x", "shape"], ["flat"]),
        helper.make_node("Div", ["flat", "white"], ["scores"]),
        helper.make_node("Identity", ["all"], ["boxes"]),
        helper.make_node("Identity", ["first"], ["labels"]),
    ]
    outputs = [
        helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, 1, 4]),
        helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 1]),
        helper.make_tensor_value_info("labels", TensorProto.INT64, [1, 1]),
    ]
    picture = helper.make_tensor_value_info("picture", TensorProto.UINT8, [1, *size, 3])
    return _save(path, helper.make_graph(nodes, "reddest", [picture], outputs, constants))


_SLICE = {"starts": [0, 0, 0], "ends": [1, 1, 1], "axes": [1, 2, 3]}


def _save(path: Path, graph: onnx.GraphProto) -> str:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_detector_card(folder: Path, *, file: str = "tiny.onnx", classes: dict[str, str], **keys: object) -> Path:
    """Write a detector's card beside the model."""
    facts = {"kind": "detector", "file": file, **keys}
    lines = [f"{key} = {_toml(value)}" for key, value in facts.items()]
    lines += ["[classes]", *(f'"{name}" = "{kind}"' for name, kind in classes.items())]
    path = folder / "tiny.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def _toml(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + "}"
    return f'"{value}"' if isinstance(value, str) else str(value)
