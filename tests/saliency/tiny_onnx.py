"""ONNX models of one line of arithmetic, whose densities numpy can work out."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEIGHTS = (1.0, 2.0, 5.0)
"""Of the channels in the order in which the model gets them; all differ, so that a mix-up of channels shows."""
KINDS = {"uint8": TensorProto.UINT8, "float32": TensorProto.FLOAT}


def write_model(
    path: Path,
    *,
    layout: str = "nhwc",
    dtype: str = "uint8",
    size: tuple[int, int] | None = None,
    batch: int | None = None,
    scale: float = 1.0,
    windows: int = 1,
) -> str:
    """Write a model that returns `scale` x the weighted sum of the channels, `windows` times; return its sha256.

    Window k (from 0) is the sum to the power of k + 1, so that windows differ too.
    """
    axis = 3 if layout == "nhwc" else 1
    sides: tuple[int | str, int | str] = size or ("height", "width")
    shape = [batch or "batch", *sides, 3] if layout == "nhwc" else [batch or "batch", 3, *sides]
    weights = np.array(WEIGHTS, np.float32).reshape((1, 1, 1, 3) if layout == "nhwc" else (1, 3, 1, 1)) * scale
    constants = [
        numpy_helper.from_array(weights.astype(np.float32), "weights"),
        numpy_helper.from_array(np.array([axis]), "channels"),
        *(numpy_helper.from_array(np.float32(k + 1), f"power{k}") for k in range(windows)),
    ]
    nodes = [
        helper.make_node("Cast", ["picture"], ["x"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["x", "weights"], ["weighted"]),
        helper.make_node("ReduceSum", ["weighted", "channels"], ["sum"], keepdims=1),
        *(helper.make_node("Pow", ["sum", f"power{k}"], [f"window{k}"]) for k in range(windows)),
        helper.make_node("Concat", [f"window{k}" for k in range(windows)], ["map"], axis=axis),
    ]
    graph = helper.make_graph(
        nodes,
        "weighted_channels",
        [helper.make_tensor_value_info("picture", KINDS[dtype], shape)],
        [helper.make_tensor_value_info("map", TensorProto.FLOAT, ["n", "a", "b", "c"])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_card(folder: Path, *, file: str = "tiny.onnx", name: str = "tiny", **keys: object) -> Path:
    """Write a card beside the model."""
    lines = [f"{key} = {_toml(value)}" for key, value in {"name": name, "file": file, **keys}.items()]
    path = folder / f"{name}.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def _toml(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def weighted_sum(picture: np.ndarray) -> np.ndarray:
    """What the model computes of one (H, W, 3) picture, in the order of channels that it is given."""
    return (picture.astype(np.float64) * WEIGHTS).sum(axis=2)
